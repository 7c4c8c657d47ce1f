/* schedule_step.c - see schedule_step.h. */
#include "schedule_step.h"
#include "event_names.h"
#include "pf_event.h"
#include "trace_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_STEPS = 40, /* most steps of the order */
    CONTEXT = 8, /* steps shown before it, or before each of the finding's events */
    AFTER_FIRST = 4, /* later accesses of the finding's memory that are shown: the first ones ... */
    AFTER_LAST = 2, /* ... and the last ones */
    SEARCHED = 1000000 /* most events searched for accesses of the finding's memory */
};

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
    w->previous_write = pf_pool_get(&j->pool, (t->events.len + 1) * sizeof *w->previous_write);
    w->writer = pf_pool_get(&j->pool, (t->cells.len + 1) * sizeof *w->writer);
    w->pass = pf_pool_get(&j->pool, (t->cells.len + 1) * sizeof *w->pass);
    w->as_recorded = pf_pool_get(&j->pool, t->cells.len + 1);
    w->changed = pf_pool_get(&j->pool, t->threads.len + 1);
    memset(last, 0xff, t->cells.len * sizeof *last);
    for (uint32_t i = 0; i < t->events.len; i++) {
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
    return j->last_writes = w;
}

/* --- one step --- */

static const char *place_name(struct pf_predict_job *j, uint32_t i)
{
    const char *variable = pf_event_variable(j, i);
    char place[160];
    if (variable)
        return variable;
    pf_trace_place_text(&j->t, j->t.events.at[i].what, place, sizeof place);
    return pf_pool_text(&j->pool, place, strlen(place));
}

static const char *lock_name(struct pf_predict_job *j, uint32_t lock)
{
    const char *name = pf_event_lock_name(j, lock);
    char text[24];
    if (name)
        return name;
    int n =
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)pf_event_lock_address(j, lock));
    return pf_pool_text(&j->pool, text, (size_t)n);
}

/* A sync object of the runtime has no name: shows the function that uses it, "by write". */
static const char *sync_name(struct pf_predict_job *j, uint32_t i)
{
    const struct pf_trace *t = &j->t;
    uint32_t object = t->events.at[i].what;
    if (pf_trace_object_address(t, PF_ROLE_SYNC, object) - PF_STORE_BASE >= PF_STORE_SIZE)
        return pf_trace_text(t, t->syncs.at[object]);
    struct pf_backtrace stack = pf_predicted_stack(j, i);
    if (!stack.n || !stack.at[0].function || stack.at[0].file)
        return "an object of the runtime";
    char text[120];
    int n = snprintf(text, sizeof text, "by %.100s", stack.at[0].function);
    return pf_pool_text(&j->pool, text, (size_t)n);
}

