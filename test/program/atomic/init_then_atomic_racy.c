// The initialisation of an atomic is a plain write.
// want: race shared at INIT USE
#include "turns.h"
#include <stdatomic.h>

atomic_int shared;

void first(void) { atomic_init(&shared, 5); /* INIT */ }
void second(void) { atomic_fetch_add(&shared, 1); /* USE */ }
