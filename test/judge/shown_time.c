// The program shows on standard error how long it took. This differs from run to run, and has
// nothing to do with the race: only standard output is compared.
// judge: last k-witness-harmless
// evidence: last descriptor 2: not compared
#include "shown_time.h"

static void show(void) { puts("done"); }
