/* Figure 17(d): a barrier of the two writers after their writes. 10 is a bug, which needs weak
 * memory.
 * sc: 00 02 12
 * weak: 00 02 10 12
 * bug: 10 */
#include "figure17.h"

static void *work0(void *unused)
{
    globalx = 2;
    globaly = 1;
    pthread_barrier_wait(&barrier);
    return unused;
}

static void *work1(void *unused)
{
    globalx = 2;
    pthread_barrier_wait(&barrier);
    return unused;
}
