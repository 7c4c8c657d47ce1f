// Two threads may print to one stream, and format into their own memory.
// want: none
// stdout: first 1
// stdout: second 2
#include "turns.h"
#include <stdio.h>

char text[8] = "x";

static void print(const char *who, int n)
{
    char own[32];
    snprintf(own, sizeof own, "%s %d", who, n);
    puts(own);
    fprintf(stderr, "%s\n", text);
    fflush(stdout);
}
void first(void) { print("first", 1); }
void second(void) { print("second", 2); }
