// localtime has one buffer for all threads; the _r functions fill in the caller's buffer.
// want: race at A B
// want: race when at C D
#include "turns.h"
#include <time.h>

struct tm when;
static _Thread_local volatile long sink;
static time_t zero;
void first(void)
{
    sink = localtime(&zero)->tm_year; /* A */
    gmtime_r(&zero, &when);           /* C */
}
void second(void)
{
    sink = localtime(&zero)->tm_year; /* B */
    sink = when.tm_mon;            /* D */
}
