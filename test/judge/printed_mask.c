// Both orders print the same for the recorded input. The solver finds one for which they differ.
// judge: chosen output-differs
// reason: chosen with argv[1]=
// evidence: chosen descriptor 1
// flags: --symbolic
// levels: O2
// args: 4
#define FIRST (number & 12)
#define SECOND (number & 4)
#include "printed_mask.h"
