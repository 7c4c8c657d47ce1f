/*
 * access_order.c - see access_order.h.
 *
 * The two accesses could also be named by their numbers, as in a flip (breakpoint.h). That fails
 * as soon as one of the threads spins, because the number of its iterations depends on the order.
 */
#include "access_order.h"
#include "deadlock.h"
#include "inside_waits.h"
#include "number_text.h"
#include "random.h"
#include "schedule_plan.h"
#include "scheduler.h"
#include "scheduler_state.h"
#include "spinners.h"
#include "stack.h"
#include "stream_ring.h"
#include "sys.h"

#define TURN 64 /* most events of one turn while the order is pending */
#define LONG_TURN 4096 /* the same for the thread of the first access, if nothing is random */
#define IDLE_MAX 100 /* how often time may pass while a thread is held and none runs */
#define FIRST 1u
#define SECOND 2u

static struct {
    struct pf_order_request want;
    char plan[sizeof((struct pf_channel *)0)->folder + 24];
    bool active;
    enum { PENDING, TURNS, DONE } phase; /* TURNS: the two accesses happen now */
    struct pf_context *held;
    struct pf_context *turn[2];
    uint32_t turns, turned;
    bool others; /* the next turn is for another thread than that of the first access */
    uint64_t random; /* state of the random numbers; 0: turns are not random */
    uint32_t idle;
    uint64_t began, since; /* events of all threads: at the checkpoint, when the hold began */
} o;

static void hold(struct pf_context *c, uint64_t events)
{
    o.held = c;
    o.since = events;
    c->fuzz.held = true;
}

static void release_held(void)
{
    struct pf_context *c = o.held;
    o.held = NULL;
    if (!c)
        return;
    c->fuzz.held = false;
    pf_sched_release(c);
}

/* The seed of the policy NAME:SEED, plus 1; 0: another policy. */
static uint64_t seed_of(const char *policy, const char *name)
{
    uint64_t seed = 0;
    for (; *name; name++, policy++)
        if (*policy != *name)
            return 0;
    pf_number_parse(policy, &seed);
    return seed + 1;
}

void pf_access_order_begin(const struct pf_order_request *request, const char *plan)
{
    o.want = *request;
    pf_copy_text(o.plan, sizeof o.plan, plan);
    o.active = true;
    o.phase = PENDING;
    o.others = true; /* the thread of the first access has the first turn */
    o.random = seed_of(request->policy, request->together ? "pct:" : "random:");
    if (request->together) /* half of the runs have no random turns; seeds are small */
        o.random = o.random % 2 ? 0 : o.random * 0x9e3779b97f4a7c15ull;
    o.began = pf_scheduler.events;
    pf_direct.fuzzing = true;
    for (uint32_t i = 0; i < pf_contexts(); i++)
        pf_context_at(i)->fuzz.unseen = pf_context_at(i)->before_event;
    struct pf_context *c = pf_context_at(request->access[1].thread);
    if (!request->hold_at_once || !c ||
        (c->state != PF_CONTEXT_READY && c->state != PF_CONTEXT_RUNNING))
        return;
    if (c->state == PF_CONTEXT_READY)
        pf_queue_remove(c);
    c->state = PF_CONTEXT_HELD;
    hold(c, o.began);
}

bool pf_access_order_pending(void) { return o.active && o.phase != DONE; }

/* --- which access it is --- */

static bool take_position(const struct pf_position *p, void *arg)
{
    struct pf_ordered_access *a = arg;
    a->file = pf_reached_file(p->file);
    a->line = p->line;
    a->column = p->column;
    return !p->file; /* continues past functions without a file, as in traces */
}

static bool is_access(const struct pf_context *c, const struct pf_pending_event *e,
                      const struct pf_ordered_access *a)
{
    struct pf_ordered_access here = {0};
    if (c->number != a->thread || e->site == PF_PENDING_NO_SITE || !__pf_tls.thread ||
        !pf_stack_watched())
        return false;
    if (a->called ? e->address != 0
                  : (e->write != a->write && !e->atomic) || e->address >= a->address + a->size ||
                        a->address >= e->address + e->size)
        return false;
    pf_stack_walk(pf_stack_id(__pf_tls.thread, e->site), take_position, &here);
    return here.file == a->file && here.line == a->line &&
           (!a->column || !here.column || here.column == a->column);
}

