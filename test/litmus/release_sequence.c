/* A relaxed read-modify-write continues the release sequence of the store before it: 30 is
 * forbidden. The reader that sees only the read-modify-write (2) is not ordered.
 * sc: 00 01 11 20 21 31
 * tso: 00 01 11 20 21 31
 * weak: 00 01 11 20 21 31 */
#define VARIABLE atomic_int
#include "litmus.h"
THREAD(writer, STORE(x, 1, relaxed); STORE(y, 1, release);)
THREAD(adder, atomic_fetch_add_explicit(&y, 2, memory_order_relaxed);)
THREAD(reader, int a = LOAD(y, acquire); int b = LOAD(x, relaxed); TWO(a, b))
RUN(writer, adder, reader)
