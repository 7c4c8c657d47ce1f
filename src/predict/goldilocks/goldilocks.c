/*
 * goldilocks.c - happens-before with sets: each access has the set of threads that may access the
 * cell without a race, and of the locks and other objects through which a thread can enter the set.
 *
 * The set of an access starts with its own thread. A release by a member adds the object; an
 * acquire of a member object adds the thread. Sets are updated lazily when the cell is accessed
 * again, by replaying the synchronisation events since the last update. The relation is the same as
 * that of hb, but the method shares nothing with vector clocks.
 */
#include "analysis.h"
#include <string.h>

/* Kinds of members of a set. */
enum member {
    THREAD,
    LOCK,
    RDLOCK,
    BARRIER,
    NOTIFY,
    SYNC,
    ATOMIC,
    FENCED, /* a thread's last release fence */
    SEEN    /* a thread's atomic loads, for its next acquire fence */
};

static uint64_t member(enum member kind, uint32_t a, uint32_t b)
{
    return (uint64_t)kind << 60 | (uint64_t)(a & 0x3fffffff) << 30 | (b & 0x3fffffff);
}

struct goldilocks_set {
    uint32_t event;
    uint32_t upto; /* number of synchronisation events replayed */
    uint64_t *at; /* a vector */
    size_t len, cap;
};
struct goldilocks_var {
    PF_VEC(struct goldilocks_set) sets; /* the newest access of each thread and kind */
};
struct goldilocks_run {
    const struct pf_trace *t;
    pf_vec_u32 syncs; /* the synchronisation events so far */
    uint64_t *ended; /* of an atomic store: bit k: it ends the release sequence of its cell k */
    uint64_t *heads; /* of each cell: the threads that head its release sequence */
    uint64_t fenced; /* threads that have made a release fence */
};

static bool has(const struct goldilocks_set *s, uint64_t m)
{
    for (uint32_t k = 0; k < s->len; k++)
        if (s->at[k] == m)
            return true;
    return false;
}

static void add(struct goldilocks_set *s, uint64_t m)
{
    if (has(s, m))
        return;
    pf_vec_push(s, m);
}

static void drop(struct goldilocks_set *s, uint64_t m)
{
    for (uint32_t k = 0; k < s->len; k++)
        if (s->at[k] == m)
            s->at[k--] = s->at[--s->len];
}

static void pass_on(struct goldilocks_set *s, uint64_t from, uint64_t to)
{
    if (has(s, from))
        add(s, to);
}

static bool releases(const struct pf_event *e)
{
    return !(e->flags & (PF_EF_RELAXED | PF_EF_ACQUIRE));
}

/* Decides which release sequences the atomic store i ends, and makes its thread a head. */
static void note_store(struct goldilocks_run *g, uint32_t i)
{
    const struct pf_event *e = &g->t->events.at[i];
    const struct pf_range *p = &g->t->places.at[e->what];
    uint64_t me = 1ull << (e->thread & 63);
    for (uint32_t k = 0; k < p->ncells && k < 64; k++) {
        uint64_t *heads = &g->heads[p->cell0 + k];
        if (e->kind == PF_EV_AWRITE && (releases(e) || !(*heads & me))) {
            g->ended[i] |= 1ull << k;
            *heads = 0;
        }
        if (releases(e) || (g->fenced & me))
            *heads |= me;
    }
}

static void replay_atomic(const struct goldilocks_run *g, struct goldilocks_set *s, uint32_t i)
{
    const struct pf_event *e = &g->t->events.at[i];
    const struct pf_range *p = &g->t->places.at[e->what];
    uint64_t me = member(THREAD, e->thread, 0);
    bool acquires = !(e->flags & (PF_EF_RELAXED | PF_EF_RELEASE));
    for (uint32_t c = p->cell0; c < p->cell0 + p->ncells && pf_event_reads(e); c++)
        pass_on(s, member(ATOMIC, c, 0), acquires ? me : member(SEEN, e->thread, 0));
    for (uint32_t c = p->cell0; c < p->cell0 + p->ncells && pf_event_writes(e); c++) {
        if (g->ended[i] >> (c - p->cell0) & 1)
            drop(s, member(ATOMIC, c, 0));
        pass_on(s, releases(e) ? me : member(FENCED, e->thread, 0), member(ATOMIC, c, 0));
    }
}

static void replay_fence(struct goldilocks_set *s, const struct pf_event *e)
{
    uint64_t me = member(THREAD, e->thread, 0);
    if (!(e->flags & PF_EF_RELEASE))
        pass_on(s, member(SEEN, e->thread, 0), me);
    if (!(e->flags & PF_EF_ACQUIRE))
        pass_on(s, me, member(FENCED, e->thread, 0));
}

