/* Two variables, two writers: 11 needs stores in another order than the run's.
 * sc: 12 21 22
 * tso: 12 21 22
 * weak: 12 21 22 */
#define SHOW_END printf("%d%d", x, y)
#include "litmus.h"
THREAD(t1, x = 1; y = 2;)
THREAD(t2, y = 1; x = 2;)
RUN(t1, t2)
