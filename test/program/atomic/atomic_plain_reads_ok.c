// A plain read and an atomic read do not conflict.
// want: none
#include "turns.h"

int shared, seen, mine;

void first(void) { seen = __atomic_load_n(&shared, __ATOMIC_RELAXED); }
void second(void) { mine = shared; }
