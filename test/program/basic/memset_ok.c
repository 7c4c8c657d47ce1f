// memset of one half; the other thread uses the other half.
// want: none
#include "turns.h"
#include <string.h>

long shared[64];

void first(void) { memset(shared, 0, sizeof shared / 2); }
void second(void) { memset(shared + 32, 0, sizeof shared / 2); }
