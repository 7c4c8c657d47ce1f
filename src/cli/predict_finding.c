#include "predict_finding.h"
#include "finding_json.h"
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

/* The whole stack, as the recording has it. */
static struct pf_trail stack_of(struct pf_predict_job *j, uint32_t i)
{
    const struct pf_recorded *r = &j->t.recorded;
    const struct pf_recorded_trail *w = &r->trails.at[r->stack.at[i]];
    struct pf_place *p = pf_pool_get(&j->pool, w->n * sizeof *p);
    for (uint32_t k = 0; p && k < w->n; k++) {
        const struct pf_site_info *s = &j->t.sites.at[r->trail_sites.at[w->first + k]];
        const char *file = pf_trace_text(&j->t, s->file);
        p[k] =
            (struct pf_place){.function = s->func == PF_NONE ? NULL : pf_trace_text(&j->t, s->func),
                              .file = *file ? file : NULL,
                              .line = s->line,
                              .column = s->column,
                              .first_line = s->begins};
    }
    return (struct pf_trail){p, p ? w->n : 0};
}

/* Where event i stands in the source; without a site, in the trace. */
static struct pf_trail trail_of(struct pf_predict_job *j, uint32_t i)
{
    if (j->t.recorded.present)
        return stack_of(j, i);
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

static const struct pf_held_locks *held_locks(struct pf_predict_job *j)
{
    if (!j->held)
        j->held = pf_held_locks_make(&j->t, &j->pool);
    return j->held;
}

/* The locks that the thread of event i holds there. */
static void locks_of(struct pf_predict_job *j, uint32_t i, struct pf_access *out)
{
    const struct pf_trace *t = &j->t;
    const uint32_t *acquires = NULL;
    uint32_t n = held_locks(j) ? pf_held_locks_at(j->held, t, i, &acquires) : 0;
    struct pf_lock *held = n ? pf_pool_get(&j->pool, n * sizeof *held) : NULL;
    for (uint32_t k = 0; held && k < n; k++) {
        const struct pf_event *e = &t->events.at[acquires[k]];
        held[k] = (struct pf_lock){.address = pf_event_lock(e) + 1,
                                   .name = pf_trace_text(t, t->locks.at[pf_event_lock(e)]),
                                   .shared = pf_event_shared(e),
                                   .taken = trail_of(j, acquires[k])};
    }
    out->locks = held;
    out->nlocks = held ? n : 0;
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
        if (pf_finding_actor(f, thread))
            continue;
        uint32_t start = held_locks(j) ? j->held->start[thread] : PF_NONE;
        struct pf_actor *a = &actors[f->nactors++];
        *a = (struct pf_actor){.number = thread,
                               .name = pf_trace_text(&j->t, j->t.threads.at[thread])};
        if (start != PF_NONE) {
            a->parent = j->t.events.at[start].thread;
            a->created = trail_of(j, start);
        }
    }
}

/* --- the schedule --- */

enum { MOMENTS = 40, BEFORE = 8 }; /* of the schedule at most; of what comes before it */

static const char *name_of(struct pf_predict_job *j, const struct pf_event *e)
{
    const struct pf_trace *t = &j->t;
    char place[160];
    switch (pf_event_operand[e->kind]) {
    case PF_OPERAND_PLACE:
        pf_trace_place_text(t, e->what, place, sizeof place);
        return pf_pool_text(&j->pool, place, strlen(place));
    case PF_OPERAND_LOCK:
        return pf_trace_text(t, t->locks.at[e->what]);
    case PF_OPERAND_COND:
        return pf_trace_text(t, t->conds.at[e->what]);
    case PF_OPERAND_COND_LOCK:
        return pf_trace_text(t, t->locks.at[e->link]);
    case PF_OPERAND_BARRIER:
        return pf_trace_text(t, t->barriers.at[e->what]);
    case PF_OPERAND_THREAD:
        return pf_trace_text(t, t->threads.at[e->what]);
    case PF_OPERAND_SYNC:
        return pf_trace_text(t, t->syncs.at[e->what]);
    case PF_OPERAND_CALL:
        return pf_trace_text(t, t->calls.at[e->what]);
    default:
        return NULL;
    }
}

