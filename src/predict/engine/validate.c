/*
 * validate.c - a machine that executes a schedule and rejects impossible steps.
 *
 * The state at `start` comes from executing the trace itself. Each witness is executed on top of
 * that state and then undone, so one pass over the trace serves all witnesses.
 */
#include "validate_calls.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    struct pf_validate_calls calls;
    uint32_t *misled;   /* per thread: 1 + a read that saw a wrong value, 0: none */
    struct validated_memory *cells;
    PF_VEC(struct held_lock) held;
    PF_VEC(struct undo) log;
    pf_vec_u32 ran;  /* events of the witness that have run */
    /* events that rules about many events refer to: arrive, post, and with blocks all uses of
     * memory */
    pf_vec_u32 rule_events;
    uint32_t step, start, farthest; /* farthest: 1 + the last event of the witness */
    char *why;
    size_t why_len;
};

static bool fail(struct machine *m, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(m->why, m->why_len, fmt, ap);
    va_end(ap);
    return false;
}

static const struct pf_event *at(const struct machine *m, uint32_t i)
{
    return &m->t->events.at[i];
}
static bool ran(const struct machine *m, uint32_t i) { return m->when[i]; }

static bool missing_allows(struct machine *m, uint32_t i)
{
    if (m->calls.rule == PF_RULE_NONE)
        return true;
    for (uint32_t f = m->start; f < i; f++)
        if (!ran(m, f) && at(m, f)->thread != at(m, i)->thread &&
            pf_validate_calls_keeps_order(&m->calls, f, i))
            return fail(m, "event %u runs before event %u, but a missing call keeps their order",
                        pf_trace_label(m->t, i), pf_trace_label(m->t, f));
    return true;
}

static bool pinned(const struct machine *m, const struct pf_event *e)
{
    return (e->flags & PF_EF_ORPHAN) ||
           (m->calls.rule != PF_RULE_NONE && (e->flags & PF_EF_MISSING));
}

static bool share_cell(const struct machine *m, uint32_t i, uint32_t k)
{
    const struct pf_range *p = &m->t->places.at[at(m, i)->what],
                          *q = &m->t->places.at[at(m, k)->what];
    return p->cell0 < q->cell0 + q->ncells && q->cell0 < p->cell0 + p->ncells;
}

/* A read whose value no recorded write explains must happen after exactly those writes of other
 * threads that precede it in the trace. Checks the writes in [from, to). */
static bool pinned_allows(struct machine *m, uint32_t i, uint32_t from, uint32_t to)
{
    const struct pf_event *e = at(m, i);
    if (!pf_event_reads(e) || !pinned(m, e))
        return true;
    for (uint32_t f = from; f < to; f++)
        if (pf_event_writes(at(m, f)) && at(m, f)->thread != e->thread && ran(m, f) != (f < i) &&
            share_cell(m, i, f))
            return fail(m,
                        "event %u reads a value that no recorded write explains, but event %u %s",
                        pf_trace_label(m->t, i), pf_trace_label(m->t, f),
                        f < i ? "has not run yet" : "has already run");
    return true;
}

/* The last write to the cell before event i in the trace. */
static uint32_t writer_before(const struct machine *m, uint32_t i, uint32_t cell)
{
    for (uint32_t f = i; f-- > m->start;)
        if (pf_event_writes(at(m, f))) {
            const struct pf_range *p = &m->t->places.at[at(m, f)->what];
            if (cell >= p->cell0 && cell < p->cell0 + p->ncells)
                return f;
        }
    for (size_t k = 0; k < m->log.len; k++)
        if (m->log.at[k].cell == cell)
            return m->log.at[k].old.writer;
    return m->cells[cell].writer;
}

static bool cell_value(const struct machine *m, uint32_t cell, uint32_t writer, uint64_t *value)
{
    if (writer != PF_NONE)
        return pf_trace_cell_value(m->t, at(m, writer), cell, false, value);
    *value = m->t->cells.at[cell].initial;
    return m->t->cells.at[cell].initial_known;
}

/* A missing call may read everything that it reaches, so it must find the values of the trace
 * there. Only cells that the witness has written can differ. */
