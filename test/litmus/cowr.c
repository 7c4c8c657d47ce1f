/* A thread never reads a value older than its own write.
 * sc: 1 2
 * tso: 1 2
 * weak: 1 2 */
#include "litmus.h"
THREAD(t1, x = 1; ONE(x))
THREAD(t2, x = 2;)
RUN(t1, t2)
