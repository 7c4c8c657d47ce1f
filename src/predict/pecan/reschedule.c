/*
 * reschedule.c - see reschedule.h. Up to sixteen combinations of strategies are tried in turn; the
 * first is the paper's.
 */
#include "reschedule.h"
#include <string.h>

#define MOVED 4000000 /* events that one call may execute */
/* events that all calls may execute; after that, one call may execute MOVED_LATE */
#define SPENT 200000000
#define MOVED_LATE 200000

void pf_rescheduler_init(struct pf_rescheduler *s, const struct pf_partial_order *g,
                         const struct pf_trace_index *x)
{
    memset(s, 0, sizeof *s);
    s->g = g;
    s->x = x;
    s->next = pf_mem_zero(g->nt + 1, sizeof *s->next);
    s->owner = pf_mem_zero(g->t->locks.len + 1, sizeof *s->owner);
    s->readers = pf_mem_zero(g->t->locks.len + 1, sizeof *s->readers);
}

void pf_rescheduler_release(struct pf_rescheduler *s)
{
    free(s->next);
    free(s->owner);
    free(s->readers);
    pf_vec_release(&s->order);
    memset(s, 0, sizeof *s);
}

static const struct pf_event *at(const struct pf_rescheduler *s, uint32_t i)
{
    return &s->g->t->events.at[i];
}

/* The next event of thread u; PF_NONE if it has ended. */
static uint32_t next_event(const struct pf_rescheduler *s, uint32_t u)
{
    return s->next[u] < s->g->thread_at[u + 1] ? s->g->by_thread[s->next[u]] : PF_NONE;
}

static bool has_run(const struct pf_rescheduler *s, uint32_t i)
{
    return i < s->start || s->g->pos[i] < s->next[at(s, i)->thread];
}

/* --- holding threads back --- */

/* The acquire of the outermost lock around `event` that its thread acquires after event `after`
 * (PF_NONE: any time); the event itself if there is none. */
static uint32_t outermost(const struct pf_rescheduler *s, uint32_t event, uint32_t after)
{
    const struct pf_partial_order *g = s->g;
    uint32_t first = g->thread_at[at(s, event)->thread], found = event;
    uint32_t depth = g->locks.sets.at[g->held[event]].len;
    if (after != PF_NONE)
        first = g->pos[after] + 1;
    for (uint32_t k = g->pos[event]; depth && k-- > first;) {
        uint32_t i = g->by_thread[k];
        if (pf_event_acquires(at(s, i)) && (s->x->match[i] == PF_NONE || s->x->match[i] > event)) {
            found = i;
            depth--;
        }
    }
    return found;
}

static void choose_holds(struct pf_rescheduler *s, bool at_locks)
{
    s->start = PF_NONE;
    for (unsigned m = 0; m < s->n; m++) {
        uint32_t after = PF_NONE;
        for (unsigned i = 0; i < m; i++)
            if (at(s, s->events[i])->thread == at(s, s->events[m])->thread)
                after = s->events[i];
        s->hold[m] = at_locks ? outermost(s, s->events[m], after) : s->events[m];
        s->start = s->hold[m] < s->start ? s->hold[m] : s->start;
        s->done[m] = s->released[m] = false;
    }
}

/* --- state --- */

static void acquire(struct pf_rescheduler *s, uint32_t lock, uint32_t thread, bool shared)
{
    if (shared)
        s->readers[lock]++;
    else
        s->owner[lock] = thread + 1;
}

static void execute(struct pf_rescheduler *s, uint32_t i)
{
    const struct pf_event *e = at(s, i);
    if (pf_event_acquires(e))
        acquire(s, pf_event_lock(e), e->thread, pf_event_shared(e));
    else if (pf_event_releases(e)) {
        if (pf_event_shared(e))
            s->readers[pf_event_lock(e)] -= s->readers[pf_event_lock(e)] > 0;
        else
            s->owner[pf_event_lock(e)] = 0;
    }
}

