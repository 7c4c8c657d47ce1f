/*
 * fasttrack.c - happens-before with the epochs of FastTrack.
 *
 * A plain write is kept as one epoch: once a write is ordered after all earlier accesses, any later
 * race with one of those is also a race with the write. Writes that raced with a newer write are
 * kept in addition, because later accesses may race with both. Reads and atomics need not be
 * ordered among themselves; they are kept as one epoch while they are ordered, otherwise as a
 * vector. An allocation (pf_event_creates) is kept like an atomic write.
 */
#include "analysis.h"
#include "clocks.h"
#include <string.h>

struct fasttrack_stamp {
    uint32_t epoch, event; /* epoch 0: none */
};
struct fasttrack_accesses {
    uint16_t thread; /* the thread of `one` */
    struct fasttrack_stamp one;
    struct fasttrack_stamp *all; /* by thread; NULL while `one` suffices */
};
enum { ATOMIC_READS, ATOMIC_WRITES, RACING_WRITES, KINDS };
struct fasttrack_var {
    uint16_t wthread;
    struct fasttrack_stamp write;
    struct fasttrack_accesses read;
    struct fasttrack_accesses *rare; /* by kind; NULL while there are none */
};
struct fasttrack_run {
    const struct pf_trace *t;
    struct pf_clocks o;
    struct pf_pair_set seen;
    struct pf_result *out;
    bool all_pairs;
};

static void race(struct fasttrack_run *r, uint32_t a, uint32_t b)
{
    const struct pf_event *e = r->t->events.at;
    if (r->all_pairs || pf_pair_set_add(&r->seen, e[a].site, e[b].site))
        pf_vec_push(&r->out->races, (struct pf_race){.a = a, .b = b});
}

/* Reports a race of event i with each unordered access in m. Returns true if there was one. */
static bool check_many(struct fasttrack_run *r, const struct fasttrack_accesses *m, uint32_t thread,
                       uint32_t i)
{
    bool found = false;
    if (m->all) {
        for (uint32_t u = 0; u < r->o.nt; u++)
            if (m->all[u].epoch && !pf_clocks_seen(&r->o, thread, u, m->all[u].epoch)) {
                race(r, m->all[u].event, i);
                found = true;
            }
    } else if (m->one.epoch && !pf_clocks_seen(&r->o, thread, m->thread, m->one.epoch)) {
        race(r, m->one.event, i);
        found = true;
    }
    return found;
}

/* Adds an access. `covers`: it is ordered after m->one, so it can replace that one. */
static void add_access(struct fasttrack_run *r, struct fasttrack_accesses *m, uint32_t thread,
                       struct fasttrack_stamp access, bool covers)
{
    if (!m->all && (!m->one.epoch || m->thread == thread || covers)) {
        m->thread = (uint16_t)thread;
        m->one = access;
        return;
    }
    if (!m->all) {
        m->all = pf_mem_zero(r->o.nt, sizeof *m->all);
        m->all[m->thread] = m->one;
    }
    m->all[thread] = access;
}

static void add_current(struct fasttrack_run *r, struct fasttrack_accesses *m, uint32_t thread,
                        struct fasttrack_stamp now)
{
    add_access(r, m, thread, now, pf_clocks_seen(&r->o, thread, m->thread, m->one.epoch));
}

static void clear_many(struct fasttrack_accesses *m)
{
    free(m->all);
    m->all = NULL;
    m->one.epoch = 0;
}

static struct fasttrack_accesses *rare(struct fasttrack_var *v, int kind)
{
    if (!v->rare)
        v->rare = pf_mem_zero(KINDS, sizeof *v->rare);
    return &v->rare[kind];
}

static bool check_write(struct fasttrack_run *r, const struct fasttrack_var *v, uint32_t thread,
                        uint32_t i)
{
    if (v->rare)
        check_many(r, &v->rare[RACING_WRITES], thread, i);
    bool found = v->write.epoch && !pf_clocks_seen(&r->o, thread, v->wthread, v->write.epoch);
    if (found)
        race(r, v->write.event, i);
    return found;
}

static void plain_write(struct fasttrack_run *r, struct fasttrack_var *v, uint32_t t,
                        struct fasttrack_stamp now)
{
    if (v->write.epoch == now.epoch && v->wthread == t && !v->read.one.epoch && !v->read.all &&
        !v->rare) {
        v->write.event = now.event;
        return;
    }
    if (!check_many(r, &v->read, t, now.event))
        clear_many(&v->read);
    bool keep = false;
    for (int k = 0; v->rare && k < KINDS; k++)
        if (check_many(r, &v->rare[k], t, now.event))
            keep = true;
        else
            clear_many(&v->rare[k]);
    if (v->rare && !keep) {
        free(v->rare);
        v->rare = NULL;
    }
    if (v->write.epoch && !pf_clocks_seen(&r->o, t, v->wthread, v->write.epoch)) {
        race(r, v->write.event, now.event);
        /* not add_current: the clock of that thread has moved on since its write */
        add_access(r, rare(v, RACING_WRITES), v->wthread, v->write, false);
    }
    v->write = now;
    v->wthread = (uint16_t)t;
}

static void access_cell(struct fasttrack_run *r, struct fasttrack_var *v, const struct pf_event *e,
                        uint32_t i)
{
    uint32_t t = e->thread;
    struct fasttrack_stamp now = {pf_clocks_epoch(&r->o, t), i};
    if (pf_event_creates(e)) {
        add_current(r, rare(v, ATOMIC_WRITES), t, now);
        return;
    }
    if (pf_event_atomic(e)) {
        check_write(r, v, t, i);
        if (pf_event_writes(e))
            check_many(r, &v->read, t, i);
        add_current(r, rare(v, pf_event_writes(e) ? ATOMIC_WRITES : ATOMIC_READS), t, now);
        return;
    }
    if (pf_event_writes(e)) {
        plain_write(r, v, t, now);
        return;
    }
    check_write(r, v, t, i);
    if (v->rare)
        check_many(r, &v->rare[ATOMIC_WRITES], t, i);
    add_current(r, &v->read, t, now);
}

void pf_analysis_hb(const struct pf_trace *t, const struct pf_limits *limits, struct pf_result *out)
{
    struct fasttrack_run r = {.t = t, .out = out, .all_pairs = limits->all_pairs};
    pf_clocks_init(&r.o, t, PF_CLOCKS_LOCKS | PF_CLOCKS_ATOMICS);
    struct fasttrack_var *vars = pf_mem_zero(t->cells.len, sizeof *vars);
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (pf_stop_poll_loop(limits->stop, i, t->events.len)) {
            out->stopped = true;
            break;
        }
        pf_clocks_enter(&r.o, i);
        if (pf_event_is_access(e) || pf_event_creates(e)) {
            const struct pf_range *p = &t->places.at[e->what];
            for (uint32_t c = p->cell0; c < p->cell0 + p->ncells; c++)
                if (pf_cell_can_race(&t->cells.at[c]))
                    access_cell(&r, &vars[c], e, i);
        }
        pf_clocks_leave(&r.o, i);
    }
    for (size_t c = 0; c < t->cells.len; c++) {
        free(vars[c].read.all);
        for (int k = 0; vars[c].rare && k < KINDS; k++)
            free(vars[c].rare[k].all);
        free(vars[c].rare);
    }
    free(vars);
    pf_clocks_release(&r.o);
    pf_pair_set_release(&r.seen);
    pf_result_sort(out);
}
