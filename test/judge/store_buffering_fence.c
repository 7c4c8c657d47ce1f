// The twin of store_buffering.c: fences drain the store buffers.
// flags: -DFENCE
// options: --memory tso
// judge: first k-witness-harmless
// judge: second k-witness-harmless
#include "store_buffering.h"
