/* Load buffering: 11 needs a store before an earlier load, which no model here has.
 * sc: 00 01 10
 * tso: 00 01 10
 * weak: 00 01 10 */
#include "litmus.h"
THREAD(t1, int a = x; y = 1; ONE(a))
THREAD(t2, int b = y; x = 1; ONE(b))
RUN(t1, t2)
