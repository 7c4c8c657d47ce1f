/* Store buffering with relaxed exchanges. On x86 an exchange drains the store buffer; in C11 it
 * orders nothing.
 * sc: 01 10 11
 * tso: 01 10 11
 * weak: 00 01 10 11 */
#define VARIABLE atomic_int
#include "litmus.h"
THREAD(t1, atomic_exchange_explicit(&x, 1, memory_order_relaxed); ONE(LOAD(y, relaxed)))
THREAD(t2, atomic_exchange_explicit(&y, 1, memory_order_relaxed); ONE(LOAD(x, relaxed)))
RUN(t1, t2)
