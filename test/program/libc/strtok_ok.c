// strtok_r and strsep keep their state in the caller's variable.
// want: none
// flags: -D_GNU_SOURCE
#include "turns.h"
#include <string.h>

char a[8] = "1,2", b[8] = "3,4";
static _Thread_local volatile long sink;
static void split(char *s)
{
    char *at;
    for (char *token = strtok_r(s, ",", &at); token; token = strtok_r(NULL, ",", &at))
        sink = *token;
    char copy[8] = "5,6", *rest = copy;
    for (char *token; (token = strsep(&rest, ","));)
        sink = *token;
}
void first(void) { split(a); }
void second(void) { split(b); }
