/* Store buffering: both threads miss the other's store.
 * sc: 01 10 11
 * tso: 00 01 10 11
 * weak: 00 01 10 11 */
#include "litmus.h"
THREAD(t1, x = 1; ONE(y))
THREAD(t2, y = 1; ONE(x))
RUN(t1, t2)
