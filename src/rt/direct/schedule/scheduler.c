/*
 * scheduler.c - see scheduler.h. The run queue is a list in order of arrival: programs have few
 * threads, and a policy that picks at random must walk the list anyway.
 *
 * If a segment ends and the same thread continues, both parts are written as one segment, unless
 * something from outside happened in between.
 */
#include "access_order.h"
#include "breakpoint.h"
#include "check.h"
#include "deadlock.h"
#include "fuzz_policy.h"
#include "inside_waits.h"
#include "materialise.h"
#include "memory_model.h"
#include "policy.h"
#include "rt.h"
#include "schedule_plan.h"
#include "schedule_stream.h"
#include "scheduler_state.h"
#include "spin_yield.h"
#include "spinners.h"
#include "sys.h"
#include "waits.h"

#define EVENT_NS 50  /* virtual time of an event */
#define CALL_NS 1000 /* virtual time of a system call */
#define YIELDS_MAX 1000000 /* yields after which the states of all threads are compared */
/* Yields after which a thread is no longer held to enforce an order (access_order.h). */
#define ORDER_YIELDS 20000
/* How long (virtual nanoseconds) other threads may wait for something external while a flip holds a
 * thread; then the flip is infeasible. */
#define HOLD_PATIENCE 10000000000ull
/* How long (virtual nanoseconds) threads that wait in a loop do not run while others wait for
 * something external. */
#define SPIN_PATIENCE 10000000ull
#define YIELDS_IDLE 1000 /* yields between two checks whether runnable threads only spin */
#define SPIN_WEIGHT 16 /* a yield in a spin loop (spin_yield.h) counts as much as 16 others */

struct pf_scheduler pf_scheduler;
struct pf_context *pf_running; /* pf_scheduler.self, for event.c */

struct pf_context *pf_context_self(void) { return pf_scheduler.self; }

/* --- events and time --- */

/* If every event is reported: counts the event, and returns true if the grant covers it. Otherwise
 * returns false. */
static bool is_granted(struct pf_context *c)
{
    if (__builtin_expect(!pf_scheduler.every_event, 1))
        return false;
    c->tls->budget = 0;
    return --c->grant_left >= 0;
}

uint64_t pf_context_events(const struct pf_context *c)
{
    return c->events + (c == pf_scheduler.self ? pf_segment_events() : 0);
}

uint64_t pf_sched_now(void)
{
    return (pf_scheduler.events + pf_segment_events()) * EVENT_NS + pf_scheduler.calls * CALL_NS +
           pf_scheduler.jumps_ns;
}
void pf_sched_count_call(void) { pf_scheduler.calls++; }
uint64_t pf_sched_calls(void) { return pf_scheduler.calls; }
void pf_sched_advance_clock(uint64_t ns) { pf_scheduler.jumps_ns += ns; }
uint64_t pf_sched_events(void) { return pf_scheduler.events + pf_segment_events(); }

/* --- the run queue --- */

void pf_sched_wake(struct pf_context *c, enum pf_woken how)
{
    pf_waits_remove(c);
    if (how == PF_WOKEN_TIMEOUT)
        pf_waits_note_timeout(c);
    c->woken = how;
    c->state = PF_CONTEXT_READY;
    pf_policy_add(&pf_scheduler.policy, c);
    pf_queue_add(&pf_scheduler.ready, c);
}

uint64_t pf_sched_boundary(void) { return pf_scheduler.segments_closed; }

/* Called in signal handlers: the budget must not be changed, because compiled code may hold it in a
 * register. */
void pf_sched_preempt_soon(void) { pf_scheduler.preempt_soon = true; }
void pf_sched_spins_alone(void) { pf_scheduler.preempt_soon = pf_scheduler.spins_alone = true; }

