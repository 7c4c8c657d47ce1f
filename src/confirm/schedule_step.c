#include "schedule_step.h"
#include "text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOMENTS = 40, BEFORE = 8 }; /* of the schedule at most; of what comes before it */

/* Who wrote what, last. */
struct pf_flow {
    uint32_t *
        before; /* per event: the last write of one of its cells before it in the trace; PF_NONE: none */
    uint32_t *writer, *turn; /* per cell: the last write of the schedule number `turn` */
    bool *sure; /* per cell: that write stored what it did in the trace */
    uint32_t now; /* number of the schedule */
    bool *changed; /* per thread: it has seen another value than in the trace */
};

static bool touches(const struct pf_event *e)
{
    return pf_event_operand[e->kind] == PF_OPERAND_PLACE && e->kind != PF_EV_ALLOC;
}

static struct pf_flow *flow_of(struct pf_predict_job *j)
{
    const struct pf_trace *t = &j->t;
    if (j->flow)
        return j->flow;
    struct pf_flow *w = pf_pool_get(&j->pool, sizeof *w);
    uint32_t *last = pf_mem_resize(NULL, t->cells.len + 1, sizeof *last);
    if (w) {
        w->before = pf_pool_get(&j->pool, (t->events.len + 1) * sizeof *w->before);
        w->writer = pf_pool_get(&j->pool, (t->cells.len + 1) * sizeof *w->writer);
        w->turn = pf_pool_get(&j->pool, (t->cells.len + 1) * sizeof *w->turn);
        w->sure = pf_pool_get(&j->pool, t->cells.len + 1);
        w->changed = pf_pool_get(&j->pool, t->threads.len + 1);
    }
    bool ok = w && w->before && w->writer && w->turn && w->sure && w->changed;
    memset(last, 0xff, t->cells.len * sizeof *last);
    for (uint32_t i = 0; ok && i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        w->before[i] = PF_NONE;
        if (!touches(e))
            continue;
        const struct pf_range *r = &t->places.at[e->what];
        for (uint32_t c = r->cell0; c < r->cell0 + r->ncells; c++) {
            if (last[c] != PF_NONE && (w->before[i] == PF_NONE || last[c] > w->before[i]))
                w->before[i] = last[c];
            if (pf_event_writes(e))
                last[c] = i;
        }
    }
    free(last);
    return j->flow = ok ? w : NULL;
}

/* --- one step --- */

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
    return !(e->flags & PF_EF_UNKNOWN) && touches(e) && e->kind != PF_EV_FREE;
}

static void set_value(struct pf_predict_job *j, struct pf_moment *at, uint64_t v)
{
    char value[24];
    snprintf(value, sizeof value, "%llu", (unsigned long long)v);
    at->value = pf_pool_text(&j->pool, value, strlen(value));
}

static void set_from(struct pf_predict_job *j, struct pf_moment *at, uint32_t event)
{
    struct pf_trail trail = pf_predict_trail(j, event);
    const struct pf_place *p = place_of(&trail);
    at->handed = true;
    at->from = j->t.events.at[event].thread;
    at->from_file = p ? p->file : NULL;
    at->from_line = p ? p->line : 0;
}

/* Event i with no value yet. */
static void begin_moment(struct pf_predict_job *j, struct pf_moment *at, uint32_t i, bool marked)
{
    const struct pf_event *e = &j->t.events.at[i];
    struct pf_trail trail = pf_predict_trail(j, i);
    const struct pf_place *p = place_of(&trail);
    *at = (struct pf_moment){.thread = e->thread,
                             .op = pf_event_word[e->kind],
                             .name = name_of(j, e),
                             .file = p ? p->file : NULL,
                             .line = p ? p->line : 0,
                             .marked = marked};
}

