/* A relaxed counter: a read-modify-write returns the newest value, so no increment is lost.
 * sc: 012 102
 * tso: 012 102
 * weak: 012 102 */
#define VARIABLE atomic_int
#define SHOW_END printf("%d", LOAD(x, relaxed))
#include "litmus.h"
THREAD(t1, ONE(atomic_fetch_add_explicit(&x, 1, memory_order_relaxed)))
THREAD(t2, ONE(atomic_fetch_add_explicit(&x, 1, memory_order_relaxed)))
RUN(t1, t2)
