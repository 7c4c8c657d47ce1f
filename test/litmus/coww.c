/* Coherence of two writes of one thread: seen in their order, and the last one stays.
 * sc: 002 012 022 112 122 222
 * tso: 002 012 022 112 122 222
 * weak: 002 012 022 112 122 222 */
#define SHOW_END printf("%d", x)
#include "litmus.h"
THREAD(writer, x = 1; x = 2;)
THREAD(reader, int a = x; int b = x; TWO(a, b))
RUN(writer, reader)
