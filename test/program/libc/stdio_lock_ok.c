// flockfile is a lock like any other.
// tsan: it does not see the lock of a stream
// want: none
#define _GNU_SOURCE
#include "turns.h"
#include <stdio.h>

int shared;

void first(void)
{
    flockfile(stdout);
    flockfile(stdout); /* recursive */
    shared = 1;
    putc_unlocked('\n', stdout);
    funlockfile(stdout);
    funlockfile(stdout);
}
void second(void)
{
    if (ftrylockfile(stdout) == 0) {
        shared = 2;
        putc_unlocked('\n', stdout);
        funlockfile(stdout);
    }
}
