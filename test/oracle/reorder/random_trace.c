/*
 * random_trace.c - see random_trace.h. Simulates memory, locks and waits, so that the trace is
 * consistent.
 */
#include "random_trace.h"
#include <stdio.h>
#include <string.h>

#define MAX_THREADS 8
#define MAX_LOCKS 8
#define MAX_VARS 16

struct thread {
    bool started, ended;
    uint8_t depth[MAX_LOCKS]; /* nesting depth if held exclusively */
    bool reads[MAX_LOCKS];    /* held shared */
    bool waiting, at_barrier, marked;
    uint32_t calls[2], ncalls;
    /* per open call: first and last event of the running callback; PF_NONE: none runs */
    uint32_t first[2], last[2];
    uint32_t wait_lock;
};

struct sim {
    struct pf_trace *t;
    const struct pf_random_shape *s;
    uint64_t rnd;
    struct thread th[MAX_THREADS];
    uint8_t mem[MAX_VARS][8];
    uint32_t at_barrier, posts;
    bool notified[MAX_THREADS], block;
    uint32_t spinner; /* 1 + the thread that holds the lock made of an atomic variable */
    uint32_t reach_vars[4096]; /* per call event: bit set of variables */
};

uint64_t pf_random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static uint32_t pick(struct sim *m, uint32_t n) { return (uint32_t)(pf_random_next(&m->rnd) % n); }

static uint32_t named(struct sim *m, enum pf_role role, const char *prefix, uint32_t k)
{
    char text[16];
    int n = snprintf(text, sizeof text, "%s%u", prefix, k);
    return pf_trace_role_number(m->t, role, pf_trace_name(m->t, text, (size_t)n));
}

static struct pf_event *add(struct sim *m, enum pf_event_kind kind, uint32_t thread, uint32_t what)
{
    uint32_t site = pf_trace_site(m->t, pf_trace_name(m->t, "", 0), (uint32_t)m->t->events.len + 1);
    struct pf_event *e = pf_trace_add(m->t, kind, thread);
    e->site = site;
    e->what = what;
    return e;
}

static uint64_t var_addr(struct sim *m, uint32_t v)
{
    char text[16];
    int n = snprintf(text, sizeof text, "x%u", v);
    return pf_trace_variable(m->t, pf_trace_name(m->t, text, (size_t)n));
}

static uint64_t load(const uint8_t *p, uint32_t size)
{
    uint64_t v = 0;
    memcpy(&v, p, size);
    return v;
}

static void access_var(struct sim *m, uint32_t t)
{
    uint32_t v = pick(m, m->s->variables), off = 0, size = 8;
    if (m->s->features & PF_RANDOM_SIZES) {
        static const uint8_t choice[][2] = {{0, 8}, {0, 4}, {4, 4}, {2, 4}};
        uint32_t k = pick(m, 4);
        off = choice[k][0], size = choice[k][1];
    }
    uint32_t place = pf_trace_place(m->t, var_addr(m, v) + off, size);
    uint64_t old = load(&m->mem[v][off], size), value = pick(m, m->s->values);
    if (size > 4 && pick(m, 2))
        value |= value << 32;
    uint32_t kind = pick(m, (m->s->features & PF_RANDOM_ATOMIC) ? 7 : 4);
    static const uint8_t kinds[] = {PF_EV_READ,  PF_EV_READ,   PF_EV_READ, PF_EV_WRITE,
                                    PF_EV_AREAD, PF_EV_AWRITE, PF_EV_RMW};
    struct pf_event *e = add(m, kinds[kind], t, place);
    if (pf_event_writes(e))
        memcpy(&m->mem[v][off], &value, size);
    e->value = pf_event_writes(e) ? value : old;
    if (e->kind == PF_EV_RMW) {
        e->link = (uint32_t)m->t->olds.len;
        pf_vec_push(&m->t->olds, old);
    }
}

