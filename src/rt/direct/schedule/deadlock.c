/*
 * deadlock.c - see deadlock.h.
 */
#define _GNU_SOURCE
#include "deadlock.h"
#include "cond_queue.h"
#include "race.h"
#include "race_log.h"
#include "scheduler.h"
#include "stack.h"
#include "stream_ring.h"
#include "sys.h"
#include "textbuf.h"
#include <dlfcn.h>
#include <link.h>

#define STATUS 66
#define LOCK_SIZE 64 /* no lock of libc is larger; its futexes are inside */
#define TEXT_MAX (sizeof((struct pf_channel *)0)->text - 80)

/* The thread that holds the lock that contains this futex. Of several possible locks, it is the
 * one with the highest address. NULL: unknown. */
static struct pf_context *holder(uint64_t futex)
{
    struct pf_context *found = NULL;
    uint64_t nearest = LOCK_SIZE;
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        struct pf_context *c = pf_context_at(i);
        const struct pf_thread *t = c->state == PF_CONTEXT_ENDED ? NULL : c->tls->thread;
        for (uint32_t k = 0; t && k < t->order.nheld; k++)
            if (t->order.held[k].addr <= futex && futex - t->order.held[k].addr < nearest) {
                nearest = futex - t->order.held[k].addr;
                found = c;
            }
    }
    return found;
}

/* The held lock that contains this futex. */
static uintptr_t lock_at(uint64_t futex)
{
    const struct pf_thread *t = holder(futex)->tls->thread;
    uintptr_t found = futex;
    uint64_t nearest = LOCK_SIZE;
    for (uint32_t k = 0; k < t->order.nheld; k++)
        if (t->order.held[k].addr <= futex && futex - t->order.held[k].addr < nearest) {
            nearest = futex - t->order.held[k].addr;
            found = t->order.held[k].addr;
        }
    return found;
}

/* The thread whose end this futex signals; NULL: the futex is something else. */
static struct pf_context *joined(uint64_t futex)
{
    for (uint32_t i = 0; i < pf_contexts(); i++)
        if ((uint64_t)pf_context_at(i)->clear_tid == futex &&
            pf_context_at(i)->state != PF_CONTEXT_ENDED)
            return pf_context_at(i);
    return NULL;
}

static struct pf_context *waits_for(const struct pf_context *c)
{
    if (c->state != PF_CONTEXT_WAITING || c->wait.kind != PF_WAIT_FUTEX)
        return NULL;
    struct pf_context *to = joined(c->wait.object);
    return to ? to : holder(c->wait.object);
}

uint64_t pf_deadlock_lock_between(const struct pf_context *from, const struct pf_context *to)
{
    uint64_t lock = 0;
    uint32_t steps = 0;
    while (from && from != to && steps++ < pf_contexts()) {
        const struct pf_context *next = waits_for(from);
        if (next && !lock && !joined(from->wait.object))
            lock = lock_at(from->wait.object);
        from = next;
    }
    return from == to ? lock : 0;
}

static void add_name(struct pf_text *t, const struct pf_context *c)
{
    if (c->number == 0)
        pf_text_add(t, "main thread");
    else {
        pf_text_add(t, "thread T");
        pf_text_u64(t, c->number);
    }
    const struct pf_thread *thread = c->tls->thread;
    if (thread && thread->name[0]) {
        pf_text_add(t, " '");
        pf_text_name(t, thread->name);
        pf_text_char(t, '\'');
    }
}

struct where {
    struct pf_text *t;
    int n;
};
/* Adds the interposed function, and the position where the program called it. */
static bool add_position(const struct pf_position *p, void *arg)
{
    struct where *w = arg;
    pf_text_add(w->t, w->n++ ? ", called from " : ", in ");
    pf_text_name(w->t, p->func);
    if (p->file) {
        pf_text_add(w->t, " (");
        pf_text_name(w->t, pf_str_base(p->file));
        pf_text_char(w->t, ':');
        pf_text_u64(w->t, p->line);
        pf_text_char(w->t, ')');
    }
    return !p->file && w->n < 4;
}

