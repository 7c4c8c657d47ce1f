/* race_again.c - see race_again.h. */
#include "race_again.h"
#include "trace_text.h"
#include <string.h>

static uint32_t thread_of(const struct pf_trace *t, uint32_t event)
{
    return t->recorded.thread.at[t->events.at[event].thread];
}

static bool same_position(const struct pf_trace *t, uint32_t x, const struct pf_trace *u,
                          uint32_t y)
{
    const struct pf_site_info *p = &t->sites.at[t->events.at[x].site],
                              *q = &u->sites.at[u->events.at[y].site];
    return p->line == q->line && p->column == q->column &&
           !strcmp(pf_trace_text(t, p->file), pf_trace_text(u, q->file));
}

static bool same_variable(const struct pf_trace *t, uint32_t x, const struct pf_trace *u,
                          uint32_t y)
{
    uint32_t p = t->events.at[x].what, q = u->events.at[y].what;
    char name[2][120];
    pf_trace_place_text(t, p, name[0], sizeof name[0]);
    pf_trace_place_text(u, q, name[1], sizeof name[1]);
    return t->places.at[p].addr == u->places.at[q].addr || !strcmp(name[0], name[1]);
}

/* How well the pairs match; 0: it is another race. */
#define MATCHES 3
static unsigned match_ordered(const struct pf_trace *t, uint32_t a, uint32_t b,
                              const struct pf_trace *u, uint32_t c, uint32_t d)
{
    bool threads = thread_of(t, a) == thread_of(u, c) && thread_of(t, b) == thread_of(u, d);
    unsigned same = (unsigned)same_position(t, a, u, c) + (unsigned)same_position(t, b, u, d);
    if (same == 2)
        return threads ? 3 : 2;
    return same && threads && same_variable(t, a, u, c) ? 1 : 0;
}

static unsigned match(const struct pf_trace *t, uint32_t a, uint32_t b, const struct pf_trace *u,
                      uint32_t c, uint32_t d)
{
    unsigned x = match_ordered(t, a, b, u, c, d), y = match_ordered(t, a, b, u, d, c);
    return x > y ? x : y;
}

void pf_race_again_find(const struct pf_trace *t, uint32_t a, uint32_t b,
                        struct pf_predict_job *job, size_t most, pf_race_list *out)
{
    struct pf_limits limits = pf_limits_default;
    if (!job->n) { /* the first race that is looked for in this recording */
        pf_predict_job_add(job, pf_analysis_find("hb", 2));
        pf_predict_job_run(job, &limits);
    }
    for (unsigned wanted = MATCHES; wanted; wanted--)
        for (size_t i = 0; i < job->results[0].races.len && out->len < most; i++) {
            const struct pf_race *r = &job->results[0].races.at[i];
            if (match(t, a, b, &job->t, r->a, r->b) == wanted)
                pf_vec_push(out, *r);
        }
}
