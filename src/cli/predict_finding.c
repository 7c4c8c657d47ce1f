#include "predict_finding.h"
#include "fingerprint.h"
#include "text.h"
#include <stdio.h>
#include <string.h>

static enum pf_op op_of(const struct pf_event *e)
{
    switch (e->kind) {
    case PF_EV_READ:
        return PF_OP_READ;
    case PF_EV_AREAD:
        return PF_OP_ATOMIC_READ;
    case PF_EV_AWRITE:
    case PF_EV_RMW:
        return PF_OP_ATOMIC_WRITE;
    case PF_EV_FREE:
        return PF_OP_FREE;
    default:
        return PF_OP_WRITE;
    }
}

static char *format(struct pf_pool *pool, const char *fmt, const char *s, uint32_t n)
{
    char text[256];
    int len = snprintf(text, sizeof text, fmt, s, n);
    return pf_pool_text(pool, text, len < (int)sizeof text ? (size_t)len : sizeof text - 1);
}

/* Where event i stands in the source; without a site, in the trace. */
static struct pf_trail trail_of(struct pf_predict_job *j, uint32_t i)
{
    const struct pf_site_info *s = &j->t.sites.at[j->t.events.at[i].site];
    const char *file = pf_trace_text(&j->t, s->file);
    struct pf_place *p = pf_pool_get(&j->pool, sizeof *p);
    if (!p)
        return (struct pf_trail){0};
    p->function = format(&j->pool, "%sevent %u", "", pf_trace_label(&j->t, i));
    p->file = *file ? file : j->path;
    p->line = s->line;
    return (struct pf_trail){p, 1};
}

/* The locks that the thread of event i holds there. */
static void locks_of(struct pf_predict_job *j, uint32_t i, struct pf_access *out)
{
    const struct pf_trace *t = &j->t;
    struct pf_lock *held = pf_pool_get(&j->pool, (t->locks.len + 1) * sizeof *held);
    size_t n = 0;
    for (uint32_t k = 0; held && k < i; k++) {
        const struct pf_event *e = &t->events.at[k];
        if (e->thread != t->events.at[i].thread)
            continue;
        uint32_t lock = pf_event_acquires(e) || pf_event_releases(e) ? pf_event_lock(e) : PF_NONE;
        if (pf_event_acquires(e))
            held[n++] = (struct pf_lock){.address = lock + 1,
                                         .name = pf_trace_text(t, t->locks.at[lock]),
                                         .shared = pf_event_shared(e),
                                         .taken = trail_of(j, k)};
        else if (pf_event_releases(e))
            for (size_t h = 0; h < n; h++)
                if (held[h].address == lock + 1)
                    held[h--] = held[--n];
    }
    out->locks = held;
    out->nlocks = n;
}

static void access_of(struct pf_predict_job *j, uint32_t i, struct pf_access *out)
{
    const struct pf_event *e = &j->t.events.at[i];
    char place[160];
    pf_trace_place_text(&j->t, e->what, place, sizeof place);
    *out = (struct pf_access){.thread = e->thread,
                              .op = op_of(e),
                              .size = j->t.places.at[e->what].size,
                              .address = j->t.places.at[e->what].addr,
                              .variable = pf_pool_text(&j->pool, place, strlen(place)),
                              .trail = trail_of(j, i)};
    locks_of(j, i, out);
}

/* The threads of the accesses, each once. */
static void add_actors(struct pf_predict_job *j, struct pf_finding *f)
{
    size_t n = pf_finding_naccesses(f);
    struct pf_actor *actors = pf_pool_get(&j->pool, n * sizeof *actors);
    for (size_t i = 0; actors && i < n; i++) {
        uint32_t thread = pf_finding_access(f, i)->thread;
        f->actors = actors;
        if (!pf_finding_actor(f, thread))
            actors[f->nactors++] = (struct pf_actor){
                .number = thread, .name = pf_trace_text(&j->t, j->t.threads.at[thread])};
    }
}

void pf_predict_race(struct pf_predict_job *j, size_t k, const struct pf_race *r,
                     struct pf_finding *f)
{
    const struct pf_analysis *a = j->analyses[k];
    *f = (struct pf_finding){.kind = PF_KIND_RACE,
                             .analysis = a->name,
                             .count = 1,
                             .status = a->claim == PF_CLAIM_OBSERVED ? PF_STATUS_OBSERVED
                                                                     : PF_STATUS_PREDICTED};
    access_of(j, r->b, &f->access[0]);
    access_of(j, r->a, &f->access[1]);
    add_actors(j, f);
    f->id = pf_fingerprint(f);
}

void pf_predict_anomaly(struct pf_predict_job *j, const struct pf_anomaly *a, struct pf_finding *f)
{
    static const enum pf_kind kinds[] = {[PF_PATTERN_RACE] = PF_KIND_RACE,
                                         [PF_PATTERN_ATOMICITY] = PF_KIND_ATOMICITY,
                                         [PF_PATTERN_ATOMIC_SET] = PF_KIND_ATOMIC_SET};
    const struct pf_pattern *p = &j->patterns.at[a->pattern];
    *f = (struct pf_finding){
        .kind = kinds[p->kind], .analysis = "pecan", .count = 1, .status = PF_STATUS_PREDICTED};
    if (p->kind == PF_PATTERN_RACE && p->n == 2) {
        access_of(j, a->event[1], &f->access[0]);
        access_of(j, a->event[0], &f->access[1]);
    } else {
        struct pf_access *steps = pf_pool_get(&j->pool, p->n * sizeof *steps);
        for (unsigned i = 0; steps && i < p->n; i++)
            access_of(j, a->event[i], &steps[i]);
        f->steps = steps;
        f->nsteps = steps ? p->n : 0;
    }
    add_actors(j, f);
    f->id = pf_fingerprint(f);
}

void pf_predict_cycle(struct pf_predict_job *j, const struct pf_cycle *c, struct pf_finding *f)
{
    *f = (struct pf_finding){.kind = PF_KIND_DEADLOCK,
                             .analysis = "deadlock",
                             .count = 1,
                             .status = PF_STATUS_PREDICTED};
    struct pf_access *steps = pf_pool_get(&j->pool, c->n * sizeof *steps);
    for (uint32_t i = 0; steps && i < c->n; i++) {
        const struct pf_event *e = &j->t.events.at[c->take[i]];
        steps[i] = (struct pf_access){.thread = e->thread,
                                      .op = PF_OP_LOCK,
                                      .address = e->what + 1,
                                      .variable = pf_trace_text(&j->t, j->t.locks.at[e->what]),
                                      .trail = trail_of(j, c->take[i])};
        locks_of(j, c->take[i], &steps[i]);
    }
    f->steps = steps;
    f->nsteps = steps ? c->n : 0;
    add_actors(j, f);
    f->id = pf_fingerprint(f);
}
