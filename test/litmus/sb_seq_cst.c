/* Store buffering with sequentially consistent operations: 00 is forbidden.
 * sc: 01 10 11
 * tso: 01 10 11
 * weak: 01 10 11 */
#define VARIABLE atomic_int
#include "litmus.h"
THREAD(t1, STORE(x, 1, seq_cst); ONE(LOAD(y, seq_cst)))
THREAD(t2, STORE(y, 1, seq_cst); ONE(LOAD(x, seq_cst)))
RUN(t1, t2)