static bool lock_free(const struct sim *m, uint32_t l, bool shared)
{
    for (uint32_t u = 0; u < m->s->threads; u++)
        if (m->th[u].depth[l] || (!shared && m->th[u].reads[l]))
            return false;
    return true;
}

static void lock_op(struct sim *m, uint32_t t)
{
    uint32_t l = pick(m, m->s->locks), name = named(m, PF_ROLE_LOCK, "m", l);
    struct thread *th = &m->th[t];
    if (th->reads[l]) {
        add(m, PF_EV_RDUNLOCK, t, name);
        th->reads[l] = false;
    } else if (th->depth[l]) {
        if ((m->s->features & PF_RANDOM_RECURSIVE) && th->depth[l] < 3 && !pick(m, 3)) {
            add(m, PF_EV_LOCK, t, name);
            th->depth[l]++;
        } else {
            add(m, PF_EV_UNLOCK, t, name);
            th->depth[l]--;
        }
    } else if ((m->s->features & PF_RANDOM_RWLOCK) && lock_free(m, l, true) && pick(m, 2)) {
        add(m, PF_EV_RDLOCK, t, name);
        th->reads[l] = true;
    } else if (lock_free(m, l, false)) {
        add(m, PF_EV_LOCK, t, name);
        th->depth[l] = 1;
    } else if (m->s->features & PF_RANDOM_TRYLOCK)
        add(m, PF_EV_TRYFAIL, t, name);
}

static uint32_t spin_place(struct sim *m)
{
    return pf_trace_place(m->t, pf_trace_variable(m->t, pf_trace_name(m->t, "spin", 4)), 8);
}

/* Acquires the lock, releases it with a store or an rmw, or fails to acquire it. */
static void spin_op(struct sim *m, uint32_t t)
{
    bool mine = m->spinner == t + 1, store = mine && pick(m, 2);
    struct pf_event *e = add(m, store ? PF_EV_AWRITE : PF_EV_RMW, t, spin_place(m));
    e->value = !mine;
    if (!store) {
        e->link = (uint32_t)m->t->olds.len;
        pf_vec_push(&m->t->olds, m->spinner != 0);
    }
    m->spinner = mine ? 0 : m->spinner ? m->spinner : t + 1;
}

static void cond_op(struct sim *m, uint32_t t)
{
    uint32_t c = named(m, PF_ROLE_COND, "c", 0), l = pick(m, m->s->locks);
    if (m->th[t].depth[l] == 1 && pick(m, 2)) {
        struct pf_event *e = add(m, PF_EV_WAIT, t, c);
        e->link = named(m, PF_ROLE_LOCK, "m", l);
        m->th[t].depth[l] = 0;
        m->th[t].waiting = true;
        m->th[t].wait_lock = l;
        m->notified[t] = false;
        return;
    }
    add(m, pick(m, 2) ? PF_EV_SIGNAL : PF_EV_BROADCAST, t, c);
    for (uint32_t u = 0; u < m->s->threads; u++)
        m->notified[u] = true;
}

static void call_op(struct sim *m, uint32_t t)
{
    struct thread *th = &m->th[t];
    uint32_t f = named(m, PF_ROLE_CALL, "f", 0);
    if (th->ncalls && pick(m, 2)) {
        add(m, PF_EV_RET, t, f)->link = th->calls[--th->ncalls];
        return;
    }
    if (th->ncalls == 2)
        return;
    uint32_t vars = pick(m, 1u << m->s->variables) & pick(m, 1u << m->s->variables);
    uint32_t call = (uint32_t)m->t->events.len, reach = pf_trace_reach(m->t);
    for (uint32_t v = 0; v < m->s->variables; v++)
        if (vars >> v & 1)
            pf_trace_reach_add(m->t, PF_NONE, pf_trace_place(m->t, var_addr(m, v), 8));
    add(m, PF_EV_CALL, t, f)->link = reach;
    m->reach_vars[call] = vars;
    th->calls[th->ncalls++] = call;
}

