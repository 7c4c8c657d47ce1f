/*
 * deadlock.c - see deadlock.h.
 */
#define _GNU_SOURCE
#include "deadlock.h"
#include "cond_queue.h"
#include "findings_log.h"
#include "reporter.h"
#include "scheduler.h"
#include "stack.h"
#include "stream_ring.h"
#include "sys.h"
#include "textbuf.h"
#include <dlfcn.h>
#include <link.h>

#define STATUS 66 /* exit status, as for findings */
#define LOCK_SIZE 16 /* the futexes of every lock of libc are in its first 16 bytes */
#define ABANDONED_MAX 64
#define TEXT_MAX (sizeof((struct pf_channel *)0)->text - 80)

/* Locks that threads held when they ended; the oldest ones are replaced. */
static struct {
    uintptr_t lock;
    uint32_t thread;
} abandoned[ABANDONED_MAX];
static uint32_t nabandoned;

/* The last wait whose time limit has passed. */
static struct {
    char function[40], file[64];
    uint32_t line, thread;
} gave_up;

void pf_deadlock_note_abandoned(uintptr_t lock)
{
    uint32_t i = nabandoned++ % ABANDONED_MAX;
    abandoned[i].lock = lock;
    abandoned[i].thread = pf_context_self()->number;
}

/* Takes the interposed function, and the position where the program called it. */
static bool take_call(const struct pf_position *p, void *arg)
{
    int *n = arg;
    if (!(*n)++)
        pf_copy_text(gave_up.function, sizeof gave_up.function, p->func);
    pf_copy_text(gave_up.file, sizeof gave_up.file, p->file ? pf_str_base(p->file) : NULL);
    gave_up.line = p->line;
    return !p->file && *n < 4;
}

void pf_deadlock_note_timeout(const struct pf_context *c)
{
    int n = 0;
    gave_up.function[0] = 0;
    gave_up.thread = c->number;
    if (c->tls->thread && c->tls->thread->context.frames)
        pf_stack_walk_live(c->tls->thread, take_call, &n);
}

/* The thread that has ended and held the lock that contains this futex; NULL: none. */
static const struct pf_context *ended_holder(uint64_t futex, uintptr_t *lock)
{
    for (uint32_t k = 0; k < nabandoned && k < ABANDONED_MAX; k++)
        if (abandoned[k].lock <= futex && futex - abandoned[k].lock < LOCK_SIZE) {
            *lock = abandoned[k].lock;
            return pf_context_at(abandoned[k].thread);
        }
    return NULL;
}

/* The thread that holds the lock that contains this futex, and the lock. Of several possible locks,
 * it is the one with the highest address. NULL: unknown, and *lock is unchanged. */
static struct pf_context *holder(uint64_t futex, uintptr_t *lock)
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
                *lock = t->order.held[k].addr;
            }
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

/* The thread that must act before c can continue; NULL: unknown. */
static struct pf_context *waits_for(const struct pf_context *c)
{
    uintptr_t lock;
    if (c->state != PF_CONTEXT_WAITING || c->wait.kind != PF_WAIT_FUTEX)
        return NULL;
    struct pf_context *to = joined(c->wait.object);
    return to ? to : holder(c->wait.object, &lock);
}

/* True if c is in a cycle of threads that wait for each other. */
static bool is_in_cycle(const struct pf_context *c)
{
    uint32_t steps = 0;
    const struct pf_context *at = waits_for(c);
    while (at && at != c && steps++ < pf_contexts())
        at = waits_for(at);
    return at == c;
}

uint64_t pf_deadlock_lock_between(const struct pf_context *from, const struct pf_context *to)
{
    uintptr_t lock = 0;
    uint32_t steps = 0;
    while (from && from != to && steps++ < pf_contexts()) {
        const struct pf_context *next = waits_for(from);
        if (next && !lock && !joined(from->wait.object))
            holder(from->wait.object, &lock);
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
    const struct pf_thread *thread = c->state == PF_CONTEXT_ENDED ? NULL : c->tls->thread;
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
        uintptr_t lock;
        const struct pf_context *ended = to ? NULL : ended_holder(c->wait.object, &lock);
        if (c->wait.kind == PF_WAIT_FUTEX && (to || ended)) {
            pf_text_add(t, " held by ");
            add_name(t, to ? to : ended);
            pf_text_add(t, to ? "" : ", which has ended");
        }
    }
    struct where w = {t, 0};
    if (c->tls->thread && c->tls->thread->context.frames)
        pf_stack_walk_live(c->tls->thread, add_position, &w);
    pf_text_char(t, '\n');
}

