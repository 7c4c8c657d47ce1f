// Two threads count the blocks of a file without a lock. In one order both write the same block.
// judge: next output-differs
#include "file_blocks.h"

static int take(long number)
{
    (void)number;
    int mine = next;
    next = mine + 1;
    return mine;
}
