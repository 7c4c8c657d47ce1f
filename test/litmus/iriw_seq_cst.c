/* The same with sequentially consistent operations: 1010 is forbidden.
 * sc: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111
 * tso: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111
 * weak: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111 */
#define VARIABLE atomic_int
#include "litmus.h"
THREAD(w1, STORE(x, 1, seq_cst);)
THREAD(w2, STORE(y, 1, seq_cst);)
THREAD(r1, int a = LOAD(x, seq_cst); int b = LOAD(y, seq_cst); TWO(a, b))
THREAD(r2, int a = LOAD(y, seq_cst); int b = LOAD(x, seq_cst); TWO(a, b))
RUN(w1, w2, r1, r2)
