// As stats_other_option.c, with symbolic bodies that are compiled on demand.
// judge: id spec-violated
// reason: id with argv[1]="-no-hash-table"
// evidence: id outside of a global variable
// flags: --on-demand
// args: -use-hash-table
#include "stats.h"
