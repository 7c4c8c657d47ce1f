/* The same with release and acquire on y: what a read has seen is also known to the threads after
 * it.
 * sc: 000 001 010 011 100 101 111
 * tso: 000 001 010 011 100 101 111
 * weak: 000 001 010 011 100 101 111 */
#define VARIABLE atomic_int
#include "litmus.h"
THREAD(t1, STORE(x, 1, relaxed);)
THREAD(t2, int a = LOAD(x, relaxed); STORE(y, 1, release); ONE(a))
THREAD(t3, int a = LOAD(y, acquire); int b = LOAD(x, relaxed); TWO(a, b))
RUN(t1, t2, t3)
