/*
 * waits.c - see waits.h. Queues are lists in order of arrival, and the earliest deadline is found by a walk
 * over all of them: programs have a few threads.
 */
#include "waits.h"
#include "breakpoint.h"
#include "schedule_stream.h"
#include "scheduler.h"

#define BUCKETS 256
#define POLL_EVERY 16 /* decisions between two looks at descriptors while others can run */

static struct {
    struct pf_queue futex[BUCKETS];
    struct pf_queue other; /* waits that are not futexes */
    uint32_t outside; /* threads that wait for something outside */
    uint32_t shared; /* those of them that wait for a futex in shared memory */
    uint64_t deadline; /* of all who wait; a lower bound; 0: none */
    uint32_t since_poll;
    bool polling;
} w;

static struct pf_queue *bucket(uint64_t address)
{
    return &w.futex[(address >> 2) * 0x9e3779b97f4a7c15u >> 56];
}

static bool is_outside(const struct pf_context *c)
{
    return c->wait.shared || (c->wait.kind != PF_WAIT_FUTEX && c->wait.kind != PF_WAIT_TIME);
}

void pf_waits_add(struct pf_context *c)
{
    uint64_t deadline = c->wait.deadline;
    pf_queue_add(c->wait.kind == PF_WAIT_FUTEX ? bucket(c->wait.object) : &w.other, c);
    w.outside += is_outside(c);
    w.shared += c->wait.shared;
    if (deadline && (!w.deadline || deadline < w.deadline))
        w.deadline = deadline;
}

void pf_waits_remove(struct pf_context *c)
{
    w.outside -= is_outside(c);
    w.shared -= c->wait.shared;
    pf_queue_remove(c);
}

bool pf_waits_outside(void) { return w.outside; }
bool pf_sched_waits_shared(void) { return w.shared; }
bool pf_waits_any(void) { return w.outside || w.deadline; }

/* --- ended by other threads --- */

uint32_t pf_sched_wake_futex(uint64_t address, uint32_t n, uint32_t mask)
{
    uint32_t found = 0;
    for (struct pf_context *c = bucket(address)->first, *next; c && found < n; c = next) {
        next = c->next;
        if (c->wait.object != address || !(c->wait.mask & mask))
            continue;
        pf_sched_wake(c, PF_WOKEN);
        pf_sched_arrived(c);
        found++;
    }
    return found;
}

struct pf_context *pf_sched_waiter(uint64_t address, uint32_t *n)
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

uint32_t pf_sched_requeue(uint64_t from, uint64_t to, uint32_t n)
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

/* --- ended from outside --- */

static void woken_from_outside(struct pf_context *c, enum pf_woken how)
{
    struct pf_segment seg = {.thread = c->number, .end = PF_END_WOKEN, .n = how};
    if (pf_direct.mode == PF_DIRECT_RECORD)
        pf_schedule_put(&seg);
    pf_sched_wake(c, how);
}

static void end_wait(struct pf_context *c, enum pf_woken how)
{
    if (c->state != PF_CONTEXT_WAITING)
        return;
    if (w.polling)
        woken_from_outside(c, how);
    else
        pf_sched_wake(c, how);
}
void pf_sched_ready(struct pf_context *c) { end_wait(c, PF_WOKEN); }
void pf_sched_interrupt(struct pf_context *c) { end_wait(c, PF_WOKEN_SIGNAL); }

/* --- ended by time --- */

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
            woken_from_outside(c, PF_WOKEN_LATE);
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

/* The next moment at which something happens by itself; 0: never. */
static uint64_t next_moment(void)
{
    uint64_t timer = pf_world_deadline();
    return !w.deadline || (timer && timer < w.deadline) ? timer : w.deadline;
}
bool pf_waits_moment(void) { return next_moment(); }

void pf_sched_pass(uint64_t ns)
{
    struct pf_segment seg = {.end = PF_END_TIME, .n = ns};
    pf_sched_jump(ns);
    if (pf_direct.mode == PF_DIRECT_RECORD)
        pf_schedule_put(&seg);
    bool polling = w.polling;
    w.polling = false; /* the timers that this fires fire again in a replay */
    pf_world_signals();
    w.polling = polling;
}

/* --- the look --- */

void pf_sched_stirred(void) { w.since_poll = POLL_EVERY; }

bool pf_waits_due(void)
{
    uint64_t moment = next_moment();
    return (w.outside && w.since_poll + 1 >= POLL_EVERY) || (moment && pf_sched_now() >= moment);
}

void pf_waits_look(bool wait, uint64_t until)
{
    bool polls = w.outside && (wait || ++w.since_poll >= POLL_EVERY), any = false;
    uint64_t moment = next_moment();
    if (until && (!moment || until < moment))
        moment = until;
    if (polls) {
        w.since_poll = 0;
        w.polling = true;
        any = pf_world_poll(wait ? moment : pf_sched_now());
        w.polling = false;
    }
    if (wait && !any) {
        uint64_t now = pf_sched_now();
        if (!moment) {
            pf_point_stuck();
            pf_sched_stuck(false);
        }
        if (moment > now)
            pf_sched_pass(moment - now);
    }
    expire();
}
