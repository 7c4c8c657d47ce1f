// Each thread has its own buffer.
// want: none
#include "turns.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

static _Thread_local volatile long sink;
static void work(void)
{
    struct tm tm;
    struct timeval tv;
    struct timespec ts;
    struct stat st;
    char text[64], *end;
    time_t now = time(NULL);
    sink = localtime_r(&now, &tm)->tm_year;
    sink = (long)strftime(text, sizeof text, "%c", &tm);
    sink = gettimeofday(&tv, NULL) + clock_gettime(CLOCK_MONOTONIC, &ts) + stat("/", &st);
    sink = strtol("12x", &end, 10) + *end;
    sink = atoi("12");
    free(realpath("/", NULL));
}
void first(void) { work(); }
void second(void) { work(); }
