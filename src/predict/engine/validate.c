/*
 * validate.c - a machine that executes a schedule and rejects impossible steps.
 *
 * The state at `start` comes from executing the trace itself. Each witness is executed on top of
 * that state and then undone, so one pass over the trace serves all witnesses.
 *
 * Most rules say that some event f must have run before a later event i. Each thread runs its
 * events in order. So in every other thread, the events before i that have not run are those from
 * the thread's next event up to i. Only these are compared with i.
 */
#include "validate_calls.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Most comparisons for one witness; they take some seconds. */
#define WORK_MAX (1u << 25)

struct validated_memory {
    uint32_t writer; /* event; PF_NONE: not written yet */
    bool wrong;      /* stored by a thread that had seen a wrong value */
    bool overwritten;       /* a missing call may have stored another value since */
};
struct undo {
    uint32_t cell;
    struct validated_memory old;
};
struct held_lock {
    uint32_t lock, thread;
    bool shared;
};
struct machine {
    const struct pf_trace *t;
    uint32_t *when;  /* per event: 1 + the step in which it ran, 0: not yet */
    uint32_t *next;  /* per event: next event of its thread */
    uint32_t *ready; /* per thread: its next event */
    uint32_t *fork;  /* per thread: the event that forks it */
    pf_vec_u32 waits; /* pairs (wake, its wait), sorted by wake */
    uint32_t *source; /* per cell of each read: the write seen in the trace */
    uint32_t *source_at; /* per event: start of its cells in `source` */
    uint32_t *writes, *writes_at; /* per cell: the events that write it, in trace order */
    uint32_t *alloc;              /* per block: the event that allocates it; PF_NONE: none */
    struct pf_validate_calls calls;
    uint32_t *misled;   /* per thread: 1 + a read that saw a wrong value, 0: none */
    struct validated_memory *cells;
    PF_VEC(struct held_lock) held;
    bool *changed;           /* per cell: the witness has changed it */
    PF_VEC(struct undo) log; /* the cells that it has changed, as they were before */
    pf_vec_u32 ran;  /* events of the witness that have run */
    uint32_t step, start, farthest; /* farthest: 1 + the last event of the witness */
    struct pf_stop *stop;
    uint64_t work; /* comparisons made for this witness */
    bool gave_up;  /* the check of this witness ended early */
    struct pf_error *why;
};

static bool fail(struct machine *m, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(m->why->text, sizeof m->why->text, fmt, ap);
    va_end(ap);
    return false;
}

static const struct pf_event *at(const struct machine *m, uint32_t i)
{
    return &m->t->events.at[i];
}
static bool ran(const struct machine *m, uint32_t i) { return m->when[i]; }

/* Counts one comparison. False: this witness takes too long. */
static bool may_compare(struct machine *m)
{
    m->gave_up |= ++m->work > WORK_MAX ||
                  (!(m->work & 0xffff) && pf_stop_poll(m->stop, "comparisons", m->work, 0));
    return !m->gave_up;
}

static bool missing_allows(struct machine *m, uint32_t i)
{
    if (m->calls.rule == PF_RULE_NONE)
        return true;
    bool all = pf_validate_calls_compare_with(&m->calls, i);
    for (uint32_t u = 0; u < m->t->threads.len; u++)
        for (uint32_t f = u == at(m, i)->thread ? PF_NONE : m->ready[u]; f < i; f = m->next[f]) {
            if (!all)
                f = m->calls.next_at_call[f];
            if (f >= i)
                break;
            if (!may_compare(m))
                return false;
            if (pf_validate_calls_keeps_order(&m->calls, f))
                return fail(m,
                            "event %u runs before event %u, but a missing call keeps their order",
                            pf_trace_label(m->t, i), pf_trace_label(m->t, f));
        }
    return true;
}

static bool pinned(const struct machine *m, const struct pf_event *e)
{
    return (e->flags & PF_EF_ORPHAN) ||
           (m->calls.rule != PF_RULE_NONE && (e->flags & PF_EF_MISSING));
}

/* True if event i is a write that an active missing call may notice. */
static bool noticed(const struct machine *m, uint32_t i)
{
    return m->calls.reached && m->calls.reached[i] && pf_event_writes(at(m, i));
}

