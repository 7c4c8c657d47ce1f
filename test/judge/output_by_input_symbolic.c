// Figure 8 in a symbolic run: both orders print the same for a whole range of inputs.
// judge: globalx k-witness-harmless
// evidence: globalx both orders print the same for every argv[1] >= 0
// flags: --symbolic
// levels: O2
// args: 1
#include "output_by_input.c"
