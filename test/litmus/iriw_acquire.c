/* The same with release and acquire, which do not order independent writes.
 * sc: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111
 * tso: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111
 * weak: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 1110 1111 */
#define VARIABLE atomic_int
#include "litmus.h"
THREAD(w1, STORE(x, 1, release);)
THREAD(w2, STORE(y, 1, release);)
THREAD(r1, int a = LOAD(x, acquire); int b = LOAD(y, acquire); TWO(a, b))
THREAD(r2, int a = LOAD(y, acquire); int b = LOAD(x, acquire); TWO(a, b))
RUN(w1, w2, r1, r2)
