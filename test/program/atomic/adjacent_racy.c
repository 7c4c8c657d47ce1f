// An atomic byte and a plain access that is wider than it looks.
// want: race at BYTE WORD
#include "turns.h"
#include <stdatomic.h>

union {
    struct {
        char a;
        atomic_char b;
    } part;
    short word;
} shared;

void first(void) { atomic_store(&shared.part.b, 1); /* BYTE */ }
void second(void) { shared.word = 2; /* WORD */ }
