// Figure 6: with this option, the index is tested and then read again; in between it may grow.
// judge: id spec-violated
// evidence: id outside of a global variable
// args: -no-hash-table
#include "stats.h"
