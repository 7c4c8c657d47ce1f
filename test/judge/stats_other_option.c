// Figure 6, recorded with the harmless option. pf judge finds the harmful option.
// judge: id spec-violated
// reason: id with argv[1]="-no-hash-table"
// evidence: id outside of a global variable
// flags: --symbolic
// args: -use-hash-table
#include "stats.h"
