// strtok has one state for the whole process: two threads that use it race.
// want: race at A B
// tsan: it does not see the state of strtok
#include "turns.h"
#include <string.h>

char a[8] = "1,2", b[8] = "3,4";
static _Thread_local volatile long sink;
void first(void) { sink = *strtok(a, ","); /* A */ }
void second(void) { sink = *strtok(b, ","); /* B */ }