/* Event i as the trace has it. */
static void add_as_recorded(struct pf_predict_job *j, struct pf_moment *at, uint32_t i, bool marked)
{
    const struct pf_event *e = &j->t.events.at[i];
    const struct pf_flow *w = flow_of(j);
    begin_moment(j, at, i, marked);
    if (has_value(e))
        set_value(j, at, e->value);
    if (w && pf_event_reads(e) && w->before[i] != PF_NONE &&
        j->t.events.at[w->before[i]].thread != e->thread)
        set_from(j, at, w->before[i]);
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

/* --- along a schedule --- */

/* What a read sees. */
struct sight {
    uint32_t write; /* the event that stored it; PF_NONE: not known, or nobody */
    bool known, same; /* its value is; it is that of the trace */
    uint64_t value;
};

static struct sight sight_of(struct pf_predict_job *j, struct pf_flow *w, uint32_t start,
                             uint32_t i)
{
    const struct pf_trace *t = &j->t;
    const struct pf_event *e = &t->events.at[i];
    const struct pf_range *r = &t->places.at[e->what];
    uint32_t write = w->before[i];
    bool sure = true, whole = r->ncells == 1;
    while (write != PF_NONE && write >= start) { /* it has not happened, but for what follows */
        write = w->before[write];
        if (write != PF_NONE && t->events.at[write].what != e->what)
            return (struct sight){.write = PF_NONE}; /* perhaps of other memory beside it */
    }
    for (uint32_t c = r->cell0; c < r->cell0 + r->ncells; c++)
        if (w->turn[c] == w->now) {
            whole &= write == PF_NONE || r->ncells == 1;
            write = w->writer[c];
            sure &= w->sure[c];
        }
    struct sight s = {.write = write};
    uint64_t seen =
        e->kind == PF_EV_RMW && !(e->flags & PF_EF_UNKNOWN) ? t->olds.at[e->link] : e->value;
    if (sure && write == w->before[i]) {
        s.known = has_value(e);
        s.value = seen;
        s.same = true;
        return s;
    }
    if (!sure || !whole)
        return s;
    if (write == PF_NONE) {
        s.known = t->cells.at[r->cell0].initial_known;
        s.value = t->cells.at[r->cell0].initial;
    } else
        s.known = pf_trace_cell_value(t, &t->events.at[write], r->cell0, false, &s.value);
    s.same = s.known && has_value(e) && s.value == seen;
    return s;
}

/* Event i happens: what others will see. `at` NULL: it is not shown. */
static void follow(struct pf_predict_job *j, struct pf_flow *w, uint32_t start, uint32_t i,
                   struct pf_moment *at)
{
    const struct pf_event *e = &j->t.events.at[i];
    if (!touches(e))
        return;
    const struct pf_range *r = &j->t.places.at[e->what];
    if (pf_event_reads(e)) {
        struct sight s = sight_of(j, w, start, i);
        w->changed[e->thread] |= !s.same;
        if (at && s.known && e->kind != PF_EV_RMW)
            set_value(j, at, s.value);
        if (at && s.write != PF_NONE && j->t.events.at[s.write].thread != e->thread)
            set_from(j, at, s.write);
    }
    bool sure = !w->changed[e->thread];
    if (at && pf_event_writes(e) && sure && has_value(e))
        set_value(j, at, e->value);
    for (uint32_t c = r->cell0; c < r->cell0 + r->ncells && pf_event_writes(e); c++) {
        w->writer[c] = i;
        w->sure[c] = sure;
        w->turn[c] = w->now;
    }
}

static bool is_one_of(const uint32_t *events, unsigned n, uint32_t i)
{
    for (unsigned k = 0; k < n; k++)
        if (events[k] == i)
            return true;
    return false;
}

/* The lock that marked event m waits for is held by another one of them. */
static void add_stuck(struct pf_predict_job *j, struct pf_moment *at, const struct pf_told *s,
                      unsigned m)
{
    const struct pf_event *e = &j->t.events.at[s->marked[m]];
    begin_moment(j, at, s->marked[m], true);
    at->op = "wants";
    for (unsigned k = 0; k < s->n; k++) {
        const uint32_t *held = NULL;
        uint32_t n = k == m ? 0 : pf_predict_held(j, s->marked[k], &held);
        for (uint32_t i = 0; i < n; i++)
            if (pf_event_lock(&j->t.events.at[held[i]]) == pf_event_lock(e))
                set_from(j, at, held[i]);
    }
}

void pf_moments_schedule(struct pf_predict_job *j, struct pf_finding *f, const struct pf_told *s)
{
    struct pf_flow *w = flow_of(j);
    struct pf_moment *at = pf_pool_get(&j->pool, (BEFORE + MOMENTS + s->n) * sizeof *at);
    if (!at || !w)
        return;
    f->witness = at;
    f->nwitness = 0;
    w->now++;
    memset(w->changed, 0, j->t.threads.len);
    for (uint32_t i = s->start > BEFORE ? s->start - BEFORE : 0;
         i < s->start && s->norder < MOMENTS; i++)
        if (is_shown(j, i))
            add_as_recorded(j, &at[f->nwitness++], i, false);
    for (uint32_t k = 0; k < s->norder; k++) {
        uint32_t i = s->order[k];
        bool marked = !s->apart && !s->stuck && is_one_of(s->marked, s->n, i);
        bool shown = marked || (k + MOMENTS >= s->norder && is_shown(j, i));
        struct pf_moment *m = shown ? &at[f->nwitness++] : NULL;
        if (m && f->nwitness > BEFORE + MOMENTS + s->n)
            return;
        if (m)
            begin_moment(j, m, i, marked);
        follow(j, w, s->start, i, m);
    }
    for (unsigned m = 0; m < s->n && s->apart; m++) {
        begin_moment(j, &at[f->nwitness], s->marked[m], true);
        follow(j, w, s->start, s->marked[m], &at[f->nwitness++]);
    }
    for (unsigned m = 0; m < s->n && s->stuck; m++)
        add_stuck(j, &at[f->nwitness++], s, m);
}

/* --- as recorded --- */

void pf_moments_recorded(struct pf_predict_job *j, struct pf_finding *f, const uint32_t *marked,
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
    f->nrecorded = 0;
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
            add_as_recorded(j, &at[f->nrecorded++], before[--count], false);
        add_as_recorded(j, &at[f->nrecorded++], sorted[i], true);
    }
}