static const char *name_of(struct pf_predict_job *j, uint32_t i)
{
    const struct pf_trace *t = &j->t;
    const struct pf_event *e = &t->events.at[i];
    switch (pf_event_operand[e->kind]) {
    case PF_OPERAND_PLACE:
        return place_name(j, i);
    case PF_OPERAND_LOCK:
    case PF_OPERAND_COND_LOCK:
        return lock_name(j, pf_event_lock(e));
    case PF_OPERAND_COND:
        return pf_trace_text(t, t->conds.at[e->what]);
    case PF_OPERAND_BARRIER:
        return pf_trace_text(t, t->barriers.at[e->what]);
    case PF_OPERAND_THREAD:
        return pf_trace_text(t, t->threads.at[e->what]);
    case PF_OPERAND_SYNC:
        return sync_name(j, i);
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
    at->from = pf_event_thread_number(j, j->t.events.at[event].thread);
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
    *at = (struct pf_schedule_step){.thread = pf_event_thread_number(j, e->thread),
                                    .op = pf_event_word[e->kind],
                                    .name = name_of(j, i),
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

/* The same for an access of the finding's memory that is not one of its own accesses. */
static void add_related(struct pf_predict_job *j, struct pf_schedule_step *at, uint32_t i)
{
    add_as_recorded(j, at, i, false);
    at->related = true;
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
        if (write != PF_NONE && r->ncells > 1 && t->events.at[write].what != e->what)
            /* it may cover only a part of the memory */
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

/* --- accesses of the finding's memory --- */

static bool overlaps(const struct pf_trace *t, uint32_t a, uint32_t b)
{
    const struct pf_event *x = &t->events.at[a], *y = &t->events.at[b];
    if (!accesses_memory(x) || !accesses_memory(y))
        return false;
    const struct pf_range *p = &t->places.at[x->what], *q = &t->places.at[y->what];
    return p->cell0 < q->cell0 + q->ncells && q->cell0 < p->cell0 + p->ncells;
}

static bool overlaps_any(const struct pf_trace *t, const uint32_t *marked, unsigned n, uint32_t i)
{
    for (unsigned k = 0; k < n; k++)
        if (overlaps(t, marked[k], i))
            return true;
    return false;
}

/* The last access of the memory of event i by its thread before it: what the thread knew. PF_NONE:
 * there is none, or it is too far away. */
static uint32_t access_before(const struct pf_trace *t, uint32_t i)
{
    uint32_t end = i > SEARCHED ? i - SEARCHED : 0;
    for (uint32_t k = i; k-- > end;)
        if (t->events.at[k].thread == t->events.at[i].thread && overlaps(t, i, k))
            return k;
    return PF_NONE;
}

/* Sorts the events into trace order and drops duplicates; returns how many are left. */
static unsigned sort_events(uint32_t *at, unsigned n)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t now = at[i];
        unsigned k = kept;
        bool known = false;
        for (unsigned m = 0; m < kept; m++)
            known |= at[m] == now;
        if (known)
            continue;
        for (; k > 0 && at[k - 1] > now; k--)
            at[k] = at[k - 1];
        at[k] = now;
        kept++;
    }
    return kept;
}

/* Adds to `out` the events before the finding's in which a thread last accessed the same memory,
 * sorted. Returns their number. */
static unsigned related_before(const struct pf_trace *t, const uint32_t *marked, unsigned n,
                               uint32_t *out)
{
    unsigned count = 0;
    for (unsigned k = 0; k < n; k++) {
        uint32_t before = access_before(t, marked[k]);
        if (before != PF_NONE && !is_one_of(marked, n, before))
            out[count++] = before;
    }
    return sort_events(out, count);
}

void pf_schedule_steps_witness(struct pf_predict_job *j, struct pf_finding *f,
                               const struct pf_described_schedule *s)
{
    struct pf_last_writes *w = last_writes(j);
    size_t room = CONTEXT + MAX_STEPS + 2 * s->n;
    struct pf_schedule_step *at = pf_pool_get(&j->pool, room * sizeof *at);
    uint32_t related[PF_PATTERN_MAX];
    if (s->n > PF_PATTERN_MAX)
        return;
    unsigned nrelated = related_before(&j->t, s->marked, s->n, related);
    uint32_t context = s->norder < MAX_STEPS ? CONTEXT : 0;
    context = s->start > context ? s->start - context : 0;
    f->witness = at;
    f->nwitness = 0;
    w->current_pass++;
    memset(w->changed, 0, j->t.threads.len);
    for (unsigned k = 0; k < nrelated; k++)
        if (related[k] < context)
            add_related(j, &at[f->nwitness++], related[k]);
    for (uint32_t i = context; i < s->start; i++)
        if (is_one_of(related, nrelated, i))
            add_related(j, &at[f->nwitness++], i);
        else if (is_shown(j, i))
            add_as_recorded(j, &at[f->nwitness++], i, false);
    for (uint32_t k = 0; k < s->norder; k++) {
        uint32_t i = s->order[k];
        bool marked = !s->marked_follow && !s->stuck && is_one_of(s->marked, s->n, i);
        bool is_related = is_one_of(related, nrelated, i);
        bool shown = marked || is_related || (k + MAX_STEPS >= s->norder && is_shown(j, i));
        struct pf_schedule_step *m = shown && f->nwitness < room ? &at[f->nwitness++] : NULL;
        if (m) {
            begin_step(j, m, i, marked);
            m->related = is_related;
        }
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

/* Adds the accesses of the finding's memory after its last event: they use what it left there. */
static void add_later(struct pf_predict_job *j, struct pf_finding *f, struct pf_schedule_step *at,
                      const uint32_t *marked, unsigned n)
{
    uint32_t last[AFTER_LAST], count = 0, from = marked[n - 1] + 1;
    uint32_t end = (uint32_t)j->t.events.len;
    end = end - from > SEARCHED ? from + SEARCHED : end;
    for (uint32_t i = from; i < end; i++) {
        if (!overlaps_any(&j->t, marked, n, i))
            continue;
        if (count < AFTER_FIRST)
            add_related(j, &at[f->nrecorded++], i);
        else
            last[count % AFTER_LAST] = i;
        count++;
    }
    uint32_t rest = count > AFTER_FIRST ? count - AFTER_FIRST : 0;
    for (uint32_t k = rest < AFTER_LAST ? rest : AFTER_LAST; k > 0; k--)
        add_related(j, &at[f->nrecorded++], last[(count - k) % AFTER_LAST]);
}

void pf_schedule_steps_recorded(struct pf_predict_job *j, struct pf_finding *f,
                                const uint32_t *marked, unsigned n)
{
    uint32_t sorted[PF_PATTERN_MAX], related[PF_PATTERN_MAX], from = 0;
    size_t room = n * (CONTEXT + 2) + AFTER_FIRST + AFTER_LAST;
    struct pf_schedule_step *at = pf_pool_get(&j->pool, room * sizeof *at);
    if (!n || n > PF_PATTERN_MAX || !j->t.recorded.present)
        return;
    memcpy(sorted, marked, n * sizeof *marked);
    n = sort_events(sorted, n);
    unsigned nrelated = related_before(&j->t, sorted, n, related);
    f->recorded = at;
    f->nrecorded = 0;
    for (unsigned i = 0, next = 0; i < n; from = sorted[i++] + 1) {
        uint32_t context[CONTEXT], count = 0;
        for (uint32_t k = sorted[i]; k-- > from && count < CONTEXT;) {
            bool involved = false;
            for (unsigned m = 0; m < n; m++)
                involved |= j->t.events.at[k].thread == j->t.events.at[sorted[m]].thread;
            if (involved && is_shown(j, k) && !is_one_of(related, nrelated, k))
                context[count++] = k;
        }
        for (;;) { /* merge both lists into trace order */
            bool is_related = next < nrelated && related[next] < sorted[i] &&
                              (!count || related[next] < context[count - 1]);
            if (is_related)
                add_related(j, &at[f->nrecorded++], related[next++]);
            else if (count)
                add_as_recorded(j, &at[f->nrecorded++], context[--count], false);
            else
                break;
        }
        add_as_recorded(j, &at[f->nrecorded++], sorted[i], true);
    }
    add_later(j, f, at, sorted, n);
}
