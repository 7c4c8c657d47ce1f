// Twin of file_blocks: the number is counted, but each thread writes a block of its own. The order
// in which they are written does not matter.
// judge: next k-witness-harmless
#include "file_blocks.h"

static int take(long number)
{
    next = next + 1;
    return (int)number;
}
