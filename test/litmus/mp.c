/* Message passing: the flag is seen, the data is not.
 * sc: 00 01 11
 * tso: 00 01 11
 * weak: 00 01 10 11 */
#include "litmus.h"
THREAD(writer, x = 1; y = 1;)
THREAD(reader, int a = y; int b = x; TWO(a, b))
RUN(writer, reader)
