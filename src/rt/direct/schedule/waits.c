/*
 * waits.c - see waits.h. Queues are lists in order of arrival, and the earliest deadline is found
 * by a walk over all of them: programs have few threads.
 */
#include "waits.h"
#include "breakpoint.h"
#include "cond_queue.h"
#include "deadlock.h"
#include "schedule_stream.h"
#include "scheduler.h"
#include "sys.h"

#define FAR_NS (24ull * 3600 * 1000000000) /* a time limit further away is not meant to pass */

#define BUCKETS 256
#define POLL_EVERY 16 /* decisions between two polls of descriptors while threads can run */

static struct {
    struct pf_queue futex[BUCKETS];
    struct pf_queue other; /* waits that are not futexes */
    uint32_t external; /* threads that wait for something external */
    uint32_t shared; /* of these, threads that wait for a futex in shared memory */
    uint64_t deadline; /* lower bound of all deadlines; 0: none */
    uint32_t since_poll;
    bool polling;
} w;

_Static_assert(BUCKETS == 1u << (64 - 56), "the shift gives an index");
static struct pf_queue *bucket(uint64_t address)
{
    return &w.futex[(address >> 2) * 0x9e3779b97f4a7c15u >> 56];
}

static bool is_external(const struct pf_context *c)
{
    return c->wait.shared || (c->wait.kind != PF_WAIT_FUTEX && c->wait.kind != PF_WAIT_TIME);
}

void pf_waits_add(struct pf_context *c)
{
    uint64_t deadline = c->wait.deadline;
    pf_queue_add(c->wait.kind == PF_WAIT_FUTEX ? bucket(c->wait.object) : &w.other, c);
    w.external += is_external(c);
    w.shared += c->wait.shared;
    if (deadline && (!w.deadline || deadline < w.deadline))
        w.deadline = deadline;
}

void pf_waits_remove(struct pf_context *c)
{
    w.external -= is_external(c);
    w.shared -= c->wait.shared;
    pf_queue_remove(c);
}

void pf_waits_forget(void) { pf_zero(&w, sizeof w); }

bool pf_waits_external(void) { return w.external; }
bool pf_waits_shared(void) { return w.shared; }
bool pf_waits_external_or_timed(void) { return w.external || w.deadline; }

/* --- waits ended by other threads --- */

uint32_t pf_sched_wake_futex(uint64_t address, uint32_t n, uint32_t mask)
{
    uint32_t found = 0;
    for (struct pf_context *c = bucket(address)->first, *next; c && found < n; c = next) {
        next = c->next;
        if (c->wait.object != address || !(c->wait.mask & mask))
            continue;
        pf_sched_wake(c, PF_WOKEN);
        pf_sched_became_ready(c);
        found++;
    }
    return found;
}

struct pf_context *pf_sched_futex_waiter(uint64_t address, uint32_t *n)
{
    struct pf_context *first = NULL;
    *n = 0;
    for (struct pf_context *c = bucket(address)->first; c; c = c->next)
        if (c->wait.object == address) {
            first = first ? first : c;
            ++*n;
        }
    return first;
}

uint32_t pf_sched_requeue_futex(uint64_t from, uint64_t to, uint32_t n)
{
    uint32_t found = 0;
    for (struct pf_context *c = bucket(from)->first, *next; c && found < n; c = next) {
        next = c->next;
        if (c->wait.object != from)
            continue;
        pf_queue_remove(c);
        c->wait.object = to;
        pf_queue_add(bucket(to), c);
        found++;
    }
    return found;
}

struct pf_context *pf_sched_next_waiter(struct pf_context *after, struct pf_wait *out)
{
    struct pf_context *c = after ? after->next : w.other.first;
    if (c)
        *out = c->wait;
    return c;
}

/* --- waits ended from outside --- */

static void wake_recorded(struct pf_context *c, enum pf_woken how)
{
    struct pf_segment seg = {.thread = c->number, .end = PF_END_WOKEN, .n = how};
    if (pf_direct.mode == PF_DIRECT_RECORD)
        pf_schedule_put(&seg);
    pf_sched_wake(c, how);
}