/* Sets up the state of the trace before event `start`. */
static void begin(struct pf_rescheduler *s)
{
    const struct pf_partial_order *g = s->g;
    memset(s->owner, 0, g->t->locks.len * sizeof *s->owner);
    memset(s->readers, 0, g->t->locks.len * sizeof *s->readers);
    pf_vec_clear(&s->order);
    for (uint32_t u = 0; u < g->nt; u++) {
        uint32_t k = s->next[u] = pf_partial_order_from(g, u, s->start);
        bool over = k == g->thread_at[u + 1];
        if (over && k == g->thread_at[u])
            continue;
        /* the locks it holds before this event; if `over`, execute() below adds the last event */
        uint32_t i = g->by_thread[over ? k - 1 : k];
        struct pf_lockset_words r = g->locks.sets.at[g->held[i]];
        for (uint32_t n = 0; n < r.len; n++) {
            uint32_t word = g->locks.words.at[r.first + n];
            acquire(s, word / 2, u, word & 1);
        }
        if (over)
            execute(s, i);
    }
}

/* True if event i can be next, as far as order and locks are concerned. If not, *who is a thread
 * that must run first (PF_NONE: unknown). */
static bool possible(const struct pf_rescheduler *s, uint32_t i, uint32_t *who)
{
    const struct pf_event *e = at(s, i);
    *who = PF_NONE;
    PF_EDGES_EACH(k, &s->x->pred, i)
    if (!has_run(s, s->x->pred.at.at[k + 1])) {
        *who = at(s, s->x->pred.at.at[k + 1])->thread;
        return false;
    }
    if (e->kind == PF_EV_TRYFAIL)
        return s->owner[e->what] || s->readers[e->what];
    if (!pf_event_acquires(e))
        return true;
    uint32_t l = pf_event_lock(e);
    if (s->owner[l])
        *who = s->owner[l] - 1;
    return !s->owner[l] && (pf_event_shared(e) || !s->readers[l]);
}

static bool enabled(const struct pf_rescheduler *s, uint32_t i)
{
    uint32_t who;
    return possible(s, i, &who);
}

static bool held_back(const struct pf_rescheduler *s, uint32_t i)
{
    for (unsigned m = 0; m < s->n; m++)
        if (!s->done[m] && (i == s->events[m] || (i == s->hold[m] && !s->released[m])))
            return true;
    return false;
}

static void run(struct pf_rescheduler *s, uint32_t i)
{
    s->moved++;
    pf_vec_push(&s->order, i);
    s->next[at(s, i)->thread]++;
    execute(s, i);
}

/* Of the events that can happen next, the first one in the trace. PF_NONE if there is none. */
static uint32_t first_in_trace(const struct pf_rescheduler *s)
{
    uint32_t best = PF_NONE;
    for (uint32_t u = 0; u < s->g->nt; u++) {
        uint32_t i = next_event(s, u);
        if (i < best && !held_back(s, i) && enabled(s, i))
            best = i;
    }
    return best;
}

/* The next event of the thread, or of a thread for which it waits; PF_NONE if none can happen. */
static uint32_t needed_event(const struct pf_rescheduler *s, uint32_t thread)
{
    for (uint32_t n = 0; n < s->g->nt && thread != PF_NONE; n++) {
        uint32_t i = next_event(s, thread);
        if (i == PF_NONE || held_back(s, i))
            return PF_NONE;
        if (possible(s, i, &thread))
            return i;
    }
    return PF_NONE;
}

static bool has_used_budget(const struct pf_rescheduler *s)
{
    return s->moved >= (s->spent < SPENT ? MOVED : MOVED_LATE);
}

/* True if the current call must give up. */
static bool is_over_budget(struct pf_rescheduler *s)
{
    return has_used_budget(s) || (!(s->moved & 0xffff) &&
                                  pf_stop_poll(s->stop, "events executed", s->spent + s->moved, 0));
}

/* Ends the current call: adds its events to the total. Returns `found`. */
static bool account(struct pf_rescheduler *s, bool found)
{
    s->cut += !found && has_used_budget(s);
    s->spent += s->moved;
    return found;
}

/* Runs threads until `event` is the next event of its thread and can happen. */
static bool run_until_possible(struct pf_rescheduler *s, uint32_t event)
{
    uint32_t thread = at(s, event)->thread, who = thread;
    while (next_event(s, thread) != event || !possible(s, event, &who)) {
        uint32_t i = s->minimal ? needed_event(s, next_event(s, thread) == event ? who : thread)
                                : first_in_trace(s);
        if (i == PF_NONE || is_over_budget(s))
            return false;
        run(s, i);
    }
    return true;
}

