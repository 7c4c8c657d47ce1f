// calloc writes its block.
// want: race at MAKE USE
#include "turns.h"
#include <stdlib.h>

char *_Atomic block;
static _Thread_local volatile long sink;
void first(void) { __c11_atomic_store(&block, calloc(10, 10), __ATOMIC_RELAXED); /* MAKE */ }
void second(void) { sink = __c11_atomic_load(&block, __ATOMIC_RELAXED)[50]; /* USE */ }
