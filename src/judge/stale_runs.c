/* stale_runs.c - see stale_runs.h. */
#define _GNU_SOURCE
#include "stale_runs.h"
#include "evidence.h"
#include "memory_model_name.h"
#include <stdio.h>
#include <string.h>

#define BATCH 32 /* runs from one checkpoint */
#define MORE_CONTROL 10 /* runs of each order that are added to the control group at a time */

typedef PF_VEC(struct pf_judge_wish) wish_list;

struct stale_search {
    struct pf_judge_runs *sc; /* the control group */
    struct pf_judge_runs runs; /* the last batch */
    struct pf_verdict *out;
    wish_list queue;
    size_t next; /* of the queue */
    unsigned made, forgotten;
    bool failed; /* a batch could not be run */
};

/* --- the choices --- */

/* Queues a run for every other option of the choices that this run made beyond those that it was
 * given. */
static void queue_others(struct stale_search *s, const struct pf_judge_wish *wish,
                         const struct pf_judge_run *r)
{
    for (uint32_t i = wish->nchoices; i < r->run.nmade && i < PF_MEMORY_CHOICES; i++)
        for (uint32_t v = 1; v < r->run.options[i]; v++) {
            struct pf_judge_wish other = *wish;
            memcpy(other.choice, r->run.made, i);
            other.choice[i] = (uint8_t)v;
            other.nchoices = i + 1;
            pf_vec_push(&s->queue, other);
        }
}

static bool is_stale(const struct pf_judge_run *r)
{
    for (uint32_t i = 0; i < r->run.nmade; i++)
        if (r->run.made[i])
            return true;
    return false;
}

/* --- the control group --- */

static bool is_sc_result(const struct stale_search *s, const struct pf_judge_run *r)
{
    if (*r->failure)
        return pf_judge_runs_failed(s->sc, false, r) || pf_judge_runs_failed(s->sc, true, r);
    for (size_t i = 0; i < s->sc->at.len; i++)
        if (s->sc->at.at[i].run.ran && pf_judge_runs_same(&s->sc->at.at[i], r))
            return true;
    return pf_judge_runs_in_control(s->sc, r);
}

/* True if a sequentially consistent run has the same result, perhaps one that is made now. */
static bool found_in_control(struct stale_search *s, const struct pf_judge_run *r)
{
    const struct pf_judge_settings *how = s->sc->how;
    struct pf_error e;
    while (!is_sc_result(s, r)) {
        unsigned have = pf_judge_runs_count(s->sc, false);
        struct pf_judge_wish more[] = {
            {.n = MORE_CONTROL, .seed = 1000 + have},
            {.alternate = true, .n = MORE_CONTROL, .seed = 1000 + have},
        };
        if (how->as_paper || have >= how->control ||
            pf_judge_runs_add(s->sc, more, 2, &e) != PF_OK ||
            pf_judge_runs_count(s->sc, false) == have)
            return false;
    }
    return true;
}

static bool output_varies(const struct pf_judge_runs *sc)
{
    return pf_judge_runs_vary(pf_judge_runs_single(sc), pf_judge_runs_count(sc, false));
}

/* --- the decision --- */

static void take_result(struct stale_search *s, const struct pf_judge_run *r)
{
    enum pf_judge_class class = *r->failure ? PF_JUDGED_SPEC_VIOLATED : PF_JUDGED_OUTPUT_DIFFERS;
    const char *model = pf_memory_model_name(s->runs.memory.model);
    char what[300];
    bool blamed = r->run.ran && is_stale(r) && !r->run.order.limited && class < s->out->class;
    if (!blamed || found_in_control(s, r) || s->sc->race->clock->cut ||
        (!*r->failure && output_varies(s->sc)))
        return;
    s->out->class = class;
    s->out->k = 0;
    s->out->memory = model;
    snprintf(what, sizeof what, "%s", "the output differs from that of every other run");
    pf_evidence_memory(s->out, s->sc->race, s->sc->at.len ? &s->sc->at.at[0] : NULL, r, model, what,
                       sizeof what);
    snprintf(s->out->reason, sizeof s->out->reason, "only with memory model %s: %s", model, what);
}