static bool share_cell(const struct machine *m, uint32_t i, uint32_t k)
{
    const struct pf_range *p = &m->t->places.at[at(m, i)->what],
                          *q = &m->t->places.at[at(m, k)->what];
    return p->cell0 < q->cell0 + q->ncells && q->cell0 < p->cell0 + p->ncells;
}

/* The position in `writes` of the first write of the cell at or after event i. */
static uint32_t write_at(const struct machine *m, uint32_t i, uint32_t cell)
{
    uint32_t lo = m->writes_at[cell], hi = m->writes_at[cell + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->writes[mid] < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool unexplained(struct machine *m, uint32_t i, uint32_t f)
{
    return fail(m, "event %u reads a value that no recorded write explains, but event %u %s",
                pf_trace_label(m->t, i), pf_trace_label(m->t, f),
                f < i ? "has not run yet" : "has already run");
}

/* A read whose value no recorded write explains must happen after exactly those writes of other
 * threads that precede it in the trace. pinned_allows_before checks that all of these have run,
 * pinned_allows_after that no others have. */
static bool pinned_allows_before(struct machine *m, uint32_t i)
{
    const struct pf_event *e = at(m, i);
    if (!pf_event_reads(e) || !pinned(m, e))
        return true;
    for (uint32_t u = 0; u < m->t->threads.len; u++)
        for (uint32_t f = u == e->thread ? PF_NONE : m->ready[u]; f < i; f = m->next[f]) {
            if (!may_compare(m))
                return false;
            if (pf_event_writes(at(m, f)) && share_cell(m, i, f))
                return unexplained(m, i, f);
        }
    return true;
}

static bool pinned_allows_after(struct machine *m, uint32_t i)
{
    const struct pf_event *e = at(m, i);
    if (!pf_event_reads(e) || !pinned(m, e))
        return true;
    const struct pf_range *p = &m->t->places.at[e->what];
    for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++)
        for (uint32_t k = write_at(m, i + 1, c);
             k < m->writes_at[c + 1] && m->writes[k] < m->farthest; k++) {
            if (!may_compare(m))
                return false;
            if (at(m, m->writes[k])->thread != e->thread && ran(m, m->writes[k]))
                return unexplained(m, i, m->writes[k]);
        }
    return true;
}

/* The last write to the cell before event i in the trace; PF_NONE: none. */
static uint32_t writer_before(const struct machine *m, uint32_t i, uint32_t cell)
{
    uint32_t k = write_at(m, i, cell);
    return k > m->writes_at[cell] ? m->writes[k - 1] : PF_NONE;
}

static bool cell_value(const struct machine *m, uint32_t cell, uint32_t writer, uint64_t *value)
{
    if (writer != PF_NONE)
        return pf_trace_cell_value(m->t, at(m, writer), cell, false, value);
    *value = m->t->cells.at[cell].initial;
    return m->t->cells.at[cell].initial_known;
}

/* True if the cell holds what it held before the missing call i in the trace. */
static bool holds_as_before(const struct machine *m, uint32_t i, uint32_t c)
{
    const struct validated_memory *x = &m->cells[c];
    uint32_t was = writer_before(m, i, c);
    uint64_t have, want;
    return !x->wrong &&
           (x->writer == was || (!x->overwritten && cell_value(m, c, x->writer, &have) &&
                                 cell_value(m, c, was, &want) && have == want));
}

/* A missing call may read everything that it reaches, so all of it must have the same values as in
 * the trace. Only cells that the witness has changed can differ. */
static bool call_allows(struct machine *m, uint32_t i)
{
    if (m->calls.rule == PF_RULE_NONE || at(m, i)->kind != PF_EV_CALL)
        return true;
    const struct pf_reach *d = &m->t->reaches.at[at(m, i)->link];
    bool by_item = d->nitems < m->log.len;
    for (size_t k = 0; k < (by_item ? d->nitems : m->log.len); k++) {
        uint32_t c = by_item ? m->t->reach_items.at[d->item0 + k] : m->log.at[k].cell;
        if (!may_compare(m))
            return false;
        if (by_item ? c < m->t->cells.len && m->changed[c]
                    : pf_validate_calls_reaches(&m->calls, i, c))
            if (!holds_as_before(m, i, c))
                return fail(
                    m,
                    "event %u begins a missing call that may see another value than in the trace",
                    pf_trace_label(m->t, i));
    }
    return true;
}

static bool must_have_run(struct machine *m, uint32_t f, uint32_t i)
{
    return ran(m, f) || fail(m, "event %u runs before event %u", pf_trace_label(m->t, i),
                             pf_trace_label(m->t, f));
}

/* True if event e must not run before event g, an earlier event of another thread. */
static bool needs_earlier(const struct machine *m, const struct pf_event *e,
                          const struct pf_event *g)
{
    if (e->kind == PF_EV_DEPART || e->kind == PF_EV_ARRIVE)
        return g->kind == PF_EV_ARRIVE && g->what == e->what &&
               (e->kind == PF_EV_DEPART ? g->link == e->link : g->link < e->link);
    if (e->kind == PF_EV_TAKE)
        return g->kind == PF_EV_POST && g->what == e->what;
    /* an allocation: everything that used this memory before */
    if (pf_event_operand[g->kind] != PF_OPERAND_PLACE)
        return false;
    const struct pf_range *p = &m->t->places.at[e->what], *q = &m->t->places.at[g->what];
    return q->block && q->block != p->block && q->addr < p->addr + p->size &&
           p->addr < q->addr + q->size;
}

/* Checks the rules about all earlier events of some kind. */
static bool earlier_allows(struct machine *m, uint32_t i)
{
    const struct pf_event *e = at(m, i);
    if (pf_event_is_access(e)) { /* its block must have been allocated */
        uint32_t f = m->alloc[m->t->places.at[e->what].block];
        return f >= i || must_have_run(m, f, i);
    }
    if (e->kind != PF_EV_DEPART && e->kind != PF_EV_ARRIVE && e->kind != PF_EV_TAKE &&
        e->kind != PF_EV_ALLOC)
        return true;
    for (uint32_t u = 0; u < m->t->threads.len; u++)
        for (uint32_t f = u == e->thread ? PF_NONE : m->ready[u]; f < i; f = m->next[f]) {
            if (!may_compare(m))
                return false;
            if (needs_earlier(m, e, at(m, f)))
                return must_have_run(m, f, i);
        }
    return true;
}

static bool lock_allows(struct machine *m, uint32_t i)
{
    const struct pf_event *e = at(m, i);
    if (!pf_event_acquires(e))
        return true;
    for (size_t k = 0; k < m->held.len; k++)
        if (m->held.at[k].lock == pf_event_lock(e) && !(m->held.at[k].shared && pf_event_shared(e)))
            return fail(m, "event %u acquires a lock that is held", pf_trace_label(m->t, i));
    return true;
}

static uint32_t wait_of(const struct machine *m, uint32_t wake)
{
    size_t lo = 0, hi = m->waits.len / 2;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (m->waits.at[2 * mid] < wake)
            lo = mid + 1;
        else
            hi = mid;
    }
    return m->waits.at[2 * lo + 1];
}

