// Adjacent SSE vectors, aligned and unaligned.
// want: none
#include "turns.h"
#include <xmmintrin.h>

float shared[17] __attribute__((aligned(16)));

void first(void)
{
    _mm_store_ps(shared, _mm_set1_ps(1));
    _mm_storeu_ps(shared + 9, _mm_set1_ps(1));
}

void second(void)
{
    _mm_store_ps(shared + 4, _mm_set1_ps(2));
    shared[8] = 2;
    _mm_storeu_ps(shared + 13, _mm_set1_ps(2));
}