/* Adds the name of the loaded object that contains this code address, and the offset in it. */
static void add_object(struct pf_text *t, uint64_t at)
{
    struct dl_find_object o;
    if (_dl_find_object((void *)at, &o) != 0)
        return;
    const char *name = o.dlfo_link_map->l_name;
    pf_text_add(t, " (");
    pf_text_name(t, *name ? pf_str_base(name) : "the program");
    pf_text_add(t, " + ");
    pf_text_address(t, at - o.dlfo_link_map->l_addr);
    pf_text_char(t, ')');
}

static void add_wait(struct pf_text *t, const struct pf_context *c)
{
    static const char *const what[] = {"a lock or condition", "a descriptor", "a deadline",
                                       "a child process", "a signal"};
    struct pf_context *to = waits_for(c);
    pf_text_add(t, "  ");
    add_name(t, c);
    if (c->state == PF_CONTEXT_SPINS) {
        pf_text_add(t, " waits in a loop for a change of the memory at ");
        pf_text_address(t, c->wait_loop.word[0].address);
    } else if (c->state != PF_CONTEXT_WAITING) {
        pf_text_add(t, c->spin_yielded ? " spins in a loop without events" : " can run");
        if (c->spin_yielded)
            add_object(t, c->spin_address);
    } else if (to && joined(c->wait.object) == to) {
        pf_text_add(t, " waits for the end of ");
        add_name(t, to);
    } else {
        pf_text_add(t, " waits for ");
        pf_text_add(t, what[c->wait.kind]);
        if (c->wait.kind == PF_WAIT_FUTEX) {
            uint64_t in_own = c->wait.object - (uint64_t)&c->cond.own;
            pf_text_add(t, " at ");
            pf_text_address(t, c->cond.cond && in_own < sizeof c->cond.own ? (uint64_t)c->cond.cond
                                                                           : c->wait.object);
        }
        if (to) {
            pf_text_add(t, " held by ");
            add_name(t, to);
        }
    }
    struct where w = {t, 0};
    if (c->tls->thread && c->tls->thread->context.frames)
        pf_stack_walk_live(c->tls->thread, add_position, &w);
    pf_text_char(t, '\n');
}

/* Adds the cycle of waiting threads through c. Returns false if there is none. */
static bool add_cycle(struct pf_text *t, struct pf_context *c)
{
    uint32_t steps = 0;
    struct pf_context *at = waits_for(c);
    while (at && at != c && steps++ < pf_contexts())
        at = waits_for(at);
    if (at != c)
        return false;
    pf_text_add(t, "  cycle: ");
    do {
        add_name(t, at);
        pf_text_add(t, " -> ");
        at = waits_for(at);
    } while (at != c);
    add_name(t, c);
    pf_text_char(t, '\n');
    return true;
}

static void add_failed(struct pf_failure *e, const struct pf_context *c)
{
    bool lock = c->state == PF_CONTEXT_WAITING && c->wait.kind == PF_WAIT_FUTEX &&
                !joined(c->wait.object) && holder(c->wait.object);
    if (e->n < PF_FAILURE_THREADS && c->tls->thread && c->tls->thread->context.frames)
        e->at[e->n++] = (struct pf_failed_thread){.t = c->tls->thread,
                                                  .lock = lock ? lock_at(c->wait.object) : 0};
}

/* Adds the threads of the cycle through c. Returns false if there is none. */
static bool add_failed_cycle(struct pf_failure *e, struct pf_context *c)
{
    uint32_t steps = 0;
    struct pf_context *at = waits_for(c);
    while (at && at != c && steps++ < pf_contexts())
        at = waits_for(at);
    if (!at || at != c)
        return false;
    do {
        add_failed(e, at);
        at = waits_for(at);
    } while (at != c);
    return true;
}

