// want: race
// text: #0 malloc
// One thread allocates a block and another one uses it; nothing orders the two.
#define ORDER memory_order_relaxed
#include "published.h"

static int *alloc(void) { return malloc(64); }
int main(void) { return publish(alloc); }