/* True if event i can be the next event. The value that it reads itself is not checked. */
static bool is_next(struct machine *m, uint32_t i)
{
    const struct pf_event *e = at(m, i);
    if (m->ready[e->thread] != i)
        return fail(m, "event %u is not the next event of its thread", pf_trace_label(m->t, i));
    if (m->fork[e->thread] != PF_NONE && !must_have_run(m, m->fork[e->thread], i))
        return false;
    bool call = m->calls.rule != PF_RULE_NONE && pf_event_class[e->kind] == PF_CLASS_CALL;
    bool seen = call || noticed(m, i) || pf_validate_calls_borders(&m->calls, i);
    if (m->misled[e->thread] && (pf_event_decided(m->t, e) || seen))
        return fail(m, "event %u depends on event %u, which sees a wrong value",
                    pf_trace_label(m->t, i), pf_trace_label(m->t, m->misled[e->thread] - 1));
    if (e->kind == PF_EV_JOIN && m->ready[e->what] != PF_NONE)
        return fail(m, "event %u joins a thread that has not ended", pf_trace_label(m->t, i));
    if (e->kind == PF_EV_WAKE) {
        uint32_t by = pf_trace_waker(m->t, i);
        if (by != PF_NONE && (!must_have_run(m, by, i)))
            return false;
        if (by != PF_NONE && m->when[by] < m->when[wait_of(m, i)])
            return fail(m, "event %u is woken by a notification that came before its wait",
                        pf_trace_label(m->t, i));
    }
    return earlier_allows(m, i) && lock_allows(m, i) && missing_allows(m, i) &&
           pinned_allows_before(m, i);
}

