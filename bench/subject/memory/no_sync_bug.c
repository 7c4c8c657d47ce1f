/* Figure 17(b): as (a), but 10 is a bug, which needs weak memory.
 * sc: 00 02 12
 * weak: 00 02 10 12
 * bug: 10 */
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
