// want: race
// text: #0 malloc
// The block is allocated without order before its use by another thread.
#define ORDER memory_order_relaxed
#include "published.h"

static int *alloc(void) { return malloc(64); }
int main(void) { return publish(alloc); }
