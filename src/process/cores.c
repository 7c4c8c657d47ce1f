/* cores.c - see cores.h. */
#define _GNU_SOURCE
#include "cores.h"
#include <stdio.h>
#include <string.h>

enum { DIGITS = CPU_SETSIZE / 4 };

static cpu_set_t cores;
static bool known;

const cpu_set_t *pf_cores(void)
{
    if (!known && sched_getaffinity(0, sizeof cores, &cores))
        CPU_ZERO(&cores);
    known = true;
    return &cores;
}

char *pf_cores_text(void)
{
    static char text[DIGITS + 1];
    pf_cores();
    for (int i = 0; i < DIGITS; i++) {
        unsigned digit = 0;
        for (int bit = 0; bit < 4; bit++)
            digit |= (unsigned)!!CPU_ISSET(4 * (DIGITS - 1 - i) + bit, &cores) << bit;
        text[i] = "0123456789abcdef"[digit];
    }
    size_t zeros = strspn(text, "0");
    return text + (zeros < DIGITS ? zeros : DIGITS - 1);
}

bool pf_cores_take(const char *text)
{
    size_t n = strlen(text);
    if (!n || n > DIGITS || strspn(text, "0123456789abcdef") != n)
        return false;
    CPU_ZERO(&cores);
    for (size_t i = 0; i < n; i++) {
        char digit = text[n - 1 - i];
        unsigned bits = (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
        for (size_t bit = 0; bit < 4; bit++)
            if (bits >> bit & 1)
                CPU_SET(4 * i + bit, &cores);
    }
    known = true;
    return true;
}
