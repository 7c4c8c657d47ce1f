// Each order fails at a place of its own: the race decides which failure happens.
// judge: last spec-violated
// flags: -fno-inline
#include "failures.h"
#include <stdio.h>

static void fail_after_one(void)
{
    puts("one");
    abort();
}

static void fail_after_two(void)
{
    puts("two");
    abort();
}

int main(void)
{
    write_both();
    if (last == 1)
        fail_after_one();
    else
        fail_after_two();
    return 0;
}
