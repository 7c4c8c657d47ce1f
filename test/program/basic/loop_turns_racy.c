// A loop that copies three bytes per iteration, from three lines, is checked as one range: each
// byte keeps its own line, for the earlier and for the later access, and adjacent bytes are not
// affected.
// want: race room at SECOND:write SEEN:read
// want: race source at THIRD:read CHANGED:write
// want: race late at EARLY:write FIRST:write
// stdout: 15
#include "turns.h"
#include <stdio.h>

char source[24] = "what is copied here", room[24], late[24];
volatile int length = 17;

__attribute__((noinline)) static long copy(char *to, const char *from, int n)
{
    char *out = to;
    while (n > 2) {
        *out++ = *from++; /* FIRST */
        *out++ = *from++; /* SECOND */
        *out++ = *from++; /* THIRD */
        n -= 3;
    }
    return out - to;
}

void first(void)
{
    printf("%ld\n", copy(room, source, length));
    late[9] = 'x'; /* EARLY */
    late[15] = 'y';
}

void second(void)
{
    volatile char c = room[7]; /* SEEN */
    source[14] = c; /* CHANGED */
    source[15] = c;
    c = room[15];
}

void third(void)
{
    char own[24] = {0};
    copy(late, own, length);
}
