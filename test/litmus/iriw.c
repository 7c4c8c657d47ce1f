/* Independent reads of independent writes: 1010, two readers see the writes in different orders.
 * sc: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111
 * tso: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111
 * weak: 0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 1110 1111 */
#include "litmus.h"
THREAD(w1, x = 1;)
THREAD(w2, y = 1;)
THREAD(r1, int a = x; int b = y; TWO(a, b))
THREAD(r2, int a = y; int b = x; TWO(a, b))
RUN(w1, w2, r1, r2)
