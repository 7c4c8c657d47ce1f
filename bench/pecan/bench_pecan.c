/*
 * bench_pecan.c - measures PECAN's search and schedule generation on a trace in text form.
 *
 *     bench_pecan TRACE      prints: threads shared-variables events search-ms matches
 *                            schedule-ms (each)
 *
 * Shared variables are locations that several threads access, at least one of them with a write.
 */
#include "pecan/reschedule.h"
#include "pecan/search.h"
#include "trace_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

struct match {
    uint32_t pattern, event[PF_PATTERN_MAX];
};
static PF_VEC(struct match) matches;
static const pf_patterns *all;

static enum pf_match_answer keep(void *arg, const struct pf_pattern_match *match)
{
    struct match m = {.pattern = match->pattern};
    (void)arg;
    memcpy(m.event, match->event, all->at[match->pattern].n * sizeof *match->event);
    pf_vec_push(&matches, m);
    return PF_MATCH_ACCEPTED;
}

static uint32_t shared_places(const struct pf_trace *t)
{
    uint32_t n = 0, *first = calloc(t->places.len + 1, sizeof *first);
    unsigned char *state = calloc(t->places.len + 1, 1); /* 1: several threads, 2: written */
    for (size_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (pf_event_class[e->kind] != PF_CLASS_ACCESS)
            continue;
        if (!first[e->what])
            first[e->what] = e->thread + 1u;
        state[e->what] |= first[e->what] != e->thread + 1u;
        state[e->what] |= e->kind == PF_EV_READ || e->kind == PF_EV_AREAD ? 0 : 2;
    }
    for (size_t i = 0; i < t->places.len; i++)
        n += state[i] == 3;
    free(first);
    free(state);
    return n;
}

static char *read_all(const char *path, size_t *n)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*n + 1);
    *n = fread(text, 1, *n, f);
    text[*n] = 0;
    fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    struct pf_trace t;
    struct pf_error e;
    size_t n = 0;
    char *text = argc == 2 ? read_all(argv[1], &n) : NULL;
    pf_trace_init(&t);
    if (!text || pf_trace_read_text(&t, argv[1], text, n, &e) != PF_OK) {
        fprintf(stderr, "bench_pecan: %s\n", text ? e.text : "one readable trace, please");
        return 2;
    }
    pf_patterns patterns = {0};
    struct pf_partial_order g;
    struct pf_units w;
    struct pf_trace_index x;
    struct pf_rescheduler s;
    struct pf_pattern_search_result result = {0};
    pf_patterns_builtin(&patterns);
    all = &patterns;
    double start = now_ms();
    pf_partial_order_init(&g, &t);
    pf_units_init(&w, &g, NULL);
    pf_pattern_search(&w, &patterns, NULL, keep, NULL, &result);
    double searched = now_ms() - start;
    pf_trace_index_init(&x, &t, t.has_calls ? PF_MISSING_RDIT : PF_MISSING_IGNORE);
    pf_rescheduler_init(&s, &g, &x);
    start = now_ms();
    uint32_t made = 0;
    for (size_t i = 0; i < matches.len; i++)
        made += pf_rescheduler_run(&s, &patterns.at[matches.at[i].pattern], matches.at[i].event);
    double scheduled = now_ms() - start;
    printf("%zu %u %zu %.3f %zu %.3f %u\n", t.threads.len, shared_places(&t), t.events.len,
           searched, matches.len, matches.len ? scheduled / (double)matches.len : 0, made);
    return 0;
}