uint64_t pf_sched_progress(void)
{
    return pf_scheduler.calls + pf_scheduler.segments_closed + pf_scheduler.events +
           pf_segment_events();
}
bool pf_sched_follows_recording(void) { return pf_scheduler.following; }
bool pf_sched_is_alone(void)
{
    return !pf_scheduler.ready.first && !pf_spinners_any() && !pf_waits_external_or_timed() &&
           !pf_waits_time_can_wake();
}
bool pf_sched_would_yield(void)
{
    return pf_scheduler.following ? pf_sched_must_yield_here()
                                  : pf_scheduler.preempt_soon || !pf_sched_is_alone();
}
bool pf_sched_holds_any(void)
{
    for (uint32_t i = 0; i < pf_contexts(); i++)
        if (pf_context_at(i)->state == PF_CONTEXT_HELD)
            return true;
    return false;
}
bool pf_sched_must_yield_here(void)
{
    return pf_scheduler.following && pf_scheduler.recorded.end == PF_END_YIELDED &&
           pf_scheduler.recorded.n == pf_segment_events();
}

void pf_sched_became_ready(struct pf_context *c)
{
    if (pf_scheduler.self->state == PF_CONTEXT_RUNNING && !pf_scheduler.following &&
        pf_policy_preempts(&pf_scheduler.policy, c, pf_scheduler.self))
        pf_segment_end_grant();
}

void pf_sched_add(struct pf_context *c)
{
    c->state = PF_CONTEXT_READY;
    pf_policy_add(&pf_scheduler.policy, c);
    pf_queue_add(&pf_scheduler.ready, c);
    pf_breakpoint_add_thread(c);
    if (pf_materialised)
        pf_materialise_add(c);
    pf_sched_became_ready(c);
}

/* --- decisions --- */

/* Waits until a thread can run: `current`, or one of the run queue. If none can, it tries in this
 * order to make one runnable: threads that wait inside the process, a thread that the fuzzing
 * policy holds, threads that wait in loops, then time and events from outside. While a flip holds a
 * thread and others wait for something external, it waits no longer than HOLD_PATIENCE. */
static void wait_for_runnable(const struct pf_context *current)
{
    uint64_t give_up =
        pf_breakpoint_flip_holds() && pf_waits_external() ? pf_sched_now() + HOLD_PATIENCE : 0;
    do {
        uint64_t until = give_up;
        if (pf_direct.fuzzing && !current && !pf_scheduler.ready.first) {
            bool inside = pf_waits_external() && pf_waits_are_inside();
            if (inside && pf_waits_poll_inside())
                continue;
            pf_fuzz_policy_release_one((pf_waits_external() && !inside) ||
                                       !pf_waits_time_can_wake());
        }
        if (!current && !pf_scheduler.ready.first && pf_spinners_run())
            return;
        if (!current && pf_spinners_any() && pf_waits_external())
            until = pf_sched_now() + SPIN_PATIENCE;
        pf_waits_poll(!current && !pf_scheduler.ready.first, until);
        if (give_up && !current && !pf_scheduler.ready.first && pf_sched_now() >= give_up)
            pf_breakpoint_flip_timeout();
    } while (!current && !pf_scheduler.ready.first);
}

/* True at least once in YIELDS_IDLE counted yields (up to SPIN_WEIGHT times in a row, if each
 * counts 1). */
static bool is_idle_check_due(void) { return pf_scheduler.yields % YIELDS_IDLE < SPIN_WEIGHT; }

/* Chooses the next thread and its grant. The schedule plan decides first, then the fuzzing policy.
 * If neither does, the thread is `picked`, or if that is NULL, the choice of the policy. */
