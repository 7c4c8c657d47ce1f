// The smallest racy program: see part/same_instant.h; the arguments only count the runs.
// levels: O2
// case: run -- {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30}
// exit: 66
// err: data race
#define BODY x++
#include "part/same_instant.h"
