/* Message passing with a release fence and an acquire fence: 10 is forbidden.
 * sc: 00 01 11
 * tso: 00 01 11
 * weak: 00 01 11 */
#define VARIABLE atomic_int
#include "litmus.h"
THREAD(writer, STORE(x, 1, relaxed); FENCE(release); STORE(y, 1, relaxed);)
THREAD(reader, int a = LOAD(y, relaxed); FENCE(acquire); int b = LOAD(x, relaxed); TWO(a, b))
RUN(writer, reader)
