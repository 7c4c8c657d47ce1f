// Each order reads beyond a block of its own, in functions whose names differ in a digit.
// judge: last spec-violated
// reason: last memory error
// flags: -fno-inline
#include "failures.h"
#include <stdio.h>

static int read1(const char *block) { return block[8]; }
static int read2(const char *block) { return block[8]; }

int main(void)
{
    char *block = calloc(8, 1);
    write_both();
    int seen = last == 1 ? read1(block) : read2(block);
    free(block);
    puts(seen < 0 ? "below" : "above");
    return 0;
}