/* The number of the event that c performs now or is about to perform. */
static uint64_t number_of(const struct pf_context *c)
{
    return pf_context_events(c) + (c->before_event ? 1 : 0);
}

uint16_t pf_access_order_marks(struct pf_context *c, const struct pf_pending_event *event)
{
    struct pf_order_outcome *out = pf_channel_order();
    uint16_t marks = 0;
    if (!o.active || !out || o.phase == TURNS || (out->happened[0] && out->happened[1]))
        return 0;
    if (!out->happened[0] && is_access(c, event, &o.want.access[0]))
        marks = FIRST;
    else if (!out->happened[1] && is_access(c, event, &o.want.access[1]))
        marks = SECOND;
    if (o.phase == PENDING || !marks)
        return marks;
    out->happened[marks == SECOND] = number_of(c);
    out->reversed |= marks == SECOND && !out->happened[0];
    return 0;
}

/* --- decisions --- */

/* Both threads have arrived at their accesses: c now, the held thread earlier. */
static enum pf_fuzz_decision take_turns_together(struct pf_context *c, struct pf_order_outcome *out)
{
    bool second = c->fuzz.marks == SECOND;
    o.turn[second] = c;
    o.turn[!second] = o.held;
    o.turns = 2;
    for (unsigned i = 0; i < 2; i++)
        out->happened[i] = number_of(o.turn[i]);
    o.phase = TURNS;
    release_held();
    return PF_FUZZ_TURN;
}

enum pf_fuzz_decision pf_access_order_decide(struct pf_context *c, uint64_t events)
{
    struct pf_order_outcome *out = pf_channel_order();
    o.idle = 0;
    if (o.phase != PENDING || !c->fuzz.marks)
        return PF_FUZZ_PASS;
    if (o.want.together && o.held)
        return take_turns_together(c, out);
    if (c->fuzz.marks == SECOND || o.want.together) {
        hold(c, events);
        return PF_FUZZ_HOLD;
    }
    out->happened[0] = number_of(c);
    o.phase = TURNS;
    o.turn[o.turns++] = c;
    /* A thread that was held from the start may still be far from its access. */
    if (o.held && !o.want.hold_at_once) {
        out->happened[1] = number_of(o.held);
        o.turn[o.turns++] = o.held;
    }
    release_held();
    return PF_FUZZ_TURN;
}

bool pf_access_order_has_turns(void) { return o.turned < o.turns; }

static bool can_run(const struct pf_context *c)
{
    return c && (c->state == PF_CONTEXT_READY || c->state == PF_CONTEXT_RUNNING);
}

/* Of the threads that can run, other than c, the one with this number; NULL: there are fewer. */
static struct pf_context *other_thread(const struct pf_context *c, uint64_t number)
{
    struct pf_context *self = pf_scheduler.self;
    if (self != c && self->state == PF_CONTEXT_RUNNING && !number--)
        return self;
    for (struct pf_context *k = pf_scheduler.ready.first; k; k = k->next)
        if (k != c && !number--)
            return k;
    return NULL;
}

/* A random thread gets a turn of random length, so that the runs of both orders under random
 * schedules differ in nothing but the order. About half of the turns are for c, the thread of the
 * first access. */
static struct pf_context *random_turn(struct pf_context *c, uint64_t *n)
{
    uint64_t others = 0;
    while (other_thread(c, others))
        others++;
    *n = 1 + pf_random_next(&o.random) % TURN;
    if (can_run(c) && (!others || pf_random_next(&o.random) % 2))
        return c;
    return others ? other_thread(c, pf_random_next(&o.random) % others) : NULL;
}

