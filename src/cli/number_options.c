/* number_options.c - see number_options.h. */
#include "number_options.h"
#include "cli.h"
#include "duration.h"
#include <errno.h>
#include <stdlib.h>

int pf_cli_count(const char *verb, const char *name, const char *text, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    unsigned long long n = text ? strtoull(text, &end, 10) : 0;
    if (!text)
        return PF_EXIT_OK;
    if (*text < '0' || *text > '9' || *end || !n || errno)
        return pf_complain(verb, "--%s=%s: expected a number from 1", name, text);
    *out = n;
    return PF_EXIT_OK;
}

int pf_cli_numbers(const char *verb, const struct pf_cli_number *at, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct pf_cli_number *o = &at[i];
        char *end = NULL;
        unsigned long n = o->text ? strtoul(o->text, &end, 10) : 0;
        if (!o->text)
            continue;
        if (*o->text < '0' || *o->text > '9' || *end || n < o->least || n > o->most)
            return pf_complain(verb, "--%s=%s: expected a number from %u to %u", o->name, o->text,
                               o->least, o->most);
        *o->out = (unsigned)n;
    }
    return PF_EXIT_OK;
}

int pf_cli_duration(const char *verb, const char *name, const char *text, uint64_t *ms)
{
    struct pf_error e;
    if (!text || pf_duration_option(name, text, ms, &e) == PF_OK)
        return PF_EXIT_OK;
    return pf_complain(verb, "%s", e.text);
}