static struct pf_context *choose(struct pf_context *picked, bool yielded, uint64_t *n)
{
    struct pf_context *me = pf_scheduler.self;
    pf_schedule_plan_run_special(); /* may hold `me` */
    struct pf_context *current = me->state == PF_CONTEXT_RUNNING ? me : NULL;
    pf_breakpoint_flip_limits(pf_scheduler.events, pf_scheduler.yields);
    if (pf_direct.fuzzing)
        pf_fuzz_policy_release_overdue(pf_scheduler.events);
    pf_spinners_wake();
    if (current || pf_scheduler.ready.first)
        pf_spinners_take_chance();
    wait_for_runnable(current);
    if (yielded && pf_scheduler.yields >= YIELDS_IDLE && is_idle_check_due() &&
        (pf_waits_external_or_timed() || pf_waits_time_can_wake()))
        pf_waits_poll(true, 0); /* runnable threads only spin on blocked ones */
    struct pf_context *wanted =
        pf_schedule_plan_wait(current, yielded ? pf_scheduler.yields : 0, n);
    if (wanted)
        return wanted;
    struct pf_context *turn = pf_direct.fuzzing ? pf_fuzz_policy_next_turn(n) : NULL;
    if (turn)
        return turn;
    if (!picked)
        picked = pf_policy_pick(&pf_scheduler.policy, &pf_scheduler.ready, current, yielded,
                                pf_scheduler.events);
    *n = pf_policy_grant(&pf_scheduler.policy, pf_scheduler.events);
    return picked;
}

/* Called when the segment of self is closed: chooses the next thread, grants it events, and
 * returns it. */
static struct pf_context *decide(bool yielded)
{
    struct pf_context *me = pf_scheduler.self, *c = pf_scheduler.picked;
    uint64_t n;
    pf_scheduler.picked = NULL;
    /* not stuck if a policy has released a held thread meanwhile: then it is in the run queue */
    bool stuck_spinning = pf_scheduler.spins_alone && !pf_scheduler.ready.first;
    if (pf_scheduler.yields > ORDER_YIELDS)
        pf_access_order_only_yields();
    bool over = pf_access_order_limit_reached(pf_scheduler.events);
    bool livelock = pf_scheduler.yields > YIELDS_MAX && !pf_scheduler.following &&
                    is_idle_check_due() && pf_spinners_only_yield();
    if ((livelock || stuck_spinning || over) && !pf_scheduler.following) {
        pf_breakpoint_flip_stuck();
        pf_sched_end_stuck(true);
    }
    pf_scheduler.segments_closed++;
    pf_scheduler.preempt_soon = pf_scheduler.spins_alone = false;
    pf_signal_take_arrived();
    if (pf_scheduler.following && !pf_segment_read())
        pf_direct_replay_ended();
    if (pf_scheduler.following) {
        c = pf_context_at(pf_scheduler.recorded.thread);
        n = pf_scheduler.recorded.n;
    } else {
        c = choose(c, yielded, &n);
    }
    if (c->state == PF_CONTEXT_READY)
        pf_queue_remove(c);
    if (me != c && me->state == PF_CONTEXT_RUNNING) {
        me->state = PF_CONTEXT_READY;
        pf_queue_add(&pf_scheduler.ready, me);
    }
    c->state = PF_CONTEXT_RUNNING;
    pf_scheduler.began_before_event = c->before_event;
    pf_segment_grant(c, n);
    return c;
}

void pf_sched_end_segment(enum pf_segment_end how)
{
    pf_segment_close(how);
    pf_breakpoint_before_switch();
    struct pf_context *me = pf_scheduler.self, *c = decide(how == PF_END_YIELDED);
    if (c == me)
        return;
    if (pf_memory_model_active())
        pf_memory_model_switch(c);
    pf_scheduler.self = pf_running = c;
    me->stopped_at = ++pf_scheduler.switches;
    if (__builtin_expect(pf_materialised, 0))
        pf_baton_pass(me, c);
    else
        pf_switch(&me->sp, c->sp, c->fs);
}

/* True if self may continue without closing its segment. Never true while following a recording,
 * because the recorded segment ends here. */
static bool may_continue(struct pf_context *me)
{
    uint64_t rest = pf_segment_rest();
    if (rest && !pf_scheduler.preempt_soon && !pf_scheduler.following) {
        pf_scheduler.done = pf_segment_events();
        pf_segment_grant(me, rest);
        return true;
    }
    if (pf_scheduler.following || pf_scheduler.preempt_soon || pf_waits_poll_due() ||
        pf_schedule_plan_pending())
        return false;
    uint64_t done = pf_segment_events(), events = pf_scheduler.events + done;
    pf_breakpoint_flip_limits(events, pf_scheduler.yields);
    if ((pf_direct.fuzzing && pf_fuzz_policy_is_due(events)) ||
        pf_access_order_limit_reached(events))
        return false;
    pf_spinners_wake();
    if (pf_scheduler.ready.first) {
        struct pf_context *c =
            pf_policy_pick(&pf_scheduler.policy, &pf_scheduler.ready, me, false, events);
        if (c != me) {
            pf_scheduler.picked = c;
            return false;
        }
    }
    pf_scheduler.done = done;
    pf_segment_grant(me, pf_policy_grant(&pf_scheduler.policy, events));
    return true;
}