/* The thread that is to arrive at its access. */
static struct pf_context *awaited(void)
{
    unsigned late = o.want.together ? o.want.together - 1 : 0;
    bool arrived = o.want.together && o.held && o.held->number == o.want.access[late].thread;
    return pf_context_at(o.want.access[arrived ? !late : late].thread);
}

/* First come the turns of one event each, in which the two accesses happen. While the order is
 * pending, the turns let the first access happen; other threads also get turns, because its thread
 * may wait for them. */
struct pf_context *pf_access_order_next_turn(uint64_t *n)
{
    *n = 1;
    while (o.turned < o.turns)
        if (can_run(o.turn[o.turned++]))
            return o.turn[o.turned - 1];
    if (o.phase != PENDING)
        return NULL;
    struct pf_context *c = awaited();
    if (o.random)
        return random_turn(c, n);
    struct pf_context *other = other_thread(c, 0);
    o.others = !o.others;
    bool first = can_run(c) && !(o.others && other);
    *n = first ? LONG_TURN : TURN;
    return first ? c : other;
}

/* --- releasing the held thread --- */

static enum pf_order_obstacle obstacle(struct pf_order_outcome *out)
{
    const struct pf_context *c = awaited();
    if (!c)
        return PF_ORDER_UNBORN;
    out->released = pf_context_events(c);
    if (c->state == PF_CONTEXT_ENDED)
        return PF_ORDER_ENDED;
    if (o.held && (out->lock = pf_deadlock_lock_between(c, o.held)))
        return PF_ORDER_LOCK;
    if (pf_scheduler.self->ends_process)
        return PF_ORDER_EXIT;
    if (c->state != PF_CONTEXT_WAITING)
        return PF_ORDER_SPIN;
    bool inside =
        c->wait.kind == PF_WAIT_FUTEX || c->wait.kind == PF_WAIT_TIME || pf_waits_are_inside();
    return inside ? PF_ORDER_WAIT : PF_ORDER_EXTERNAL;
}

/* The order cannot be enforced: the policy decides from now on. */
static void give_up(void)
{
    struct pf_order_outcome *out = pf_channel_order();
    out->obstacle = obstacle(out);
    o.phase = DONE;
    if (o.want.together) {
        out->reversed = 1;
    } else if (o.held && !o.want.hold_at_once) { /* it performs its access next */
        out->happened[1] = number_of(o.held);
        out->reversed = 1;
    }
    release_held();
    pf_direct.fuzzing = false;
}

void pf_access_order_release_one(bool now)
{
    if (pf_spinners_may_count()) /* they run next */
        return;
    if (o.phase == PENDING && o.held && (now || ++o.idle >= IDLE_MAX))
        give_up();
}

void pf_access_order_only_yields(void)
{
    if (o.active && o.phase == PENDING && o.held)
        give_up();
}

static bool is_hopeless(uint64_t events)
{
    const struct pf_context *c = awaited();
    if (!o.held)
        return false;
    return events - o.since > o.want.patience || (c && c->state == PF_CONTEXT_ENDED) ||
           (c && c->state == PF_CONTEXT_WAITING && pf_deadlock_lock_between(c, o.held));
}

bool pf_access_order_is_due(uint64_t events)
{
    return o.phase == TURNS || (o.phase == PENDING && is_hopeless(events));
}

void pf_access_order_update(uint64_t events)
{
    if (o.phase == PENDING && is_hopeless(events))
        give_up();
    if (o.phase != TURNS || o.turned < o.turns)
        return;
    o.phase = DONE;
    pf_direct.fuzzing = false;
    pf_schedule_plan_load_lenient(o.plan);
}

/* --- the end --- */

void pf_access_order_segment_closed(uint64_t events)
{
    struct pf_order_outcome *out = o.active ? pf_channel_order() : NULL;
    if (out)
        out->events = events > o.began ? events - o.began : 0;
}

bool pf_access_order_limit_reached(uint64_t events)
{
    /* it may be less than `began`: the event of a thread that is held at once is taken back */
    if (!o.active || !o.want.limit || events <= o.began || events - o.began <= o.want.limit)
        return false;
    pf_channel_order()->limited = 1;
    return true;
}
