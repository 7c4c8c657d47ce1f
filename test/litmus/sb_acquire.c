/* Store buffering with release and acquire, which do not order a store before a load.
 * sc: 01 10 11
 * tso: 00 01 10 11
 * weak: 00 01 10 11 */
#define VARIABLE atomic_int
#include "litmus.h"
THREAD(t1, STORE(x, 1, release); ONE(LOAD(y, acquire)))
THREAD(t2, STORE(y, 1, release); ONE(LOAD(x, acquire)))
RUN(t1, t2)
