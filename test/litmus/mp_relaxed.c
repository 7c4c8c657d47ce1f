/* Message passing with relaxed operations, which order nothing.
 * sc: 00 01 11
 * tso: 00 01 11
 * weak: 00 01 10 11 */
#define VARIABLE atomic_int
#include "litmus.h"
THREAD(writer, STORE(x, 1, relaxed); STORE(y, 1, relaxed);)
THREAD(reader, int a = LOAD(y, relaxed); int b = LOAD(x, relaxed); TWO(a, b))
RUN(writer, reader)
