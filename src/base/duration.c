/* duration.c - see duration.h. */
#include "duration.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t pf_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool pf_duration_parse(const char *text, uint64_t *ms)
{
    static const struct {
        const char *name;
        double ms;
    } units[] = {{"", 1e3}, {"s", 1e3}, {"ms", 1}, {"m", 60e3}, {"min", 60e3}, {"h", 3600e3}};
    char *end;
    double v = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : -1;
    for (size_t i = 0; v >= 0 && i < sizeof units / sizeof units[0]; i++)
        if (!strcmp(end, units[i].name) && v * units[i].ms < 1e15) {
            *ms = (uint64_t)(v * units[i].ms);
            return true;
        }
    return false;
}

pf_status pf_duration_option(const char *name, const char *text, uint64_t *ms, struct pf_error *e)
{
    if (pf_duration_parse(text, ms))
        return PF_OK;
    return pf_fail(e, PF_BAD, "--%s=%s: expected a duration such as 500ms, 90s or 2m", name, text);
}