/* Lets the fuzzing policy decide about the pending access of `me`, and runs other threads as it
 * says. Returns true if `me` has been granted this event: before the call, or when its turn came
 * again. */
static bool hold_for_fuzzing(struct pf_context *me)
{
    bool granted = !me->before_event;
    for (; pf_fuzz_policy_has_turns(); granted = true)
        pf_sched_end_segment(PF_END_PREEMPTED);
    me->before_event = true; /* the access has not happened yet */
    enum pf_fuzz_decision says =
        pf_fuzz_policy_decide(me, pf_scheduler.events + pf_segment_events());
    if (says == PF_FUZZ_PASS) {
        me->before_event = !granted;
        return granted;
    }
    if (says == PF_FUZZ_HOLD)
        me->state = PF_CONTEXT_HELD;
    pf_sched_end_segment(PF_END_PREEMPTED);
    return true;
}

/* `me` is before its event number me->break_at. True if it may continue at once. */
static bool passes_breakpoint(struct pf_context *me)
{
    if (pf_breakpoint_reached(me)) {
        me->state = PF_CONTEXT_HELD;
        return false;
    }
    if (me->fuzz.unseen)
        return false;
    uint64_t rest = pf_segment_rest();
    if (!rest)
        return may_continue(me);
    pf_scheduler.done = pf_segment_events();
    pf_segment_grant(me, rest);
    return true;
}

/* The running thread is before its pending event, and needs_decision has returned true: the thread
 * stops at a breakpoint, leaves the run queue because it waits in a loop, is held by the fuzzing
 * policy, or ends its segment. Returns when the thread may perform the event. */
static void at_preemption_point(void *unused)
{
    (void)unused;
    struct pf_context *me = pf_scheduler.self;
    bool resumed = false; /* other threads ran, and it is the turn of `me` again */
    bool is_until_point = pf_context_events(me) == me->break_at && pf_breakpoint_is_until(me);
    if (is_until_point && pf_segment_rest()) { /* the grant covers the event: no decision follows */
        pf_breakpoint_stop_run();
        is_until_point = false;
    }
    if (me->wait_loop.waits) {
        pf_spinners_add(me);
        pf_sched_end_segment(PF_END_PREEMPTED);
        resumed = true;
    } else if (pf_context_events(me) == me->break_at) {
        if (passes_breakpoint(me))
            return;
    } else if (me->fuzz.marks) {
        resumed = hold_for_fuzzing(me);
        if (!resumed && me->grant_left >= 0) { /* within its grant */
            me->before_event = false;
            return;
        }
        if (!resumed && may_continue(me))
            return;
    }
    if (!resumed)
        pf_sched_end_segment(PF_END_PREEMPTED);
    if (me->fuzz.unseen) { /* it was already before this event when the policy was set */
        me->fuzz.unseen = false;
        me->fuzz.marks = pf_direct.fuzzing ? pf_fuzz_policy_marks(me, &me->pending)
                                           : pf_access_order_marks(me, &me->pending);
        if (me->fuzz.marks)
            hold_for_fuzzing(me);
    }
    if (is_until_point)
        pf_breakpoint_stop_run();
    if (me->signal_due && !__pf_tls.nested)
        pf_signal_run_due();
}

/* `me` is about to perform the event: counts it, and shows it to the memory model, to the fuzzing
 * policy and to the search for wait loops. Returns false if the thread may perform it at once:
 * because its grant covers the event, or because the policy has granted it more events. */
