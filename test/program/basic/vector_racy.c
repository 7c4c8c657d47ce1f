// SSE vectors of 16 bytes, against one of their floats.
// want: race at VECTOR ELEMENT
#include "turns.h"
#include <xmmintrin.h>

float shared[8] __attribute__((aligned(16)));

void first(void) { _mm_store_ps(shared + 4, _mm_set1_ps(1)); /* VECTOR */ }
void second(void) { shared[6] = 2; /* ELEMENT */ }
