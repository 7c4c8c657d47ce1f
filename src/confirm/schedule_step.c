/* schedule_step.c - see schedule_step.h. */
#include "schedule_step.h"
#include "trace_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 40, CONTEXT = 8 }; /* most steps of the order; steps shown before it */

/* The last write of each cell. */
struct pf_last_writes {
    /* per event: the last write to one of its cells before it in the trace; PF_NONE: none */
    uint32_t *previous_write;
    uint32_t *writer, *pass; /* per cell: its last write, valid if `pass` is the current one */
    bool *as_recorded; /* per cell: that write stored the same value as in the trace */
    uint32_t current_pass; /* number of the schedule being followed */
    bool *changed; /* per thread: it has read another value than in the trace */
};

static bool accesses_memory(const struct pf_event *e)
{
    return pf_event_operand[e->kind] == PF_OPERAND_PLACE && e->kind != PF_EV_ALLOC;
}

static struct pf_last_writes *last_writes(struct pf_predict_job *j)
{
    const struct pf_trace *t = &j->t;
    if (j->last_writes)
        return j->last_writes;
    struct pf_last_writes *w = pf_pool_get(&j->pool, sizeof *w);
    uint32_t *last = pf_mem_resize(NULL, t->cells.len + 1, sizeof *last);
    if (w) {
        w->previous_write = pf_pool_get(&j->pool, (t->events.len + 1) * sizeof *w->previous_write);
        w->writer = pf_pool_get(&j->pool, (t->cells.len + 1) * sizeof *w->writer);
        w->pass = pf_pool_get(&j->pool, (t->cells.len + 1) * sizeof *w->pass);
        w->as_recorded = pf_pool_get(&j->pool, t->cells.len + 1);
        w->changed = pf_pool_get(&j->pool, t->threads.len + 1);
    }
    bool ok = w && w->previous_write && w->writer && w->pass && w->as_recorded && w->changed;
    memset(last, 0xff, t->cells.len * sizeof *last);
    for (uint32_t i = 0; ok && i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        w->previous_write[i] = PF_NONE;
        if (!accesses_memory(e))
            continue;
        const struct pf_range *r = &t->places.at[e->what];
        for (uint32_t c = r->cell0; c < r->cell0 + r->ncells; c++) {
            if (last[c] != PF_NONE &&
                (w->previous_write[i] == PF_NONE || last[c] > w->previous_write[i]))
                w->previous_write[i] = last[c];
            if (pf_event_writes(e))
                last[c] = i;
        }
    }
    free(last);
    return j->last_writes = ok ? w : NULL;
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

static const struct pf_stack_frame *frame_with_file(const struct pf_backtrace *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].file)
            return &t->at[i];
    return NULL;
}

/* True if it is an access whose value the trace has. */
static bool has_value(const struct pf_event *e)
{
    return !(e->flags & PF_EF_UNKNOWN) && accesses_memory(e) && e->kind != PF_EV_FREE;
}

static void set_value(struct pf_predict_job *j, struct pf_schedule_step *at, uint64_t v)
{
    char value[24];
    snprintf(value, sizeof value, "%llu", (unsigned long long)v);
    at->value = pf_pool_text(&j->pool, value, strlen(value));
}

static void set_from(struct pf_predict_job *j, struct pf_schedule_step *at, uint32_t event)
{
    struct pf_backtrace stack = pf_predicted_stack(j, event);
    const struct pf_stack_frame *p = frame_with_file(&stack);
    at->has_from = true;
    at->from = j->t.events.at[event].thread;
    at->from_file = p ? p->file : NULL;
    at->from_line = p ? p->line : 0;
}

/* Fills in event i without a value. */
static void begin_step(struct pf_predict_job *j, struct pf_schedule_step *at, uint32_t i,
                       bool marked)
{
    const struct pf_event *e = &j->t.events.at[i];
    struct pf_backtrace stack = pf_predicted_stack(j, i);
    const struct pf_stack_frame *p = frame_with_file(&stack);
    *at = (struct pf_schedule_step){.thread = e->thread,
                                    .op = pf_event_word[e->kind],
                                    .name = name_of(j, e),
                                    .file = p ? p->file : NULL,
                                    .line = p ? p->line : 0,
                                    .marked = marked};
}