static bool sees_right(const struct machine *m, const struct pf_event *e, uint32_t cell,
                       uint32_t source)
{
    const struct validated_memory *x = &m->cells[cell];
    if (x->wrong || x->overwritten)
        return false;
    if (x->writer == source)
        return true;
    uint64_t want, have;
    return pf_trace_cell_value(m->t, e, cell, true, &want) &&
           cell_value(m, cell, x->writer, &have) && have == want;
}

/* Must be called before the witness changes the cell. */
static void remember(struct machine *m, uint32_t c)
{
    if (!m->changed[c])
        pf_vec_push(&m->log, (struct undo){c, m->cells[c]});
    m->changed[c] = true;
}

static void execute(struct machine *m, uint32_t i, bool in_witness)
{
    const struct pf_event *e = at(m, i);
    m->when[i] = ++m->step;
    m->ready[e->thread] = m->next[i];
    if (pf_event_is_access(e)) {
        const struct pf_range *p = &m->t->places.at[e->what];
        for (uint32_t k = 0; k < p->ncells && pf_event_reads(e) && in_witness; k++)
            if (!pinned(m, e) && !sees_right(m, e, p->cell0 + k, m->source[m->source_at[i] + k]))
                m->misled[e->thread] = i + 1;
        for (uint32_t c = p->cell0; c < p->cell0 + p->ncells && pf_event_writes(e); c++) {
            if (in_witness)
                remember(m, c);
            m->cells[c] = (struct validated_memory){i, m->misled[e->thread], false};
        }
    } else if (pf_event_class[e->kind] == PF_CLASS_CALL && m->calls.rule != PF_RULE_NONE) {
        const struct pf_event *call = e->kind == PF_EV_CALL ? e : at(m, e->link);
        const struct pf_reach *d = &m->t->reaches.at[call->link];
        for (uint32_t k = d->item0; k < d->item0 + d->nitems; k++) {
            uint32_t c = m->t->reach_items.at[k];
            if (c >= m->t->cells.len)
                continue;
            if (in_witness)
                remember(m, c);
            m->cells[c].overwritten = true;
        }
    } else if (e->kind == PF_EV_TRYFAIL) {
        bool held = !in_witness;
        for (size_t k = 0; k < m->held.len && !held; k++)
            held = m->held.at[k].lock == e->what;
        if (!held)
            m->misled[e->thread] = i + 1;
    } else if (pf_event_acquires(e))
        pf_vec_push(&m->held, (struct held_lock){pf_event_lock(e), e->thread, pf_event_shared(e)});
    else if (pf_event_releases(e))
        for (size_t k = 0; k < m->held.len; k++)
            if (m->held.at[k].lock == pf_event_lock(e) && m->held.at[k].thread == e->thread) {
                m->held.at[k] = m->held.at[--m->held.len];
                break;
            }
}

static bool run_witness(struct machine *m, const struct pf_race *r)
{
    m->farthest = (r->a > r->b ? r->a : r->b) + 1;
    for (uint32_t k = 0; k < r->norder; k++)
        m->farthest = r->order[k] >= m->farthest ? r->order[k] + 1 : m->farthest;
    for (uint32_t k = 0; k < r->norder; k++) {
        uint32_t i = r->order[k];
        if (i >= m->t->events.len || i < m->start)
            return fail(m, "a step is not in the window");
        if (!is_next(m, i) || !pinned_allows_after(m, i) || !call_allows(m, i))
            return false;
        execute(m, i, true);
        if (noticed(m, i) && m->misled[at(m, i)->thread])
            return fail(m, "event %u stores a wrong value where a missing call may see it",
                        pf_trace_label(m->t, i));
        pf_vec_push(&m->ran, i);
    }
    if (r->a != r->b && !pf_trace_conflict(m->t, at(m, r->a), at(m, r->b)))
        return fail(m, "events %u and %u do not conflict", pf_trace_label(m->t, r->a),
                    pf_trace_label(m->t, r->b));
    return is_next(m, r->a) && is_next(m, r->b);
}

