// Directed runs have no vector clocks: they do not race-check the accesses of string functions, so
// they report no false races there.
// flags: -fbuiltin
// levels: O1
// case: record --schedule={rr:1000,rr:2,random:1,random:2}
// noerr: WARNING
// case: replay --quiet
// noerr: WARNING
// case: hatch
// case: run
#include "part/string_calls.h"
