/* sample_policy.c - see sample_policy.h. The runtime parses the same text
 * (src/rt/sample/sample.c). */
#include "sample_policy.h"
#include <stdlib.h>
#include <string.h>

#define EXPECTED                                                                                   \
    "expected full, literace, pacer:RATE, atexrace[:BURST/PERIOD[:N[:LONGEST]]] or "               \
    "atexrace-paper[:BURST/PERIOD[:N]]"

static bool is_rate(const char *s)
{
    char *end;
    double rate = strtod(s, &end);
    if (*s < '.' || *s > '9' || end == s)
        return false;
    if (*end == '%') {
        rate /= 100;
        end++;
    }
    return !*end && rate >= 0 && rate <= 1 && !strpbrk(s, "eExX+-");
}

/* Parses a number from 1 to `most`. Returns the text after it; NULL if there is no such number. */
static const char *count(const char *s, unsigned long most, unsigned long *out)
{
    char *end;
    if (*s < '0' || *s > '9')
        return NULL;
    *out = strtoul(s, &end, 10);
    return *out >= 1 && *out <= most ? end : NULL;
}

static bool is_bursts(const char *s, bool has_floor)
{
    unsigned long burst = 10, period = 100, n, floor;
    if (*s != ':') {
        s = count(s, 99999999, &burst);
        if (!s || *s++ != '/' || !(s = count(s, 99999999, &period)) || burst > period)
            return false;
    }
    if (*s == ':' && !(s = count(s + 1, 255, &n)))
        return false;
    if (has_floor && *s == ':' && (!(s = count(s + 1, 99999999, &floor)) || floor < period))
        return false;
    return !*s;
}

pf_status pf_sample_check(const char *policy, struct pf_error *e)
{
    const char *colon = strchr(policy, ':');
    size_t n = colon ? (size_t)(colon - policy) : strlen(policy);
    bool good =
        (n == 4 && !strcmp(policy, "full")) || (n == 8 && !strcmp(policy, "literace")) ||
        (n == 5 && !strcmp(policy, "cross")) || /* for tests */
        (n == 5 && colon && !strncmp(policy, "pacer", n) && is_rate(colon + 1)) ||
        (n == 8 && !strncmp(policy, "atexrace", n) && (!colon || is_bursts(colon + 1, true))) ||
        (n == 14 && !strncmp(policy, "atexrace-paper", n) &&
         (!colon || is_bursts(colon + 1, false)));
    return good ? PF_OK : pf_fail(e, PF_BAD, "--sample=%s: " EXPECTED, policy);
}

bool pf_sample_has_overhead(const char *policy)
{
    return !strcmp(policy, "atexrace") || !strncmp(policy, "atexrace:", 9);
}

pf_status pf_sample_check_overhead(const char *policy, const char *share, struct pf_error *e)
{
    unsigned long percent;
    const char *end = count(share, 100, &percent);
    if (!end || (*end && strcmp(end, "%")))
        return pf_fail(e, PF_BAD, "--overhead=%s: expected 1%% to 100%%", share);
    if (!pf_sample_has_overhead(policy))
        return pf_fail(e, PF_BAD, "--overhead is for --sample=atexrace, not for %s", policy);
    return PF_OK;
}

bool pf_sample_keeps_state(const char *policy) { return !strncmp(policy, "atexrace", 8); }