static bool check_one(struct machine *m, const struct pf_race *r, uint32_t *keep_ready)
{
    size_t nt = m->t->threads.len, nheld = m->held.len;
    struct held_lock keep_held[nheld + 1];
    memcpy(keep_ready, m->ready, nt * sizeof *m->ready);
    pf_vec_reserve(&m->held, 1);
    memcpy(keep_held, m->held.at, nheld * sizeof *keep_held);
    uint32_t step = m->step;
    m->start = r->start;
    m->work = 0;
    m->gave_up = false;
    bool ok = run_witness(m, r);
    while (m->log.len) {
        struct undo u = m->log.at[--m->log.len];
        m->cells[u.cell] = u.old;
        m->changed[u.cell] = false;
    }
    while (m->ran.len)
        m->when[m->ran.at[--m->ran.len]] = 0;
    memcpy(m->ready, keep_ready, nt * sizeof *m->ready);
    memset(m->misled, 0, nt * sizeof *m->misled);
    pf_vec_clear(&m->held);
    pf_vec_reserve(&m->held, nheld + 1);
    memcpy(m->held.at, keep_held, nheld * sizeof *keep_held);
    m->held.len = nheld;
    m->step = step;
    return ok;
}

static void find_writes(struct machine *m)
{
    const struct pf_trace *t = m->t;
    m->writes_at = pf_mem_zero(t->cells.len + 2, sizeof *m->writes_at);
    /* first counts the writes of each cell at its index + 2, then fills from index + 1 */
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t i = 0; i < t->events.len; i++) {
            if (!pf_event_writes(at(m, i)))
                continue;
            const struct pf_range *p = &t->places.at[at(m, i)->what];
            for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++)
                if (fill)
                    m->writes[m->writes_at[c + 1]++] = i;
                else
                    m->writes_at[c + 2]++;
        }
        for (size_t c = 0; c < t->cells.len && !fill; c++)
            m->writes_at[c + 2] += m->writes_at[c + 1];
        if (!fill)
            m->writes = pf_mem_resize(NULL, m->writes_at[t->cells.len + 1] + 1, sizeof *m->writes);
    }
}

static void prepare(struct machine *m)
{
    const struct pf_trace *t = m->t;
    size_t n = t->events.len, nt = t->threads.len;
    uint32_t *last = pf_mem_resize(NULL, nt, sizeof *last);
    uint32_t *wait = pf_mem_resize(NULL, nt, sizeof *wait);
    uint32_t *writer = pf_mem_resize(NULL, t->cells.len, sizeof *writer);
    pf_vec_u32 source = {0};
    memset(last, 0xff, nt * sizeof *last);
    memset(wait, 0xff, nt * sizeof *wait);
    memset(writer, 0xff, t->cells.len * sizeof *writer);
    memset(m->ready, 0xff, nt * sizeof *m->ready);
    memset(m->fork, 0xff, nt * sizeof *m->fork);
    memset(m->next, 0xff, n * sizeof *m->next);
    uint32_t blocks = 1;
    for (size_t i = 0; i < t->places.len; i++)
        blocks = t->places.at[i].block >= blocks ? t->places.at[i].block + 1 : blocks;
    m->alloc = pf_mem_resize(NULL, blocks, sizeof *m->alloc);
    memset(m->alloc, 0xff, blocks * sizeof *m->alloc);
    for (uint32_t i = 0; i < n; i++) {
        const struct pf_event *e = at(m, i);
        if (last[e->thread] == PF_NONE)
            m->ready[e->thread] = i;
        else
            m->next[last[e->thread]] = i;
        if (e->kind == PF_EV_WAIT)
            wait[e->thread] = i;
        if (e->kind == PF_EV_WAKE) {
            pf_vec_push(&m->waits, i);
            pf_vec_push(&m->waits, wait[e->thread]);
        }
        last[e->thread] = i;
        if (e->kind == PF_EV_FORK)
            m->fork[e->what] = i;
        if (e->kind == PF_EV_ALLOC)
            m->alloc[t->places.at[e->what].block] = i;
        m->source_at[i] = (uint32_t)source.len;
        if (!pf_event_is_access(e))
            continue;
        const struct pf_range *p = &t->places.at[e->what];
        for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++) {
            if (pf_event_reads(e))
                pf_vec_push(&source, writer[c]);
            if (pf_event_writes(e))
                writer[c] = i;
        }
    }
    m->source = source.at;
    find_writes(m);
    free(last);
    free(wait);
    free(writer);
}