/* Reports the failure as a finding: the threads of a cycle, or all threads if there is none. */
static void find_failure(enum pf_outcome outcome)
{
    struct pf_failure e = {.kind =
                               outcome == PF_OUTCOME_HANG ? PF_FAILURE_HANG : PF_FAILURE_DEADLOCK};
    bool cycle = false;
    if (pf_direct.exploring)
        return; /* the replay of its clip reports it */
    for (uint32_t i = 0; i < pf_contexts() && !cycle; i++)
        cycle =
            pf_context_at(i)->state == PF_CONTEXT_WAITING && add_failed_cycle(&e, pf_context_at(i));
    for (uint32_t i = 0; i < pf_contexts() && !cycle; i++)
        if (pf_context_at(i)->state != PF_CONTEXT_ENDED)
            add_failed(&e, pf_context_at(i));
    pf_failure_found(&e, !pf_direct.tracing);
}

static bool take_function(const struct pf_position *p, void *arg)
{
    struct pf_blocked *b = arg;
    for (size_t n = 0; p->func && p->func[n] && n < sizeof b->function - 1; n++)
        b->function[n] = p->func[n];
    return false; /* the innermost one */
}

void pf_deadlock_list_blocked(bool stuck)
{
    struct pf_channel *channel = pf_channel_get();
    if (!channel || !channel->exploring || channel->nblocked)
        return;
    for (uint32_t i = 0; i < pf_contexts() && channel->nblocked < PF_BLOCKED_MAX; i++) {
        const struct pf_context *c = pf_context_at(i);
        struct pf_blocked *b = &channel->blocked[channel->nblocked];
        if (c->state == PF_CONTEXT_ENDED)
            continue;
        /* a wait with a time limit may end at any time */
        bool timed = c->wait.deadline && !c->wait.shared &&
                     (c->wait.kind == PF_WAIT_FUTEX || c->wait.kind == PF_WAIT_TIME);
        bool waits = c->state == PF_CONTEXT_WAITING && !timed;
        *b = (struct pf_blocked){.thread = c->number,
                                 .waits = waits || stuck           ? PF_BLOCKED_WAITS
                                          : c == pf_context_self() ? PF_BLOCKED_ENDS
                                                                   : PF_BLOCKED_RUNS,
                                 .event = pf_context_events(c),
                                 .expired = pf_cond_expired(c),
                                 .object =
                                     waits && c->wait.kind == PF_WAIT_FUTEX ? c->wait.object : 0};
        if (c->tls->thread && c->tls->thread->context.frames)
            pf_stack_walk_live(c->tls->thread, take_function, b);
        channel->nblocked++;
    }
}

static _Noreturn void report(enum pf_outcome outcome)
{
    struct pf_pool pool;
    struct pf_text t;
    pf_nest();
    find_failure(outcome);
    pf_deadlock_list_blocked(true);
    pf_pool_init(&pool, pf_race_map, pf_race_unmap);
    pf_text_init(&t, &pool);
    for (uint32_t i = 0; i < pf_contexts(); i++)
        if (pf_context_at(i)->state == PF_CONTEXT_WAITING && add_cycle(&t, pf_context_at(i)))
            break;
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        size_t before = t.n;
        if (pf_context_at(i)->state == PF_CONTEXT_ENDED)
            continue;
        add_wait(&t, pf_context_at(i));
        if (t.n > TEXT_MAX) {
            t.n = before;
            pf_text_add(&t, "  and other threads\n");
            break;
        }
    }
    pf_text_char(&t, 0);
    pf_direct_end();
    pf_channel_set_outcome(outcome, t.failed ? "" : t.at);
    for (;;)
        pf_sys(SYS_exit_group, STATUS);
}

_Noreturn void pf_deadlock(void) { report(PF_OUTCOME_DEADLOCK); }
_Noreturn void pf_livelock(void) { report(PF_OUTCOME_HANG); }
