// Twin of shown_time: standard output has the value.
// judge: last output-differs
// evidence: last descriptor 1, byte 0
#include "shown_time.h"

static void show(void) { printf("%d\n", last); }