/* Fills in event i with its recorded value. */
static void add_as_recorded(struct pf_predict_job *j, struct pf_schedule_step *at, uint32_t i,
                            bool marked)
{
    const struct pf_event *e = &j->t.events.at[i];
    const struct pf_last_writes *w = last_writes(j);
    begin_step(j, at, i, marked);
    if (has_value(e))
        set_value(j, at, e->value);
    if (w && pf_event_reads(e) && w->previous_write[i] != PF_NONE &&
        j->t.events.at[w->previous_write[i]].thread != e->thread)
        set_from(j, at, w->previous_write[i]);
}

/* True for steps that are useful to a reader: not accesses inside library functions. */
static bool is_shown(const struct pf_predict_job *j, uint32_t i)
{
    const struct pf_event *e = &j->t.events.at[i];
    if (e->kind == PF_EV_BRANCH || e->kind == PF_EV_BEGIN || e->kind == PF_EV_END)
        return false;
    if (!j->t.recorded.present || pf_event_operand[e->kind] != PF_OPERAND_PLACE)
        return true;
    const struct pf_recorded *r = &j->t.recorded;
    uint32_t site = r->stack_sites.at[r->stacks.at[r->event_stack.at[i]].first];
    return *pf_trace_text(&j->t, j->t.sites.at[site].file) != 0;
}

/* --- along a schedule --- */

/* What a read sees. */
struct seen_value {
    uint32_t write; /* the event that stored it; PF_NONE: unknown, or none */
    bool known, same; /* its value is known; it is the value in the trace */
    uint64_t value;
};

static struct seen_value value_seen(struct pf_predict_job *j, struct pf_last_writes *w,
                                    uint32_t start, uint32_t i)
{
    const struct pf_trace *t = &j->t;
    const struct pf_event *e = &t->events.at[i];
    const struct pf_range *r = &t->places.at[e->what];
    uint32_t write = w->previous_write[i];
    bool as_recorded = true, whole = r->ncells == 1;
    /* not executed yet in this schedule: look further back */
    while (write != PF_NONE && write >= start) {
        write = w->previous_write[write];
        if (write != PF_NONE && t->events.at[write].what != e->what)
            /* it may cover only neighbouring memory */
            return (struct seen_value){.write = PF_NONE};
    }
    for (uint32_t c = r->cell0; c < r->cell0 + r->ncells; c++)
        if (w->pass[c] == w->current_pass) {
            whole &= write == PF_NONE || r->ncells == 1;
            write = w->writer[c];
            as_recorded &= w->as_recorded[c];
        }
    struct seen_value s = {.write = write};
    uint64_t seen =
        e->kind == PF_EV_RMW && !(e->flags & PF_EF_UNKNOWN) ? t->olds.at[e->link] : e->value;
    if (as_recorded && write == w->previous_write[i]) {
        s.known = has_value(e);
        s.value = seen;
        s.same = true;
        return s;
    }
    if (!as_recorded || !whole)
        return s;
    if (write == PF_NONE) {
        s.known = t->cells.at[r->cell0].initial_known;
        s.value = t->cells.at[r->cell0].initial;
    } else
        s.known = pf_trace_cell_value(t, &t->events.at[write], r->cell0, false, &s.value);
    s.same = s.known && has_value(e) && s.value == seen;
    return s;
}

/* Executes event i and updates the last writes. `at` NULL: the step is not shown. */
static void execute(struct pf_predict_job *j, struct pf_last_writes *w, uint32_t start, uint32_t i,
                    struct pf_schedule_step *at)
{
    const struct pf_event *e = &j->t.events.at[i];
    if (!accesses_memory(e))
        return;
    const struct pf_range *r = &j->t.places.at[e->what];
    if (pf_event_reads(e)) {
        struct seen_value s = value_seen(j, w, start, i);
        w->changed[e->thread] |= !s.same;
        if (at && s.known && e->kind != PF_EV_RMW)
            set_value(j, at, s.value);
        if (at && s.write != PF_NONE && j->t.events.at[s.write].thread != e->thread)
            set_from(j, at, s.write);
    }
    bool as_recorded = !w->changed[e->thread];
    if (at && pf_event_writes(e) && as_recorded && has_value(e))
        set_value(j, at, e->value);
    for (uint32_t c = r->cell0; c < r->cell0 + r->ncells && pf_event_writes(e); c++) {
        w->writer[c] = i;
        w->as_recorded[c] = as_recorded;
        w->pass[c] = w->current_pass;
    }
}

