// The recorded input hides that the orders print different things: the solver names another one.
// judge: chosen output-differs
// reason: chosen with argv[1]=
// evidence: chosen descriptor 1
// flags: --symbolic
// levels: O2
// args: 4
#define FIRST (number & 12)
#define SECOND (number & 4)
#include "printed_mask.h"