static void replay(const struct goldilocks_run *g, struct goldilocks_set *s, uint32_t i)
{
    const struct pf_event *e = &g->t->events.at[i];
    uint64_t me = member(THREAD, e->thread, 0);
    switch (e->kind) {
    case PF_EV_FORK:
        pass_on(s, me, member(THREAD, e->what, 0));
        return;
    case PF_EV_JOIN:
        pass_on(s, member(THREAD, e->what, 0), me);
        return;
    case PF_EV_ARRIVE:
        pass_on(s, me, member(BARRIER, e->what, e->link));
        return;
    case PF_EV_DEPART:
        pass_on(s, member(BARRIER, e->what, e->link), me);
        return;
    case PF_EV_POST:
        pass_on(s, me, member(SYNC, e->what, 0));
        return;
    case PF_EV_TAKE:
        pass_on(s, member(SYNC, e->what, 0), me);
        return;
    case PF_EV_SIGNAL:
    case PF_EV_BROADCAST:
        pass_on(s, me, member(NOTIFY, i, 0));
        return;
    case PF_EV_AREAD:
    case PF_EV_AWRITE:
    case PF_EV_RMW:
        replay_atomic(g, s, i);
        return;
    case PF_EV_FENCE:
        replay_fence(s, e);
        return;
    default:
        break;
    }
    uint32_t lock = pf_event_lock(e);
    if (e->kind == PF_EV_WAKE && pf_trace_waker(g->t, i) != PF_NONE)
        pass_on(s, member(NOTIFY, pf_trace_waker(g->t, i), 0), me);
    if (pf_event_acquires(e)) {
        pass_on(s, member(LOCK, lock, 0), me);
        if (!pf_event_shared(e))
            pass_on(s, member(RDLOCK, lock, 0), me);
    } else if (pf_event_releases(e))
        pass_on(s, me, member(pf_event_shared(e) ? RDLOCK : LOCK, lock, 0));
}

/* True if the newer access can represent the older one of its thread. The first write after an
 * allocation (pf_event_creates) represents it. */
static bool same_kind(const struct pf_event *old, const struct pf_event *new)
{
    if (pf_event_creates(old))
        return pf_event_writes(new);
    return pf_event_writes(old) == pf_event_writes(new) &&
           pf_event_atomic(old) == pf_event_atomic(new);
}

static bool synchronises(const struct pf_event *e)
{
    switch (pf_event_class[e->kind]) {
    case PF_CLASS_ACQUIRE:
    case PF_CLASS_RELEASE:
    case PF_CLASS_NOTIFY:
    case PF_CLASS_BARRIER:
    case PF_CLASS_MESSAGE:
    case PF_CLASS_FENCE:
        return true;
    case PF_CLASS_THREAD:
        return e->kind == PF_EV_FORK || e->kind == PF_EV_JOIN;
    default:
        return pf_event_atomic(e);
    }
}

void pf_analysis_goldilocks(const struct pf_trace *t, const struct pf_limits *limits,
                            struct pf_result *out)
{
    struct goldilocks_run g = {.t = t,
                               .ended = pf_mem_zero(t->events.len, sizeof *g.ended),
                               .heads = pf_mem_zero(t->cells.len, sizeof *g.heads)};
    struct pf_pair_set seen = {0};
    struct goldilocks_var *vars = pf_mem_zero(t->cells.len, sizeof *vars);
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (pf_stop_poll_loop(limits->stop, i, t->events.len)) {
            out->stopped = true;
            break;
        }
        bool sync = synchronises(e);
        /* An atomic operation is added to the list before its access is checked, because its
         * acquire may order the access. Its release does not affect the check. */
        if (sync)
            pf_vec_push(&g.syncs, i);
        if (e->kind == PF_EV_FENCE && !(e->flags & PF_EF_ACQUIRE))
            g.fenced |= 1ull << (e->thread & 63);
        if (pf_event_atomic(e) && pf_event_writes(e))
            note_store(&g, i);
        bool examined = pf_event_is_access(e) || pf_event_creates(e);
        const struct pf_range *p = examined ? &t->places.at[e->what] : NULL;
        for (uint32_t c = p ? p->cell0 : 0; p && c < p->cell0 + p->ncells; c++) {
            if (!pf_cell_can_race(&t->cells.at[c]))
                continue;
            struct goldilocks_var *v = &vars[c];
            struct goldilocks_set *mine = NULL;
            for (uint32_t k = 0; k < v->sets.len; k++) {
                struct goldilocks_set *s = &v->sets.at[k];
                const struct pf_event *o = &t->events.at[s->event];
                if (o->thread == e->thread && same_kind(o, e))
                    mine = s;
                if (!pf_trace_conflict(t, o, e) && !pf_trace_uses_created(t, o, e))
                    continue;
                for (; s->upto < g.syncs.len; s->upto++)
                    replay(&g, s, g.syncs.at[s->upto]);
                if (!has(s, member(THREAD, e->thread, 0)) &&
                    (limits->all_pairs || pf_pair_set_add(&seen, o->site, e->site)))
                    pf_vec_push(&out->races, (struct pf_race){.a = s->event, .b = i});
            }
            if (!mine) {
                pf_vec_push(&v->sets, (struct goldilocks_set){0});
                mine = &v->sets.at[v->sets.len - 1];
            }
            mine->event = i;
            mine->len = 0;
            add(mine, member(THREAD, e->thread, 0));
            /* replay this event, too: its own release counts */
            mine->upto = (uint32_t)g.syncs.len - sync;
        }
    }
    for (size_t c = 0; c < t->cells.len; c++) {
        for (uint32_t k = 0; k < vars[c].sets.len; k++)
            free(vars[c].sets.at[k].at);
        pf_vec_release(&vars[c].sets);
    }
    free(vars);
    pf_vec_release(&g.syncs);
    free(g.ended);
    free(g.heads);
    pf_pair_set_release(&seen);
    pf_result_sort(out);
}