static bool needs_decision(struct pf_context *me, const struct pf_pending_event *event)
{
    bool granted = is_granted(me);
    if (pf_memory_model_active())
        pf_memory_model_enter();
    me->fuzz.marks = 0;
    if (pf_direct.fuzzing && !pf_schedule_plan_pending() && pf_context_events(me) != me->break_at)
        me->fuzz.marks = pf_fuzz_policy_marks(me, event);
    else
        pf_access_order_marks(me, event); /* only notes when the accesses happen */
    me->before_event = true;
    bool waits = !me->fuzz.marks && pf_spinners_recognise(me, event);
    if (granted && !me->fuzz.marks && !waits) {
        me->before_event = false;
        return false;
    }
    me->pending = *event;
    if (me->fuzz.marks || waits)
        return true;
    return pf_context_events(me) == me->break_at || !may_continue(me);
}

void pf_sched_event(const struct pf_pending_event *event)
{
    struct pf_context *me = pf_scheduler.self;
    if (!needs_decision(me, event))
        return;
    pf_call_saving_vectors(at_preemption_point, NULL);
    if (me->queried)
        pf_schedule_plan_answer(me);
}

void pf_sched_event_nested(void)
{
    /* The budget may stay below 0 until the next event outside the runtime. */
    is_granted(pf_scheduler.self);
}

void pf_sched_budget_used(void)
{
    /* A call of an interposed function: its accesses are not known yet. A continuation may begin
     * here and need the site. */
    uint32_t call = __pf_tls.thread ? pf_frame_site(__pf_tls.frame - 1) : 0;
    if (needs_decision(pf_scheduler.self,
                       &(struct pf_pending_event){.site = call ? call - 1 : PF_PENDING_NO_SITE}))
        at_preemption_point(NULL);
    if (pf_memory_model_active())
        pf_memory_model_call();
}

void pf_sched_release(struct pf_context *c)
{
    c->state = PF_CONTEXT_READY;
    pf_queue_add(&pf_scheduler.ready, c);
}

/* all: from now on every event is reported to the scheduler. Keeps what is left of each grant. */
static void set_every_event(bool all)
{
    for (uint32_t i = 0; i < pf_contexts() && all != pf_scheduler.every_event; i++) {
        struct pf_context *c = pf_context_at(i);
        if (c->state == PF_CONTEXT_ENDED)
            continue;
        if (all)
            c->grant_left = c->tls->budget;
        c->tls->budget = all ? 0 : c->grant_left;
    }
    pf_scheduler.every_event = all;
}

void pf_sched_policy(const char *policy)
{
    /* at the start of the run there is no grant yet, and no event */
    uint64_t events = pf_scheduler.grant ? pf_sched_events() : 0;
    if (!pf_policy_parse(&pf_scheduler.policy, policy, events))
        pf_direct_refuse("unknown policy; expected rr:SLICE, random:SEED, pct:SEED,DEPTH,LENGTH, "
                         "pos:SEED, few:SEED, "
                         "racefuzzer:LOCATION,LOCATION,SEED or assetfuzzer:STEP,...,SEED");
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        pf_context_at(i)->priority = 0;
        pf_policy_add(&pf_scheduler.policy, pf_context_at(i));
    }
    pf_scheduler.following = false;
    pf_scheduler.grant_rest = 0;
    pf_direct.fuzzing = pf_scheduler.policy.kind == PF_POLICY_FUZZ;
    for (uint32_t i = 0; i < pf_contexts(); i++)
        pf_context_at(i)->fuzz.unseen = pf_direct.fuzzing && pf_context_at(i)->before_event;
    set_every_event(pf_direct.watching || pf_direct.fuzzing || pf_direct.counts_behaviours ||
                    pf_memory_model_active());
}