static const struct pf_place *place_of(const struct pf_trail *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].file)
            return &t->at[i];
    return NULL;
}

/* An access whose value the trace has. */
static bool has_value(const struct pf_event *e)
{
    return !(e->flags & PF_EF_UNKNOWN) && pf_event_operand[e->kind] == PF_OPERAND_PLACE &&
           e->kind != PF_EV_ALLOC && e->kind != PF_EV_FREE;
}

static void set_value(struct pf_predict_job *j, struct pf_moment *at, uint64_t v)
{
    char value[24];
    snprintf(value, sizeof value, "%llu", (unsigned long long)v);
    at->value = pf_pool_text(&j->pool, value, strlen(value));
}

static void add_moment(struct pf_predict_job *j, struct pf_moment *at, uint32_t i, bool marked,
                       bool as_recorded)
{
    const struct pf_event *e = &j->t.events.at[i];
    struct pf_trail trail = trail_of(j, i);
    const struct pf_place *p = place_of(&trail);
    *at = (struct pf_moment){.thread = e->thread,
                             .op = pf_event_word[e->kind],
                             .name = name_of(j, e),
                             .file = p ? p->file : NULL,
                             .line = p ? p->line : 0,
                             .marked = marked};
    /* What a marked read sees may be another value in another schedule. */
    bool writes = e->kind == PF_EV_WRITE || e->kind == PF_EV_AWRITE;
    if (has_value(e) && (as_recorded || !marked || writes))
        set_value(j, at, e->value);
}

/* Of two accesses one directly after the other, the read sees what was written. */
static void pass_value(struct pf_predict_job *j, struct pf_moment *at, uint32_t write,
                       uint32_t read)
{
    const struct pf_event *w = &j->t.events.at[write], *r = &j->t.events.at[read];
    if ((r->kind == PF_EV_READ || r->kind == PF_EV_AREAD) &&
        (w->kind == PF_EV_WRITE || w->kind == PF_EV_AWRITE) && has_value(w) && w->what == r->what)
        set_value(j, at, w->value);
}

/* Steps that say something to a reader: not what library functions do inside. */
static bool is_shown(const struct pf_predict_job *j, uint32_t i)
{
    const struct pf_event *e = &j->t.events.at[i];
    if (e->kind == PF_EV_BRANCH || e->kind == PF_EV_BEGIN || e->kind == PF_EV_END)
        return false;
    if (!j->t.recorded.present || pf_event_operand[e->kind] != PF_OPERAND_PLACE)
        return true;
    const struct pf_recorded *r = &j->t.recorded;
    uint32_t site = r->trail_sites.at[r->trails.at[r->stack.at[i]].first];
    return *pf_trace_text(&j->t, j->t.sites.at[site].file) != 0;
}

/* The end of a schedule: what was recorded before `start`, the events of `order`, then those of `last`. */
static void add_witness(struct pf_predict_job *j, struct pf_finding *f, uint32_t start,
                        const uint32_t *order, uint32_t norder, const uint32_t *marked, unsigned n,
                        bool last)
{
    struct pf_moment *at = pf_pool_get(&j->pool, (BEFORE + MOMENTS + n) * sizeof *at);
    if (!at)
        return;
    f->witness = at;
    for (uint32_t i = start > BEFORE ? start - BEFORE : 0; i < start && norder < MOMENTS; i++)
        if (is_shown(j, i))
            add_moment(j, &at[f->nwitness++], i, false, false);
    for (uint32_t k = norder > MOMENTS ? norder - MOMENTS : 0; k < norder; k++) {
        bool is_marked = false;
        for (unsigned m = 0; m < n && !last; m++)
            is_marked |= marked[m] == order[k];
        if (is_marked || is_shown(j, order[k]))
            add_moment(j, &at[f->nwitness++], order[k], is_marked, false);
    }
    for (unsigned m = 0; m < n && last; m++) {
        add_moment(j, &at[f->nwitness++], marked[m], true, false);
        if (m)
            pass_value(j, &at[f->nwitness - 1], marked[m - 1], marked[m]);
    }
}