/* True if the end of the last time limit may have caused the deadlock: a thread waits for a lock
 * that the thread of that wait holds or held when it ended, or the schedule let the limit pass
 * early. */
static bool limit_matters(void)
{
    bool matters = pf_direct.limit_passed_early;
    for (uint32_t i = 0; i < pf_contexts() && gave_up.function[0]; i++) {
        const struct pf_context *c = pf_context_at(i);
        if (c->state != PF_CONTEXT_WAITING || c->wait.kind != PF_WAIT_FUTEX)
            continue;
        uintptr_t lock;
        const struct pf_context *to = holder(c->wait.object, &lock);
        to = to ? to : ended_holder(c->wait.object, &lock);
        matters |= to && to->number == gave_up.thread;
    }
    return matters && gave_up.function[0];
}

static void add_limit(struct pf_text *t)
{
    pf_text_add(t, "the time limit of ");
    pf_text_name(t, gave_up.function);
    if (gave_up.file[0]) {
        pf_text_add(t, " (");
        pf_text_name(t, gave_up.file);
        pf_text_char(t, ':');
        pf_text_u64(t, gave_up.line);
        pf_text_char(t, ')');
    }
    pf_text_add(t, " had passed in ");
    add_name(t, pf_context_at(gave_up.thread));
}

/* Adds the cycle of waiting threads through c. Returns false if there is none. */
static bool add_cycle(struct pf_text *t, struct pf_context *c)
{
    struct pf_context *at = c;
    if (!is_in_cycle(c))
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
    uintptr_t lock = 0;
    if (c->state == PF_CONTEXT_WAITING && c->wait.kind == PF_WAIT_FUTEX &&
        !joined(c->wait.object) && !holder(c->wait.object, &lock))
        ended_holder(c->wait.object, &lock);
    if (e->n < PF_FAILURE_THREADS && c->tls->thread && c->tls->thread->context.frames)
        e->at[e->n++] = (struct pf_failed_thread){.t = c->tls->thread, .lock = lock};
}

/* Adds the threads of the cycle through c. Returns false if there is none. */
static bool add_failed_cycle(struct pf_failure *e, struct pf_context *c)
{
    struct pf_context *at = c;
    if (!is_in_cycle(c))
        return false;
    do {
        add_failed(e, at);
        at = waits_for(at);
    } while (at != c);
    return true;
}

/* Reports the failure as a finding: the threads of a cycle, or all threads if there is none. */
static void report_failure(enum pf_outcome outcome)
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
    struct pf_pool pool;
    struct pf_text limit;
    pf_pool_init(&pool, pf_report_map, pf_report_unmap);
    pf_text_init(&limit, &pool);
    if (limit_matters()) {
        add_limit(&limit);
        pf_text_char(&limit, 0);
        e.limit = limit.failed ? NULL : limit.at;
    }
    pf_failure_found(&e, !pf_direct.tracing);
    pf_pool_release(&pool);
}

static bool take_function(const struct pf_position *p, void *arg)
{
    struct pf_blocked *b = arg;
    if (!p->file || !*p->file) /* a function of the program has a file */
        pf_copy_text(b->function, sizeof b->function, p->func);
    return false; /* the innermost one */
}

/* The futex that the thread waits for, unless that has a queue of its own (cond_queue.h). */
static uint64_t awaited_lock(const struct pf_context *c, bool waits)
{
    bool queued = c->wait.object == (uint64_t)c->cond.cond;
    return waits && c->wait.kind == PF_WAIT_FUTEX && !queued ? c->wait.object : 0;
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
                                 .object = awaited_lock(c, waits)};
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
    report_failure(outcome);
    pf_deadlock_list_blocked(true);
    pf_pool_init(&pool, pf_report_map, pf_report_unmap);
    pf_text_init(&t, &pool);
    for (uint32_t i = 0; i < pf_contexts(); i++)
        if (pf_context_at(i)->state == PF_CONTEXT_WAITING && add_cycle(&t, pf_context_at(i)))
            break;
    if (limit_matters()) {
        pf_text_add(&t, "  ");
        add_limit(&t);
        pf_text_char(&t, '\n');
    }
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