void pf_waits_note_timeout(struct pf_context *c)
{
    pf_cond_expire(c);
    if (c->wait.kind == PF_WAIT_FUTEX)
        pf_deadlock_note_timeout(c);
    uint64_t now = pf_sched_now();
    if (c->wait.kind == PF_WAIT_FUTEX && c->wait.deadline > now)
        pf_resident_note_early_limit(c->wait.deadline - now > FAR_NS);
}

void pf_waits_expire(struct pf_context *c) { wake_recorded(c, PF_WOKEN_TIMEOUT); }

void pf_waits_put_first(struct pf_context *c)
{
    struct pf_segment seg = {.thread = c->number, .end = PF_END_WOKEN, .n = PF_WOKEN_FIRST};
    if (pf_direct.mode == PF_DIRECT_RECORD)
        pf_schedule_put(&seg);
    pf_cond_put_first(c);
}

static void end_wait_as(struct pf_context *c, enum pf_woken how)
{
    if (c->state != PF_CONTEXT_WAITING)
        return;
    if (w.polling)
        wake_recorded(c, how);
    else
        pf_sched_wake(c, how);
}
void pf_sched_end_wait(struct pf_context *c) { end_wait_as(c, PF_WOKEN); }
void pf_sched_interrupt_wait(struct pf_context *c) { end_wait_as(c, PF_WOKEN_SIGNAL); }

/* --- waits ended by time --- */

static uint64_t earliest(struct pf_queue *q, uint64_t least)
{
    for (struct pf_context *c = q->first; c; c = c->next)
        if (c->wait.deadline && (!least || c->wait.deadline < least))
            least = c->wait.deadline;
    return least;
}

static void expire_queue(struct pf_queue *q, uint64_t now)
{
    for (struct pf_context *c = q->first, *next; c; c = next) {
        next = c->next;
        if (c->wait.deadline && c->wait.deadline <= now)
            wake_recorded(c, PF_WOKEN_TIMEOUT);
    }
}

static void expire(void)
{
    uint64_t now = pf_sched_now();
    if (!w.deadline || now < w.deadline)
        return;
    expire_queue(&w.other, now);
    for (unsigned i = 0; i < BUCKETS; i++)
        expire_queue(&w.futex[i], now);
    w.deadline = earliest(&w.other, 0);
    for (unsigned i = 0; i < BUCKETS; i++)
        w.deadline = earliest(&w.futex[i], w.deadline);
}

/* The virtual time of the next deadline or timer; 0: none. */
static uint64_t next_deadline(void)
{
    uint64_t timer = pf_timer_deadline();
    return !w.deadline || (timer && timer < w.deadline) ? timer : w.deadline;
}
bool pf_waits_time_can_wake(void) { return next_deadline(); }

void pf_sched_time_passed(uint64_t ns)
{
    struct pf_segment seg = {.end = PF_END_TIME, .n = ns};
    pf_sched_advance_clock(ns);
    if (pf_direct.mode == PF_DIRECT_RECORD)
        pf_schedule_put(&seg);
    bool polling = w.polling;
    w.polling = false; /* the timers fired here fire again in a replay by themselves */
    pf_signal_take_arrived();
    w.polling = polling;
}

/* --- polling --- */

void pf_sched_poll_soon(void) { w.since_poll = POLL_EVERY; }

bool pf_waits_poll_due(void)
{
    uint64_t next = next_deadline();
    return (w.external && w.since_poll + 1 >= POLL_EVERY) || (next && pf_sched_now() >= next);
}

bool pf_waits_poll_inside(void)
{
    w.since_poll = 0;
    w.polling = true;
    bool any = pf_waiters_poll(0);
    w.polling = false;
    return any;
}

void pf_waits_poll(bool wait, uint64_t until)
{
    bool polls = w.external && (wait || ++w.since_poll >= POLL_EVERY), any = false;
    uint64_t next = next_deadline();
    if (until && (!next || until < next))
        next = until;
    if (polls) {
        w.since_poll = 0;
        w.polling = true;
        any = pf_waiters_poll(wait ? next : pf_sched_now());
        w.polling = false;
    }
    if (wait && !any) {
        uint64_t now = pf_sched_now();
        if (!next) {
            pf_breakpoint_flip_stuck();
            pf_sched_end_stuck(false);
        }
        if (next > now)
            pf_sched_time_passed(next - now);
    }
    expire();
}
