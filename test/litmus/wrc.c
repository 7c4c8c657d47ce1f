/* Write to read causality, plain: 110, the third thread sees y but not the x that led to it.
 * sc: 000 001 010 011 100 101 111
 * tso: 000 001 010 011 100 101 111
 * weak: 000 001 010 011 100 101 110 111 */
#include "litmus.h"
THREAD(t1, x = 1;)
THREAD(t2, int a = x; y = 1; ONE(a))
THREAD(t3, int a = y; int b = x; TWO(a, b))
RUN(t1, t2, t3)