static bool is_one_of(const uint32_t *events, unsigned n, uint32_t i)
{
    for (unsigned k = 0; k < n; k++)
        if (events[k] == i)
            return true;
    return false;
}

/* Adds the step of marked event m, which waits for a lock that the thread of another marked
 * event holds. */
static void add_wanted_lock(struct pf_predict_job *j, struct pf_schedule_step *at,
                            const struct pf_described_schedule *s, unsigned m)
{
    const struct pf_event *e = &j->t.events.at[s->marked[m]];
    begin_step(j, at, s->marked[m], true);
    at->op = "wants";
    for (unsigned k = 0; k < s->n; k++) {
        const uint32_t *held = NULL;
        uint32_t n = k == m ? 0 : pf_predicted_held_locks(j, s->marked[k], &held);
        for (uint32_t i = 0; i < n; i++)
            if (pf_event_lock(&j->t.events.at[held[i]]) == pf_event_lock(e))
                set_from(j, at, held[i]);
    }
}

void pf_schedule_steps_witness(struct pf_predict_job *j, struct pf_finding *f,
                               const struct pf_described_schedule *s)
{
    struct pf_last_writes *w = last_writes(j);
    struct pf_schedule_step *at = pf_pool_get(&j->pool, (CONTEXT + MAX_STEPS + s->n) * sizeof *at);
    if (!at || !w)
        return;
    f->witness = at;
    f->nwitness = 0;
    w->current_pass++;
    memset(w->changed, 0, j->t.threads.len);
    for (uint32_t i = s->start > CONTEXT ? s->start - CONTEXT : 0;
         i < s->start && s->norder < MAX_STEPS; i++)
        if (is_shown(j, i))
            add_as_recorded(j, &at[f->nwitness++], i, false);
    for (uint32_t k = 0; k < s->norder; k++) {
        uint32_t i = s->order[k];
        bool marked = !s->marked_follow && !s->stuck && is_one_of(s->marked, s->n, i);
        bool shown = marked || (k + MAX_STEPS >= s->norder && is_shown(j, i));
        struct pf_schedule_step *m = shown ? &at[f->nwitness++] : NULL;
        if (m && f->nwitness > CONTEXT + MAX_STEPS + s->n)
            return;
        if (m)
            begin_step(j, m, i, marked);
        execute(j, w, s->start, i, m);
    }
    for (unsigned m = 0; m < s->n && s->marked_follow; m++) {
        begin_step(j, &at[f->nwitness], s->marked[m], true);
        execute(j, w, s->start, s->marked[m], &at[f->nwitness++]);
    }
    for (unsigned m = 0; m < s->n && s->stuck; m++)
        add_wanted_lock(j, &at[f->nwitness++], s, m);
}

/* --- as recorded --- */

void pf_schedule_steps_recorded(struct pf_predict_job *j, struct pf_finding *f,
                                const uint32_t *marked, unsigned n)
{
    uint32_t sorted[PF_PATTERN_MAX], from = 0;
    struct pf_schedule_step *at = pf_pool_get(&j->pool, n * (CONTEXT + 1) * sizeof *at);
    if (!at || n > PF_PATTERN_MAX || !j->t.recorded.present)
        return;
    for (unsigned i = 0; i < n; i++) { /* sort into trace order */
        unsigned k = i;
        for (; k > 0 && sorted[k - 1] > marked[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = marked[i];
    }
    f->recorded = at;
    f->nrecorded = 0;
    for (unsigned i = 0; i < n; from = sorted[i++] + 1) {
        uint32_t context[CONTEXT], count = 0;
        for (uint32_t k = sorted[i]; k-- > from && count < CONTEXT;) {
            bool involved = false;
            for (unsigned m = 0; m < n; m++)
                involved |= j->t.events.at[k].thread == j->t.events.at[sorted[m]].thread;
            if (involved && is_shown(j, k))
                context[count++] = k;
        }
        while (count > 0)
            add_as_recorded(j, &at[f->nrecorded++], context[--count], false);
        add_as_recorded(j, &at[f->nrecorded++], sorted[i], true);
    }
}
