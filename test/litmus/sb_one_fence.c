/* Store buffering with a fence in one thread only.
 * sc: 01 10 11
 * tso: 00 01 10 11
 * weak: 00 01 10 11 */
#define VARIABLE atomic_int
#include "litmus.h"
THREAD(t1, STORE(x, 1, relaxed); FENCE(seq_cst); ONE(LOAD(y, relaxed)))
THREAD(t2, STORE(y, 1, relaxed); ONE(LOAD(x, relaxed)))
RUN(t1, t2)
