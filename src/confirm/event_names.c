/* event_names.c - see event_names.h. */
#include "event_names.h"
#include "trace_text.h"
#include <stdio.h>
#include <string.h>

/* When blocks and threads begin and end, as indices of events; PF_NONE: never, or unknown. */
struct pf_lifetimes {
    uint32_t *allocated, *freed; /* per block */
    uint32_t *ended; /* per thread */
};

static struct pf_lifetimes *lifetimes(struct pf_predict_job *j)
{
    const struct pf_trace *t = &j->t;
    size_t blocks = 1;
    if (j->lifetimes)
        return j->lifetimes;
    for (size_t i = 0; i < t->places.len; i++)
        if (t->places.at[i].block != PF_NONE && t->places.at[i].block >= blocks)
            blocks = t->places.at[i].block + 1;
    struct pf_lifetimes *l = pf_pool_get(&j->pool, sizeof *l);
    l->allocated = pf_pool_get(&j->pool, blocks * sizeof *l->allocated);
    l->freed = pf_pool_get(&j->pool, blocks * sizeof *l->freed);
    l->ended = pf_pool_get(&j->pool, (t->threads.len + 1) * sizeof *l->ended);
    memset(l->allocated, 0xff, blocks * sizeof *l->allocated);
    memset(l->freed, 0xff, blocks * sizeof *l->freed);
    memset(l->ended, 0xff, (t->threads.len + 1) * sizeof *l->ended);
    for (uint32_t i = 0; i < t->events.len; i++) {
        const struct pf_event *e = &t->events.at[i];
        if (e->kind == PF_EV_ALLOC)
            l->allocated[t->places.at[e->what].block] = i;
        else if (e->kind == PF_EV_FREE)
            l->freed[t->places.at[e->what].block] = i;
        else if (e->kind == PF_EV_END)
            l->ended[e->thread] = i;
    }
    return j->lifetimes = l;
}

static const char *known_text(const struct pf_trace *t, uint32_t name)
{
    const char *s = name == PF_NONE ? NULL : pf_trace_text(t, name);
    return s && *s ? s : NULL;
}

/* --- memory --- */

/* The stack of the thread's last event up to `when`, without functions of the C library. */
static struct pf_backtrace last_stack(struct pf_predict_job *j, uint32_t thread, uint32_t when)
{
    for (uint32_t i = when + 1; i-- > 0;) {
        if (j->t.events.at[i].thread != thread)
            continue;
        struct pf_backtrace all = pf_predicted_stack(j, i);
        struct pf_stack_frame *at = pf_pool_get(&j->pool, (all.n + 1) * sizeof *at);
        size_t n = 0;
        for (size_t k = 0; k < all.n; k++)
            if (all.at[k].file)
                at[n++] = all.at[k];
        return (struct pf_backtrace){at, n};
    }
    return (struct pf_backtrace){0};
}

/* The thread whose stack or thread-local storage contains addr. */
static struct pf_location thread_memory(struct pf_predict_job *j, uint64_t addr, uint32_t when)
{
    const struct pf_recorded *r = &j->t.recorded;
    for (uint32_t i = 0; i < r->threads.len; i++) {
        const struct pf_recorded_thread *u = &r->threads.at[i];
        bool tls = addr - u->tls < u->tls_size;
        if (tls || addr - u->stack < u->stack_size)
            return (struct pf_location){.kind = tls ? PF_LOCATION_TLS : PF_LOCATION_STACK,
                                        .thread = pf_event_thread_number(j, i),
                                        .stack = tls ? (struct pf_backtrace){0}
                                                     : last_stack(j, i, when)};
    }
    return (struct pf_location){0};
}

