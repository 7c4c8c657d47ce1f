// Twin of time_in_result: the output has the value, too.
// judge: last output-differs
// evidence: last primary: "last is
#define SHOWN_ON stdout
#include "shown_time.h"

static void show(void) { printf("last is %d\n", last); }
