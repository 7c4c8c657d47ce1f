/* The same with relaxed operations and fences between the reads: 1010 is forbidden.
 * sc: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111
 * tso: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111
 * weak: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111 */
#define VARIABLE atomic_int
#include "litmus.h"
THREAD(w1, STORE(x, 1, relaxed);)
THREAD(w2, STORE(y, 1, relaxed);)
THREAD(r1, int a = LOAD(x, relaxed); FENCE(seq_cst); int b = LOAD(y, relaxed); TWO(a, b))
THREAD(r2, int a = LOAD(y, relaxed); FENCE(seq_cst); int b = LOAD(x, relaxed); TWO(a, b))
RUN(w1, w2, r1, r2)