/* It is the turn of event m of the pattern: its thread need no longer wait before its lock. */
static bool bring_event(struct pf_rescheduler *s, unsigned m)
{
    s->released[m] = true;
    return run_until_possible(s, s->events[m]);
}

static void execute_pattern_event(struct pf_rescheduler *s, unsigned m)
{
    s->done[m] = true;
    run(s, s->events[m]);
}

/* The last two events must follow each other directly: brings `first` to its event, then
 * `second`. */
static bool bring_last_two(struct pf_rescheduler *s, unsigned first, unsigned second)
{
    if (!bring_event(s, first) || !bring_event(s, second) ||
        next_event(s, at(s, s->events[first])->thread) != s->events[first] ||
        !enabled(s, s->events[first]))
        return false;
    execute_pattern_event(s, s->n - 2);
    execute_pattern_event(s, s->n - 1);
    return true;
}

/* How a schedule is generated. */
struct strategy {
    bool at_locks; /* hold threads before their outermost lock, not at the event */
    bool last_first; /* of the last two events, bring the last one to its position first */
    /* bring all threads of the pattern to their positions before any event of it happens */
    bool gather;
    bool minimal; /* run only threads that are needed; otherwise all, as in the trace */
};

static void restart(struct pf_rescheduler *s, struct strategy strategy)
{
    choose_holds(s, strategy.at_locks);
    s->minimal = strategy.minimal;
    begin(s);
}

static bool attempt(struct pf_rescheduler *s, const struct pf_pattern *p, struct strategy strategy)
{
    unsigned n = s->n, together = p->next[n - 1] ? 2 : 0;
    restart(s, strategy);
    /* threads are numbered in order of appearance */
    for (unsigned m = 0, seen = 0; strategy.gather && m < n; m++) {
        if (p->thread[m] == seen && !run_until_possible(s, s->hold[m]))
            return false;
        seen += p->thread[m] == seen;
    }
    for (unsigned m = 0; m + together < n; m++) {
        if (!bring_event(s, m))
            return false;
        execute_pattern_event(s, m);
    }
    return !together || bring_last_two(s, strategy.last_first ? n - 1 : n - 2,
                                       strategy.last_first ? n - 2 : n - 1);
}

bool pf_rescheduler_run(struct pf_rescheduler *s, const struct pf_pattern *p,
                        const uint32_t *events)
{
    s->n = p->n;
    s->events = events;
    s->moved = 0;
    bool earlier_waits = events[p->n - 2] < events[p->n - 1]; /* start with the paper's choice */
    for (unsigned k = 0; k < 16; k++) {
        struct strategy strategy = {!(k & 2), earlier_waits != (k & 1), k & 4, k & 8};
        if (!(k & 1 && !p->next[p->n - 1]) && attempt(s, p, strategy))
            return account(s, true);
    }
    return account(s, false);
}

/* Runs threads until `event` is the next event of its thread. */
static bool run_until_next(struct pf_rescheduler *s, uint32_t event)
{
    uint32_t thread = at(s, event)->thread;
    while (next_event(s, thread) != event) {
        uint32_t i = s->minimal ? needed_event(s, thread) : first_in_trace(s);
        if (i == PF_NONE || is_over_budget(s))
            return false;
        run(s, i);
    }
    return true;
}

bool pf_rescheduler_run_deadlock(struct pf_rescheduler *s, const uint32_t *takes, uint32_t n)
{
    s->n = n;
    s->events = takes;
    s->moved = 0;
    for (unsigned k = 0; k < 4 * n; k++) {
        bool ok = true;
        restart(s, (struct strategy){.at_locks = !(k & 1), .minimal = k & 2});
        for (unsigned i = 0; i < n && ok; i++) { /* each thread may be the first */
            unsigned m = (i + k / 4) % n;
            s->released[m] = true;
            ok = run_until_next(s, takes[m]);
        }
        for (unsigned m = 0; m < n && ok; m++)
            ok = !enabled(s, takes[m]);
        if (ok)
            return account(s, true);
    }
    return account(s, false);
}
