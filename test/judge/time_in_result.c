// The only output of the program contains how long it took. These numbers differ from run to run
// and have nothing to do with the race: the rest of the output is compared.
// judge: last k-witness-harmless
// evidence: last line 1: number 1 is not compared
#define SHOWN_ON stdout
#include "shown_time.h"

static void show(void) { puts("done"); }
