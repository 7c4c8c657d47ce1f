/* Figure 17(a): no synchronisation. All four outcomes are allowed; none is a bug.
 * sc: 00 02 12
 * weak: 00 02 10 12 */
#include "figure17.h"

static void *work0(void *unused)
{
    globalx = 2;
    globaly = 1;
    return unused;
}

static void *work1(void *unused)
{
    globalx = 2;
    return unused;
}
