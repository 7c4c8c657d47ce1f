/* Coherence of two reads: never the new value and then the old one.
 * sc: 00 01 11
 * tso: 00 01 11
 * weak: 00 01 11 */
#include "litmus.h"
THREAD(writer, x = 1;)
THREAD(reader, int a = x; int b = x; TWO(a, b))
RUN(writer, reader)
