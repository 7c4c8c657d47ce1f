/* Coherence of two reads, two writers: the order of the writes is open, 0 is the oldest.
 * sc: 00 01 02 11 12 21 22
 * tso: 00 01 02 11 12 21 22
 * weak: 00 01 02 11 12 21 22 */
#include "litmus.h"
THREAD(t1, x = 1;)
THREAD(t2, x = 2;)
THREAD(reader, int a = x; int b = x; TWO(a, b))
RUN(t1, t2, reader)