/* Missing calls store without an event. */
static void unseen_write(struct sim *m)
{
    for (uint32_t u = 0; u < m->s->threads; u++)
        for (uint32_t k = 0; k < m->th[u].ncalls; k++) {
            bool callbacks = m->s->features & PF_RANDOM_CALLBACK;
            uint32_t v = pick(m, m->s->variables);
            if (callbacks && k + 1 < m->th[u].ncalls)
                continue; /* it waits for the call inside it */
            if ((m->reach_vars[m->th[u].calls[k]] >> v & 1) && !pick(m, 3)) {
                m->mem[v][0] = (uint8_t)pick(m, m->s->values);
                m->th[u].first[k] = PF_NONE; /* the callback has ended */
            }
        }
}

static void stray_write(struct sim *m)
{
    if ((m->s->features & PF_RANDOM_STRAY) && !pick(m, 10))
        m->mem[pick(m, m->s->variables)][0] = (uint8_t)pick(m, m->s->values);
}

static void block_op(struct sim *m, uint32_t t)
{
    uint64_t addr = 0x5000;
    if (!m->block) {
        add(m, PF_EV_ALLOC, t, pf_trace_new_block(m->t, addr, 8));
        m->block = true;
        memset(m->mem[MAX_VARS - 1], 0, 8);
    } else if (!pick(m, 3)) {
        add(m, PF_EV_FREE, t, pf_trace_place(m->t, addr, 8));
        m->block = false;
    } else if (pick(m, 2)) {
        uint64_t v = pick(m, m->s->values);
        add(m, PF_EV_WRITE, t, pf_trace_place(m->t, addr, 8))->value = v;
        memcpy(m->mem[MAX_VARS - 1], &v, 8);
    } else
        add(m, PF_EV_READ, t, pf_trace_place(m->t, addr, 8))->value = load(m->mem[MAX_VARS - 1], 8);
}

static void fork_op(struct sim *m, uint32_t t)
{
    for (uint32_t u = 1; u < m->s->threads; u++) {
        if (!m->th[u].started && u != t) {
            add(m, PF_EV_FORK, t, u);
            m->th[u].started = true;
            return;
        }
        if (u != t && m->th[u].ended && pick(m, 2)) {
            add(m, PF_EV_JOIN, t, u);
            return;
        }
    }
    bool idle = !m->th[t].ncalls;
    for (uint32_t l = 0; l < m->s->locks; l++)
        idle &= !m->th[t].depth[l] && !m->th[t].reads[l];
    if (t && idle && !pick(m, 3)) {
        add(m, PF_EV_END, t, PF_NONE);
        m->th[t].ended = true;
    }
}

/* Event i of thread t belongs to a callback of the call around it, or begins one. */
static void note_callback(struct sim *m, uint32_t t, uint32_t i)
{
    struct thread *th = &m->th[t];
    enum pf_event_kind kind = m->t->events.at[i].kind;
    uint32_t k = kind == PF_EV_CALL ? th->ncalls - 1 : th->ncalls; /* calls around it */
    if (kind == PF_EV_CALL)
        th->first[th->ncalls - 1] = PF_NONE;
    if (!k--)
        return;
    if (th->first[k] == PF_NONE || !pick(m, 4))
        th->first[k] = i;
    else if (th->last[k] != th->first[k])
        pf_trace_set_inner(m->t, th->last[k]);
    th->last[k] = i;
}