static void run_batch(struct stale_search *s)
{
    struct pf_judge_wish wishes[BATCH];
    struct pf_error e;
    size_t n = 0;
    unsigned left = s->sc->how->stale_runs - s->made;
    for (; n < BATCH && n < left && s->next < s->queue.len; n++)
        wishes[n] = s->queue.at[s->next++];
    pf_judge_runs_clear(&s->runs);
    s->failed |= pf_judge_runs_add(&s->runs, wishes, n, &e) != PF_OK;
    for (size_t i = 0; i < n && i < s->runs.at.len; i++) {
        const struct pf_judge_run *r = &s->runs.at.at[i];
        s->made++;
        s->forgotten += r->run.forgotten;
        s->failed |= !r->run.ran;
        if (!r->run.ran)
            continue;
        queue_others(s, &wishes[i], r);
        take_result(s, r);
    }
}

static void add_summary(struct stale_search *s)
{
    size_t open = s->queue.len - s->next;
    const char *model = pf_memory_model_name(s->runs.memory.model);
    char text[300];
    int n = snprintf(text, sizeof text, "%s: %u run%s", model, s->made, s->made == 1 ? "" : "s");
    if (open)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      ", at least %zu further choices not explored", open);
    else
        n += snprintf(text + n, sizeof text - (size_t)n,
                      ", all choices under these schedules explored");
    if (s->failed)
        n += snprintf(text + n, sizeof text - (size_t)n, ", some runs could not be made");
    if (s->forgotten)
        n += snprintf(text + n, sizeof text - (size_t)n, ", the oldest values were forgotten");
    if (s->runs.memory.model == PF_MEMORY_WEAK)
        snprintf(text + n, sizeof text - (size_t)n, "; stores were never delayed");
    pf_evidence_text(s->out, "memory", text);
}

/* Only reads of the memory of the race may return older values: from the first byte of the two
 * accesses to the last one. */
static void limit_to_race(const struct pf_judge_case *race, struct pf_memory_settings *m)
{
    const struct pf_trace *t = race->t;
    const struct pf_range *x = &t->places.at[t->events.at[race->a].what];
    const struct pf_range *y = &t->places.at[t->events.at[race->b].what];
    uint64_t end = x->addr + x->size > y->addr + y->size ? x->addr + x->size : y->addr + y->size;
    m->address = x->addr < y->addr ? x->addr : y->addr;
    m->size = end - m->address;
}

void pf_stale_runs_judge(struct pf_judge_runs *sc, bool enforced, struct pf_verdict *out)
{
    const struct pf_judge_settings *how = sc->how;
    struct stale_search s = {.sc = sc, .out = out};
    s.runs = (struct pf_judge_runs){.how = how, .race = sc->race, .hold_from = sc->hold_from};
    s.runs.memory.model = how->memory;
    s.runs.memory.bound = how->as_paper;
    if (!how->as_paper)
        limit_to_race(sc->race, &s.runs.memory);
    for (unsigned alternate = 0; alternate <= enforced; alternate++) {
        pf_vec_push(&s.queue,
                    (struct pf_judge_wish){.alternate = alternate, .recorded = true, .n = 1});
        for (unsigned i = 0; i < how->schedules; i++)
            pf_vec_push(&s.queue,
                        (struct pf_judge_wish){.alternate = alternate, .n = 1, .seed = 1 + i});
    }
    while (s.next < s.queue.len && s.made < how->stale_runs && !s.failed &&
           out->class != PF_JUDGED_SPEC_VIOLATED && !pf_judge_clock_cuts(sc->race->clock))
        run_batch(&s);
    if (s.made && out->class > PF_JUDGED_OUTPUT_DIFFERS)
        out->memory = pf_memory_model_name(how->memory);
    if (s.made)
        add_summary(&s);
    pf_judge_runs_clear(&s.runs);
    pf_vec_release(&s.queue);
}
