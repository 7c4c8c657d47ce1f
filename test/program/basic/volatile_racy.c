// volatile creates no order.
// want: race flag at SET GET
#include "turns.h"

volatile int flag;
int seen;

void first(void) { flag = 1; /* SET */ }
void second(void) { seen = flag; /* GET */ }
