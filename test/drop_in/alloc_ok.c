// want: none
// The block is allocated, published by a release and used after an acquire.
#define ORDER memory_order_seq_cst
#include "published.h"

static int *alloc(void) { return malloc(64); }
int main(void) { return publish(alloc); }