struct pf_location pf_event_location(struct pf_predict_job *j, uint32_t i, uint32_t when)
{
    const struct pf_trace *t = &j->t;
    const struct pf_range *p = &t->places.at[t->events.at[i].what];
    const struct pf_lifetimes *l = lifetimes(j);
    struct pf_variable v;
    if (!t->recorded.present)
        return (struct pf_location){0};
    if (pf_trace_variable_at(t, p->addr, &v))
        return (struct pf_location){.kind = PF_LOCATION_GLOBAL,
                                    .name = pf_trace_text(t, v.symbol),
                                    .file = known_text(t, v.file),
                                    .line = v.line,
                                    .address = v.addr,
                                    .size = v.size};
    uint32_t block = p->block != PF_NONE ? l->allocated[p->block] : PF_NONE;
    if (block == PF_NONE)
        return thread_memory(j, p->addr, when);
    const struct pf_range *whole = &t->places.at[t->events.at[block].what];
    return (struct pf_location){.kind = PF_LOCATION_HEAP,
                                .freed = l->freed[p->block] <= when,
                                .thread = pf_event_thread_number(j, t->events.at[block].thread),
                                .address = whole->addr,
                                .size = whole->size,
                                .stack = pf_predicted_stack(j, block)};
}

const char *pf_event_variable(struct pf_predict_job *j, uint32_t i)
{
    const struct pf_trace *t = &j->t;
    const struct pf_recorded *r = &t->recorded;
    uint32_t place = t->events.at[i].what;
    if (!r->present) {
        char text[160];
        pf_trace_place_text(t, place, text, sizeof text);
        return pf_pool_text(&j->pool, text, strlen(text));
    }
    struct pf_variable v;
    if (pf_trace_variable_at(t, t->places.at[place].addr, &v))
        return pf_source_name(&j->pool, pf_trace_text(t, v.symbol));
    return known_text(t, r->stacks.at[r->event_stack.at[i]].variable);
}

/* --- locks --- */

uintptr_t pf_event_lock_address(const struct pf_predict_job *j, uint32_t lock)
{
    /* a trace read from text has no addresses; the number tells the locks apart */
    return lock < j->t.recorded.lock_address.len ? j->t.recorded.lock_address.at[lock] : lock + 1;
}

const char *pf_event_lock_name(struct pf_predict_job *j, uint32_t lock)
{
    const struct pf_trace *t = &j->t;
    if (lock >= t->recorded.lock_address.len)
        return pf_trace_text(t, t->locks.at[lock]);
    uint64_t addr = t->recorded.lock_address.at[lock];
    struct pf_variable v;
    if (!pf_trace_variable_at(t, addr, &v))
        return NULL;
    if (addr == v.addr)
        return pf_trace_text(t, v.symbol);
    char text[300];
    int n = snprintf(text, sizeof text, "%.250s+0x%llx", pf_trace_text(t, v.symbol),
                     (unsigned long long)(addr - v.addr));
    return pf_pool_text(&j->pool, text, (size_t)n);
}

/* --- threads --- */

uint32_t pf_event_thread_number(const struct pf_predict_job *j, uint32_t thread)
{
    return thread < j->t.recorded.thread.len ? j->t.recorded.thread.at[thread] : thread;
}

struct pf_thread_info pf_event_thread(struct pf_predict_job *j, uint32_t thread, uint32_t when)
{
    const struct pf_trace *t = &j->t;
    const struct pf_lifetimes *l = lifetimes(j);
    struct pf_thread_info a = {.number = pf_event_thread_number(j, thread),
                               .running = l->ended[thread] > when};
    uint32_t start = pf_predicted_start(j, thread);
    if (start != PF_NONE) {
        a.parent = pf_event_thread_number(j, t->events.at[start].thread);
        a.created = pf_predicted_stack(j, start);
    }
    if (thread >= t->recorded.threads.len) {
        a.name = pf_trace_text(t, t->threads.at[thread]);
        return a;
    }
    const struct pf_recorded_thread *u = &t->recorded.threads.at[thread];
    a.name = known_text(t, u->name);
    a.tid = (int64_t)u->id;
    if (u->created != PF_NONE) {
        a.parent = u->parent;
        a.created = pf_recorded_backtrace(j, u->created);
    }
    return a;
}
