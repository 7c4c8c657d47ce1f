// want: none
// One thread allocates a block and publishes it with a release. Another one acquires and uses it.
#define ORDER memory_order_seq_cst
#include "published.h"

static int *alloc(void) { return malloc(64); }
int main(void) { return publish(alloc); }