static void step(struct sim *m, uint32_t t)
{
    unsigned f = m->s->features;
    struct thread *th = &m->th[t];
    if (th->waiting) {
        if (lock_free(m, th->wait_lock, false) && (m->notified[t] || !pick(m, 4))) {
            struct pf_event *e = add(m, PF_EV_WAKE, t, named(m, PF_ROLE_COND, "c", 0));
            e->link = named(m, PF_ROLE_LOCK, "m", th->wait_lock);
            th->depth[th->wait_lock] = 1;
            th->waiting = false;
        }
        return;
    }
    if (th->at_barrier) {
        if (m->at_barrier >= 2) {
            add(m, PF_EV_DEPART, t, named(m, PF_ROLE_BARRIER, "b", 0));
            th->at_barrier = false;
            bool left = false;
            for (uint32_t u = 0; u < m->s->threads; u++)
                left |= m->th[u].at_barrier;
            m->at_barrier = left ? m->at_barrier : 0;
        }
        return;
    }
    switch (pick(m, 20)) {
    case 0:
        if (f & PF_RANDOM_BRANCH)
            add(m, PF_EV_BRANCH, t, PF_NONE);
        return;
    case 1:
        if (f & PF_RANDOM_COND)
            cond_op(m, t);
        return;
    case 2:
        if ((f & PF_RANDOM_BARRIER) && m->at_barrier < 2) {
            add(m, PF_EV_ARRIVE, t, named(m, PF_ROLE_BARRIER, "b", 0));
            th->at_barrier = true;
            m->at_barrier++;
        }
        return;
    case 3:
        if (f & PF_RANDOM_MESSAGE)
            add(m, pick(m, 2) ? PF_EV_POST : PF_EV_TAKE, t, named(m, PF_ROLE_SYNC, "s", 0));
        return;
    case 4:
        if (f & PF_RANDOM_REGION) {
            add(m, th->marked ? PF_EV_ENDREGION : PF_EV_REGION, t, PF_NONE);
            th->marked = !th->marked;
        }
        if (f & PF_RANDOM_BLOCK)
            block_op(m, t);
        return;
    case 5:
    case 6:
        if (f & PF_RANDOM_CALL)
            call_op(m, t);
        return;
    case 7:
        if (f & PF_RANDOM_FORK)
            fork_op(m, t);
        return;
    case 8:
    case 9:
    case 10:
    case 11:
    case 12:
        if ((f & PF_RANDOM_SPIN) && pick(m, 4))
            spin_op(m, t);
        else if (m->s->locks)
            lock_op(m, t);
        return;
    default:
        access_var(m, t);
    }
}

void pf_random_trace(struct pf_trace *t, const struct pf_random_shape *shape, uint64_t seed)
{
    struct sim m = {.t = t, .s = shape, .rnd = seed};
    pf_trace_init(t);
    t->has_unrecorded_code = (shape->features & PF_RANDOM_STRAY) != 0;
    for (uint32_t u = 0; u < shape->threads; u++) {
        named(&m, PF_ROLE_THREAD, "T", u);
        m.th[u].started = !u || !(shape->features & PF_RANDOM_FORK);
    }
    for (uint32_t v = 0; v < shape->variables; v++)
        pf_vec_push(&t->initials, (struct pf_initial){pf_trace_place(t, var_addr(&m, v), 8), 0});
    if (shape->features & PF_RANDOM_SPIN)
        pf_vec_push(&t->initials, (struct pf_initial){spin_place(&m), 0});
    for (uint32_t tries = 0; t->events.len < shape->events && tries < 40 * shape->events; tries++) {
        uint32_t u = pick(&m, shape->threads);
        size_t before = t->events.len;
        if (m.th[u].started && !m.th[u].ended)
            step(&m, u);
        if ((shape->features & PF_RANDOM_CALLBACK) && t->events.len > before)
            note_callback(&m, u, (uint32_t)before);
        unseen_write(&m);
        stray_write(&m);
    }
    for (size_t i = 0; i < t->events.len; i++) {
        if ((shape->features & PF_RANDOM_BRANCH) && !pick(&m, 12))
            t->events.at[i].flags |= PF_EF_DECIDED;
        t->has_branches |= t->events.at[i].kind == PF_EV_BRANCH;
        t->has_branches |= (t->events.at[i].flags & PF_EF_DECIDED) != 0;
        t->has_calls |= t->events.at[i].kind == PF_EV_CALL;
    }
    pf_trace_seal(t);
}