void pf_sched_yield(void)
{
    if (pf_direct.fuzzing && !pf_scheduler.ready.first)
        pf_fuzz_policy_release_one(true);
    if (!pf_sched_would_yield() && pf_spinners_yield_for_ever(pf_scheduler.self))
        pf_sched_spins_alone();
    /* Without a thread to yield to, no segment is written, so the replay does not yield either. */
    if (!pf_sched_would_yield()) {
        pf_scheduler.alone_yields = pf_scheduler.calls == pf_scheduler.alone_yield_calls + 1
                                        ? pf_scheduler.alone_yields + 1
                                        : 0;
        pf_scheduler.alone_yield_calls = pf_scheduler.calls;
        if (!pf_scheduler.following)
            pf_breakpoint_flip_limits(pf_sched_events(), pf_scheduler.alone_yields);
        return;
    }
    uint64_t weight = pf_scheduler.self->spin_yielded ? SPIN_WEIGHT : 1;
    pf_scheduler.yields =
        pf_scheduler.calls == pf_scheduler.yield_calls + 1 ? pf_scheduler.yields + weight : weight;
    pf_scheduler.yield_calls = pf_scheduler.calls;
    pf_sched_end_segment(PF_END_YIELDED);
}

void pf_sched_jumps(uint64_t to)
{
    struct pf_context *me = pf_scheduler.self;
    uint64_t n = 1, here = (uint64_t)__builtin_frame_address(0);
    bool within_handler = to >= here && to < me->fault_frame;
    if (!me->fault_frame || within_handler || pf_scheduler.closed)
        return;
    me->fault_frame = 0;
    pf_scheduler.left_handler = true;
    pf_segment_close(PF_END_PREEMPTED);
    pf_scheduler.left_handler = false;
    pf_scheduler.segments_closed++;
    pf_signal_take_arrived();
    /* The same thread continues: another one may not run here, inside the handler. */
    if (pf_scheduler.following) {
        if (!pf_segment_read())
            pf_direct_replay_ended();
        if (pf_scheduler.recorded.thread != me->number)
            pf_diverged("the thread after a jump", pf_scheduler.recorded.thread, me->number);
        n = pf_scheduler.recorded.n;
    } else if (pf_schedule_plan_next(&n) != me) {
        n = pf_schedule_plan_pending() ? 1
                                       : pf_policy_grant(&pf_scheduler.policy, pf_scheduler.events);
    }
    pf_scheduler.began_before_event = false;
    pf_segment_grant(me, n);
}

void pf_sched_close_segment(void) { pf_sched_end_segment(PF_END_PREEMPTED); }

enum pf_woken pf_sched_wait(const struct pf_wait *w)
{
    struct pf_context *me = pf_scheduler.self;
    me->wait = *w;
    me->state = PF_CONTEXT_WAITING;
    pf_waits_add(me);
    pf_sched_end_segment(PF_END_BLOCKED);
    return (enum pf_woken)me->woken;
}

_Noreturn void pf_sched_exit(void)
{
    pf_scheduler.self->state = PF_CONTEXT_ENDED;
    pf_sched_end_segment(PF_END_EXITED);
    __builtin_unreachable();
}

void pf_sched_abandon(void) { pf_scheduler.closed = true; }

void pf_sched_faulted(void) { pf_scheduler.faulted = true; }

void pf_sched_close(void)
{
    if (pf_scheduler.closed)
        return;
    pf_scheduler.closed = true;
    pf_deadlock_list_blocked(false);
    pf_segment_close(PF_END_FINAL);
}

void pf_sched_init(const char *policy)
{
    pf_scheduler.self = pf_running = pf_context_at(0);
    pf_sched_policy(policy);
    pf_breakpoint_init();
    pf_scheduler.following = pf_direct.mode == PF_DIRECT_REPLAY;
    if (pf_scheduler.following) {
        pf_direct.fuzzing = false;
        set_every_event(pf_direct.watching || pf_memory_model_active());
    }
    if (pf_scheduler.following && !pf_segment_read())
        pf_direct_refuse("the recording has no schedule");
    pf_schedule_plan_init();
    uint64_t n = pf_scheduler.recorded.n;
    if (!pf_scheduler.following && pf_schedule_plan_next(&n) != pf_scheduler.self)
        n = pf_policy_grant(&pf_scheduler.policy, 0);
    pf_segment_grant(pf_scheduler.self, n);
}