static bool call_allows(struct machine *m, uint32_t i)
{
    if (m->calls.rule == PF_RULE_NONE || at(m, i)->kind != PF_EV_CALL)
        return true;
    for (size_t k = 0; k < m->log.len; k++) {
        uint32_t c = m->log.at[k].cell;
        const struct validated_memory *x = &m->cells[c];
        if (!pf_validate_calls_reaches(&m->calls, i, c))
            continue;
        uint32_t was = writer_before(m, i, c);
        uint64_t have, want;
        if (!x->wrong &&
            (x->writer == was || (!x->overwritten && cell_value(m, c, x->writer, &have) &&
                                  cell_value(m, c, was, &want) && have == want)))
            continue;
        return fail(m,
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

/* Checks the rules about all earlier events of some kind. */
static bool earlier_allows(struct machine *m, uint32_t i)
{
    const struct pf_event *e = at(m, i);
    size_t lo = 0, hi = m->rule_events.len;
    while (lo < hi) { /* everything before the window has run */
        size_t mid = (lo + hi) / 2;
        if (m->rule_events.at[mid] < m->start)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (size_t k = lo; k < m->rule_events.len && m->rule_events.at[k] < i; k++) {
        uint32_t f = m->rule_events.at[k];
        const struct pf_event *g = at(m, f);
        bool needs = false;
        if (e->kind == PF_EV_DEPART || e->kind == PF_EV_ARRIVE)
            needs = g->kind == PF_EV_ARRIVE && g->what == e->what &&
                    (e->kind == PF_EV_DEPART ? g->link == e->link : g->link < e->link);
        else if (e->kind == PF_EV_TAKE)
            needs = g->kind == PF_EV_POST && g->what == e->what;
        else if (e->kind == PF_EV_ALLOC) { /* everything that used this memory before */
            const struct pf_range *p = &m->t->places.at[e->what];
            if (pf_event_operand[g->kind] == PF_OPERAND_PLACE) {
                const struct pf_range *q = &m->t->places.at[g->what];
                needs = q->block && q->block != p->block && q->addr < p->addr + p->size &&
                        p->addr < q->addr + q->size;
            }
        } else if (pf_event_is_access(e)) /* its block must have been allocated */
            needs = g->kind == PF_EV_ALLOC &&
                    m->t->places.at[g->what].block == m->t->places.at[e->what].block;
        if (needs && !must_have_run(m, f, i))
            return false;
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
    bool seen = call || (m->calls.noticed && m->calls.noticed[i]) ||
                pf_validate_calls_borders(&m->calls, i);
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
           pinned_allows(m, i, m->start, i);
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
                pf_vec_push(&m->log, (struct undo){c, m->cells[c]});
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
                pf_vec_push(&m->log, (struct undo){c, m->cells[c]});
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
        if (!is_next(m, i) || !pinned_allows(m, i, i + 1, m->farthest) || !call_allows(m, i))
            return false;
        execute(m, i, true);
        if (m->calls.noticed && m->calls.noticed[i] && m->misled[at(m, i)->thread])
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
    bool ok = run_witness(m, r);
    while (m->log.len) {
        struct undo u = m->log.at[--m->log.len];
        m->cells[u.cell] = u.old;
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
    bool blocks = false;
    for (uint32_t i = 0; i < n; i++)
        blocks |= at(m, i)->kind == PF_EV_ALLOC;
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
        if (e->kind == PF_EV_ARRIVE || e->kind == PF_EV_POST ||
            (blocks && pf_event_operand[e->kind] == PF_OPERAND_PLACE))
            pf_vec_push(&m->rule_events, i);
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
                 size_t n, bool *ok, struct pf_trace_error *why)
{
    struct pf_trace_error unused;
    why = why ? why : &unused;
    struct machine m = {.t = t, .why = why->text, .why_len = sizeof why->text};
    size_t ne = t->events.len, nt = t->threads.len;
    m.when = pf_mem_zero(ne, sizeof *m.when);
    m.next = pf_mem_resize(NULL, ne, sizeof *m.next);
    m.ready = pf_mem_resize(NULL, nt, sizeof *m.ready);
    m.fork = pf_mem_resize(NULL, nt, sizeof *m.fork);
    m.source_at = pf_mem_resize(NULL, ne, sizeof *m.source_at);
    m.misled = pf_mem_zero(nt, sizeof *m.misled);
    m.cells = pf_mem_zero(t->cells.len, sizeof *m.cells);
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
        ok[jobs[i].race] = check_one(&m, &races[jobs[i].race], keep);
    }
    void *all[] = {m.when,      m.next,   m.ready, m.fork, m.source,
                   m.source_at, m.misled, m.cells, jobs,   keep};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pf_validate_calls_release(&m.calls);
    pf_vec_release(&m.waits);
    pf_vec_release(&m.held);
    pf_vec_release(&m.log);
    pf_vec_release(&m.ran);
    pf_vec_release(&m.rule_events);
}

void pf_validate_result(const struct pf_trace *t, enum pf_missing_rule rule, struct pf_result *out)
{
    bool *ok = pf_mem_zero(out->races.len, sizeof *ok);
    pf_validate(t, rule, out->races.at, out->races.len, ok, NULL);
    size_t keep = 0;
    for (size_t i = 0; i < out->races.len; i++)
        if (ok[i])
            out->races.at[keep++] = out->races.at[i];
        else {
            free(out->races.at[i].order);
            out->invalid++;
        }
    out->races.len = keep;
    free(ok);
}
