/* Figure 17(c): a barrier of the two writers between the writes of T1. The reader does not take
 * part in it, so nothing orders the writes for the reader: 10 is allowed. (The paper counts it as
 * impossible, against its own rule.) None is a bug.
 * sc: 00 02 12
 * weak: 00 02 10 12 */
#include "figure17.h"

static void *work0(void *unused)
{
    globalx = 2;
    pthread_barrier_wait(&barrier);
    globaly = 1;
    return unused;
}

static void *work1(void *unused)
{
    globalx = 2;
    pthread_barrier_wait(&barrier);
    return unused;
}
