// A loop that copies three bytes per iteration is checked as one range, and no byte outside of it.
// want: none
// stdout: 15
#include "turns.h"
#include <stdio.h>

char source[24] = "what is copied here", room[24];
volatile int length = 17;

__attribute__((noinline)) static long copy(char *to, const char *from, int n)
{
    char *out = to;
    while (n > 2) {
        *out++ = *from++;
        *out++ = *from++;
        *out++ = *from++;
        n -= 3;
    }
    return out - to;
}

void first(void) { printf("%ld\n", copy(room + 1, source + 1, length)); }

/* The bytes before and after, and memory that both read. */
void second(void)
{
    room[0] = source[0] = 'W';
    room[16] = source[16] = 'y';
    copy(room + 16, source + 3, length - 11);
}
