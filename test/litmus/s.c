/* Shape S: prints the read of y, then x; 12 would need a store that is delayed.
 * sc: 01 02 11
 * tso: 01 02 11
 * weak: 01 02 11 */
#define SHOW_END printf("%d", x)
#include "litmus.h"
THREAD(t1, x = 2; y = 1;)
THREAD(t2, int a = y; x = 1; ONE(a))
RUN(t1, t2)