/* The accesses where the recording has them, each with what its threads did just before. */
static void add_recorded(struct pf_predict_job *j, struct pf_finding *f, const uint32_t *marked,
                         unsigned n)
{
    uint32_t sorted[PF_PATTERN_MAX], from = 0;
    struct pf_moment *at = pf_pool_get(&j->pool, n * (BEFORE + 1) * sizeof *at);
    if (!at || n > PF_PATTERN_MAX || !j->t.recorded.present)
        return;
    for (unsigned i = 0; i < n; i++) { /* into the order of the trace */
        unsigned k = i;
        for (; k > 0 && sorted[k - 1] > marked[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = marked[i];
    }
    f->recorded = at;
    for (unsigned i = 0; i < n; from = sorted[i++] + 1) {
        uint32_t before[BEFORE], count = 0;
        for (uint32_t k = sorted[i]; k-- > from && count < BEFORE;) {
            bool involved = false;
            for (unsigned m = 0; m < n; m++)
                involved |= j->t.events.at[k].thread == j->t.events.at[sorted[m]].thread;
            if (involved && is_shown(j, k))
                before[count++] = k;
        }
        while (count > 0)
            add_moment(j, &at[f->nrecorded++], before[--count], false, true);
        add_moment(j, &at[f->nrecorded++], sorted[i], true, true);
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
    /* Both are next at its end; the schedule that was not recorded lets the later one go first. */
    if (a->claim == PF_CLAIM_WITNESSED)
        add_witness(j, f, r->start, r->order, r->norder, (uint32_t[]){r->b, r->a}, 2, true);
    if (a->claim != PF_CLAIM_CANDIDATE)
        add_recorded(j, f, (uint32_t[]){r->a, r->b}, 2);
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
    if (a->witnessed)
        add_witness(j, f, a->start, a->order, a->norder, a->event, p->n, false);
    add_recorded(j, f, a->event, p->n);
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

bool pf_predict_decided(const struct pf_predict_job *j)
{
    bool all = !j->anomalies.search.cut && !j->anomalies.search.skipped && !j->cycles.dropped &&
               !j->t.recorded.cut;
    for (size_t k = 0; k < j->n; k++)
        all &= !j->results[k].window && !j->results[k].unknown && !j->results[k].dropped &&
               !j->results[k].untried && !j->results[k].invalid;
    return all;
}

void pf_predict_json_head(struct pf_text *t, int argc, char **argv, bool complete)
{
    pf_text_char(t, '{');
    pf_json_num(t, "version", 1);
    pf_json_str(t, "tool", "photofinish");
    pf_json_key(t, "command");
    pf_text_add(t, "[\"pf\"");
    for (int i = 0; i < argc; i++) {
        pf_text_char(t, ',');
        pf_text_json(t, argv[i]);
    }
    pf_text_char(t, ']');
    pf_json_bool(t, "complete", complete);
    pf_json_key(t, "findings");
    pf_text_char(t, '[');
}

void pf_predict_json_tail(struct pf_text *t, const struct pf_predict_job *j, uint64_t candidates,
                          uint64_t refuted, uint64_t undecided)
{
    pf_json_key(t, "explored");
    pf_text_char(t, '{');
    pf_json_num(t, "events", j->t.events.len);
    pf_json_num(t, "candidates", candidates);
    pf_json_num(t, "refuted", refuted);
    pf_json_num(t, "undecided", undecided);
    pf_text_add(t, "}}\n");
}
