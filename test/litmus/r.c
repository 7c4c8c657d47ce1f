/* Shape R: prints the read of x, then y.
 * sc: 01 11 12
 * tso: 01 02 11 12
 * weak: 01 02 11 12 */
#define SHOW_END printf("%d", y)
#include "litmus.h"
THREAD(t1, x = 1; y = 1;)
THREAD(t2, y = 2; ONE(x))
RUN(t1, t2)
