/*
 * run_trace.c - checks one text trace against the expectations in its comments (README.md).
 */
#include "analysis.h"
#include "deadlock/lock_graph.h"
#include "pecan/pecan.h"
#include "selfcheck.h"
#include "trace_text.h"
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

static int failures;

static void complain(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    failures++;
}

static char *read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(2);
    }
    char *text = NULL;
    size_t n = 0, got;
    do {
        text = pf_mem_resize(text, n + 65537, 1);
        n += got = fread(text + n, 1, 65536, f);
    } while (got);
    fclose(f);
    text[n] = 0;
    *len = n;
    return text;
}

/* Writes the pairs of a result in order, as "1-6 2-7". */
static size_t spell_races(const struct pf_trace *t, const struct pf_result *r, char *out,
                          size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < r->races.len; i++)
        n += (size_t)snprintf(out + n, max - n, "%s%u-%u", i ? " " : "",
                              pf_trace_label(t, r->races.at[i].a),
                              pf_trace_label(t, r->races.at[i].b));
    return n;
}

/* Writes anomalies as "race-rw:1,6 lost-update:2,7,3?"; the question mark means not witnessed. */
static size_t spell_anomalies(const struct pf_trace *t, const struct pf_anomalies *a, char *out,
                              size_t max)
{
    pf_patterns patterns = {0};
    size_t n = 0;
    pf_patterns_builtin(&patterns);
    for (size_t i = 0; i < a->at.len; i++) {
        const struct pf_pattern *p = &patterns.at[a->at.at[i].pattern];
        n += (size_t)snprintf(out + n, max - n, "%s%s:", i ? " " : "", p->name);
        for (unsigned k = 0; k < p->n; k++)
            n += (size_t)snprintf(out + n, max - n, "%s%u", k ? "," : "",
                                  pf_trace_label(t, a->at.at[i].event[k]));
        if (!a->at.at[i].witnessed)
            n += (size_t)snprintf(out + n, max - n, "?");
    }
    pf_vec_release(&patterns);
    return n;
}

/* Writes lock cycles by their acquire events, as "2,6 3,7,9". */
static size_t spell_cycles(const struct pf_trace *t, const struct pf_cycles *c, char *out,
                           size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < c->at.len; i++)
        for (uint32_t k = 0; k < c->at.at[i].n; k++)
            n += (size_t)snprintf(out + n, max - n, "%s%u",
                                  k   ? ","
                                  : i ? " "
                                      : "",
                                  pf_trace_label(t, c->at.at[i].take[k]));
    return n;
}

/* Checks one expectation "want NAME: 1-6 2-7"; `expectation` points behind the word "want". */
static void check_expectation(const struct pf_trace *t, const char *expectation, const char *how)
{
    while (isspace((unsigned char)*expectation))
        expectation++;
    const char *colon = strchr(expectation, ':'), *eol = strchr(expectation, '\n');
    if (!colon || (eol && colon > eol)) {
        complain("'want' without a colon");
        return;
    }
    const struct pf_analysis *a = pf_analysis_find(expectation, (size_t)(colon - expectation));
    if (!a) {
        complain("unknown analysis '%.*s'", (int)(colon - expectation), expectation);
        return;
    }
    char want[4096], got[4096];
    const char *end = strstr(colon, "want ");
    const char *stop = eol ? eol : colon + strlen(colon);
    end = end && end < stop ? end : stop;
    size_t n = 0;
    for (const char *p = colon + 1; p < end && n + 2 < sizeof want; p++)
        if (!isspace((unsigned char)*p)) /* one blank between words, none at the ends */
            want[n++] = *p;
        else if (n && want[n - 1] != ' ')
            want[n++] = ' ';
    while (n && want[n - 1] == ' ')
        n--;
    want[n] = 0;
    struct pf_result r = {0};
    a->run(t, &pf_limits_default, &r);
    n = spell_races(t, &r, got, sizeof got);
    n += spell_anomalies(t, &r.anomalies, got + n, sizeof got - n);
    n += spell_cycles(t, &r.cycles, got + n, sizeof got - n);
    if (!n)
        strcpy(got, "none");
    if (strcmp(want, got))
        complain("%.*s%s: wanted %s, got %s", (int)(colon - expectation), expectation, how, want,
                 got);
    if (r.invalid)
        complain("%.*s%s: %lu witnesses are invalid", (int)(colon - expectation), expectation, how,
                 r.invalid);
    pf_result_release(&r);
}

static int check_expectations(const struct pf_trace *t, const char *text, const char *how)
{
    int expectations = 0;
    for (const char *line = text; *line;) {
        const char *eol = strchr(line, '\n');
        const char *stop = eol ? eol : line + strlen(line);
        const char *p = line;
        if (*line == '#')
            while ((p = strstr(p, "want ")) && p < stop) {
                check_expectation(t, p + 5, how);
                p += 5;
                expectations++;
            }
        line = eol ? eol + 1 : stop;
    }
    return expectations;
}

/* Writes the trace and reads it back: the result must be the same trace. */
static void check_round_trip(const struct pf_trace *t, const char *text, bool std)
{
    char *copy = NULL;
    size_t len = 0;
    struct pf_error err;
    struct pf_error e;
    FILE *f = open_memstream(&copy, &len);
    bool ok = true;
    if (std)
        ok = pf_trace_write_std(t, f, &e) == PF_OK;
    else
        pf_trace_write_text(t, f);
    fclose(f);
    struct pf_trace back;
    pf_trace_init(&back);
    if (ok) {
        if ((std ? pf_trace_read_std(&back, "copy", copy, len, &e)
                 : pf_trace_read_text(&back, "copy", copy, len, &e)) != PF_OK)
            complain("the written trace cannot be read: %s", e.text);
        else if (pf_trace_check(&back, NULL, &err) != PF_OK)
            complain("the written trace is inconsistent: %s", err.text);
        else if (back.events.len != t->events.len)
            complain("the written trace has %zu events", back.events.len);
        else if (!std)
            check_expectations(&back, text, " (read back)");
        else
            for (size_t i = 0; i < t->events.len; i++)
                if (back.events.at[i].kind != t->events.at[i].kind ||
                    back.events.at[i].thread != t->events.at[i].thread)
                    complain("event %zu changed in the STD form", i + 1);
    }
    pf_trace_release(&back);
    free(copy);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: run_trace FILE\n");
        return 2;
    }
    size_t len;
    char *text = read_file(argv[1], &len);
    struct pf_trace t;
    struct pf_error err;
    struct pf_error e;
    pf_trace_init(&t);
    bool read = pf_trace_read_text(&t, argv[1], text, len, &e) == PF_OK;
    bool ok = read && pf_trace_check(&t, NULL, &err) == PF_OK;
    const char *why = read ? err.text : e.text;
    const char *refused = strstr(text, "# refused: ");
    if (refused) {
        refused += strlen("# refused: ");
        char want[240];
        snprintf(want, sizeof want, "%.*s", (int)strcspn(refused, "\n"), refused);
        if (ok)
            complain("should be refused: %s", want);
        else if (!strstr(why, want))
            complain("refused with '%s', wanted '%s'", why, want);
    } else if (!ok)
        complain("%s", why);
    else {
        if (!check_expectations(&t, text, ""))
            complain("the trace has no expectation");
        check_round_trip(&t, text, false);
        check_round_trip(&t, text, true);
    }
    pf_trace_release(&t);
    free(text);
    return failures ? 1 : 0;
}