struct job {
    uint32_t start;
    size_t race;
};
static int by_start(const void *x, const void *y)
{
    const struct job *a = x, *b = y;
    return a->start < b->start ? -1 : a->start > b->start;
}

void pf_validate(const struct pf_trace *t, enum pf_missing_rule rule, const struct pf_race *races,
                 size_t n, struct pf_stop *stop, enum pf_validity *result, struct pf_error *why)
{
    struct pf_error unused;
    why = why ? why : &unused;
    if (!n)
        return;
    struct machine m = {.t = t, .why = why, .stop = stop};
    size_t ne = t->events.len, nt = t->threads.len;
    m.when = pf_mem_zero(ne, sizeof *m.when);
    m.next = pf_mem_resize(NULL, ne, sizeof *m.next);
    m.ready = pf_mem_resize(NULL, nt, sizeof *m.ready);
    m.fork = pf_mem_resize(NULL, nt, sizeof *m.fork);
    m.source_at = pf_mem_resize(NULL, ne, sizeof *m.source_at);
    m.misled = pf_mem_zero(nt, sizeof *m.misled);
    m.cells = pf_mem_zero(t->cells.len, sizeof *m.cells);
    m.changed = pf_mem_zero(t->cells.len, sizeof *m.changed);
    for (size_t c = 0; c < t->cells.len; c++)
        m.cells[c].writer = PF_NONE;
    prepare(&m);
    pf_validate_calls_init(&m.calls, t, rule);
    struct job *jobs = pf_mem_resize(NULL, n, sizeof *jobs);
    for (size_t i = 0; i < n; i++)
        jobs[i] = (struct job){races[i].start, i};
    qsort(jobs, n, sizeof *jobs, by_start);
    uint32_t *keep = pf_mem_resize(NULL, nt, sizeof *keep);
    uint32_t done = 0;
    for (size_t i = 0; i < n; i++) {
        for (; done < jobs[i].start && done < ne; done++)
            execute(&m, done, false);
        bool stopped = pf_stop_poll(stop, "witnesses", i, n);
        bool ok = !stopped && check_one(&m, &races[jobs[i].race], keep);
        result[jobs[i].race] = ok ? PF_VALID : stopped || m.gave_up ? PF_UNCHECKED : PF_INVALID;
    }
    void *all[] = {m.when,  m.next,  m.ready,   m.fork, m.source,    m.source_at, m.misled,
                   m.cells, m.alloc, m.changed, jobs,   m.writes_at, m.writes,    keep};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pf_validate_calls_release(&m.calls);
    pf_vec_release(&m.waits);
    pf_vec_release(&m.held);
    pf_vec_release(&m.log);
    pf_vec_release(&m.ran);
}

void pf_validate_result(const struct pf_trace *t, enum pf_missing_rule rule, struct pf_stop *stop,
                        struct pf_result *out)
{
    enum pf_validity *v = pf_mem_zero(out->races.len, sizeof *v);
    pf_validate(t, rule, out->races.at, out->races.len, stop, v, NULL);
    size_t keep = 0;
    for (size_t i = 0; i < out->races.len; i++) {
        if (v[i] == PF_VALID) {
            out->races.at[keep++] = out->races.at[i];
            continue;
        }
        free(out->races.at[i].order);
        out->invalid += v[i] == PF_INVALID;
        out->unknown += v[i] == PF_UNCHECKED;
    }
    out->races.len = keep;
    out->stopped |= stop && stop->stopped;
    free(v);
}
