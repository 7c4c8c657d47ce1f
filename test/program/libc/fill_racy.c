// stat, clock_gettime, strtol and similar functions write to their result arguments.
// tsan: it does not see the end pointer of strtol, nor strftime
// want: race st at A1 B1
// want: race ts at A2 B2
// want: race end at A3 B3
// want: race text at A4 B4
#include "turns.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

struct stat st;
struct timespec ts;
char *end, text[64];
static struct tm zero;
static _Thread_local volatile long sink;
void first(void)
{
    sink = stat("/", &st);                             /* A1 */
    sink = clock_gettime(CLOCK_MONOTONIC, &ts);        /* A2 */
    sink = strtol("12x", &end, 10);                    /* A3 */
    sink = (long)strftime(text, sizeof text, "%H", &zero); /* A4 */
}
void second(void)
{
    sink = st.st_mode;  /* B1 */
    sink = ts.tv_nsec;  /* B2 */
    sink = *end;        /* B3 */
    sink = text[2];     /* B4 */
}
