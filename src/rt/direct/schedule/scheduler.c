/*
 * scheduler.c - see scheduler.h. The run queue is a list in order of arrival: programs have few
 * threads, and a policy that picks at random must walk the list anyway.
 *
 * If a segment ends and the same thread continues, both parts are written as one segment, unless
 * something from outside happened in between.
 */
#include "scheduler.h"
#include "breakpoint.h"
#include "check.h"
#include "deadlock.h"
#include "fuzz_policy.h"
#include "materialise.h"
#include "policy.h"
#include "rt.h"
#include "schedule_plan.h"
#include "schedule_stream.h"
#include "spin_detect.h"
#include "sys.h"
#include "waits.h"

#define EVENT_NS 50
#define CALL_NS 1000
#define YIELDS_MAX 1000000
/* How long a schedule plan waits for a thread that something external, or a thread without steps,
 * may wake: virtual nanoseconds. */
#define PLAN_PATIENCE 1000000000ull
/* The same for a flip that holds a thread while no other thread can run. */
#define HOLD_PATIENCE (10 * PLAN_PATIENCE)
#define PLAN_YIELDS 1000 /* yields of the thread of the current step, without an event in between */
#define YIELDS_IDLE 1000
#define SPIN_WEIGHT 16 /* a yield in a spin loop (spin_detect.h) counts as much as 16 others */
#define GRANT_PART (1u << 16) /* events after which preempt_soon is checked */
/* How long the end of the process waits for other threads: their events, and turns in between. */
#define EXIT_EVENTS 100000
#define EXIT_TURNS 1000

static struct {
    struct pf_context *self;
    struct pf_queue ready;
    struct pf_policy policy;
    /* The segment of self. */
    uint64_t done; /* events of it before the last grant */
    uint64_t grant; /* events granted, including those still left in the budget */
    uint64_t grant_rest; /* events to grant after the next breakpoint or GRANT_PART */
    bool began_before_event; /* self was before an event when the segment began */
    struct pf_segment recorded; /* replay: the current segment as recorded */
    bool watched; /* every event is reported here: tracing, memory checks, fuzzing */
    bool following; /* a replay that has not left its recording: the schedule decides */
    bool closed; /* the last segment of the run was closed */
    uint64_t events; /* in all closed segments */
    /* parts of the virtual time: jumps in nanoseconds, number of system calls */
    uint64_t jumps_ns, calls;
    bool preempt_soon;
    bool faulted; /* a fault ends the process */
    bool left_handler; /* self jumps out of the handler of a fault */
    bool spins_alone; /* self only spins, and no other thread can run */
    /* consecutive segments that ended by a yield, without other system calls in between */
    uint64_t yields;
    uint64_t yield_calls; /* value of `calls` at the last of them */
    uint64_t alone_yields, alone_yield_calls; /* the same for yields with no thread to yield to */
    uint64_t boundary; /* segments closed so far */
    uint64_t switches;
    struct pf_context *picked; /* chosen by the policy for the next segment */
    bool exit_decided, exit_waits; /* the policy's decision at the end of the process */
} s;

struct pf_context *pf_running; /* s.self, for event.c */

struct pf_context *pf_context_self(void) { return s.self; }

/* --- events and time --- */

/* Events left of the grant of c. While every event is reported, they are counted here, and the
 * budget that compiled code decrements stays 0. */
static int64_t *left_of(struct pf_context *c)
{
    return s.watched ? &c->grant_left : &c->tls->budget;
}

/* Counts an event while every event is reported. True if it is within the grant. */
static bool is_granted(struct pf_context *c)
{
    if (__builtin_expect(!s.watched, 1))
        return false;
    c->tls->budget = 0;
    return --c->grant_left >= 0;
}

/* Events of the current segment so far, without the event that self is about to perform. */
static uint64_t segment_events(void)
{
    int64_t left = *left_of(s.self) + (s.self->before_event ? 1 : 0);
    return s.done + s.grant - (uint64_t)left;
}

uint64_t pf_context_events(const struct pf_context *c)
{
    return c->events + (c == s.self ? segment_events() : 0);
}

uint64_t pf_sched_now(void)
{
    return (s.events + segment_events()) * EVENT_NS + s.calls * CALL_NS + s.jumps_ns;
}
void pf_sched_count_call(void) { s.calls++; }
uint64_t pf_sched_calls(void) { return s.calls; }
void pf_sched_advance_clock(uint64_t ns) { s.jumps_ns += ns; }
uint64_t pf_sched_events(void) { return s.events + segment_events(); }

/* Grants n more events to c. The grant is split at the next breakpoint (breakpoint.h) and, while
 * recording, after GRANT_PART events. */
static void grant_events(struct pf_context *c, uint64_t n)
{
    uint64_t until_stop = c->break_at - (c->events + s.done);
    s.grant_rest = n > until_stop ? n - until_stop : 0;
    n -= s.grant_rest;
    if (!s.following && n > GRANT_PART) {
        s.grant_rest += n - GRANT_PART;
        n = GRANT_PART;
    }
    s.grant = n;
    c->until = c->events + s.done + n;
    *left_of(c) = (int64_t)n - (c->before_event ? 1 : 0);
    c->before_event = false;
}

/* Ends the grant of self at its next event. */
static void end_grant(void)
{
    s.grant_rest = 0;
    int64_t *left = left_of(s.self);
    if (*left > 0) {
        s.grant -= (uint64_t)*left;
        s.self->until -= (uint64_t)*left;
        *left = 0;
    }
}

/* --- the segment --- */

/* How a segment ended, for messages about divergences. */
static const char *const end_words[] = {
    [PF_END_PREEMPTED] = "preempted",
    [PF_END_BLOCKED] = "blocked",
    [PF_END_YIELDED] = "yielded",
    [PF_END_EXITED] = "exited",
    [PF_END_FINAL] = "the program ended",
    [PF_END_TIME] = "time passed",
    [PF_END_WOKEN] = "another thread woken",
    [PF_END_STUCK] = "no thread can run",
};

static void segment_close(enum pf_segment_end how)
{
    struct pf_segment seg = {s.self->number, how, (uint8_t)(pf_direct.hash >> 56),
                             segment_events()};
    /* Within a run of events the budget is decremented once, at its beginning: a fault can end the
     * recording in the middle of a run. */
    bool ends_early = (how == PF_END_FINAL && s.faulted) || s.left_handler;
    bool nothing =
        how == PF_END_PREEMPTED && s.began_before_event && s.self->before_event && !seg.n;
    if (nothing && !s.following) {
        s.boundary--; /* nothing happened since it began: not a segment */
    } else if (!s.following) {
        if (pf_direct.mode == PF_DIRECT_RECORD)
            pf_schedule_put(&seg);
    } else if (s.recorded.end != how) {
        pf_diverged_words("the end of a segment", end_words[s.recorded.end], end_words[how]);
    } else if (s.recorded.n != seg.n && !(ends_early && seg.n < s.recorded.n)) {
        pf_diverged("the number of events of a segment", s.recorded.n, seg.n);
    } else if (s.recorded.hash != seg.hash) {
        pf_diverged("the hash of the actions of all threads", s.recorded.hash, seg.hash);
    }
    if (s.following && s.left_handler)
        seg.n = s.recorded.n; /* later events have the same numbers as in the recording */
    if (how != PF_END_YIELDED)
        s.yields = 0;
    s.self->events += seg.n;
    s.events += seg.n;
    s.done = 0;
    s.grant = 0;
    s.grant_rest = 0;
    s.self->until = s.self->events;
    *left_of(s.self) = s.self->before_event ? -1 : 0;
    pf_breakpoint_segment_closed(s.self);
}

void pf_sched_wake(struct pf_context *c, enum pf_woken how)
{
    pf_waits_remove(c);
    c->woken = how;
    c->state = PF_CONTEXT_READY;
    pf_policy_add(&s.policy, c);
    pf_queue_add(&s.ready, c);
}

_Noreturn void pf_sched_end_stuck(bool live)
{
    struct pf_segment seg = {.end = PF_END_STUCK, .n = live};
    if (pf_direct.mode == PF_DIRECT_RECORD)
        pf_schedule_put(&seg);
    s.closed = true;
    live ? pf_livelock() : pf_deadlock();
}

/* Reads the next segment of the replay and performs the records before it. Returns false at the end
 * of the schedule. */
static bool segment_read(void)
{
    struct pf_spin_record how;
    bool spun = false;
    while (pf_schedule_get(&s.recorded)) {
        struct pf_context *c = pf_context_at(s.recorded.thread);
        switch (s.recorded.end) {
        case PF_END_TIME:
            s.jumps_ns += s.recorded.n;
            pf_signal_take_arrived();
            break;
        case PF_END_WOKEN:
            if (!c || c->state != PF_CONTEXT_WAITING)
                pf_diverged("a waiting thread", s.recorded.thread, c ? c->state : ~0ull);
            pf_sched_wake(c, (enum pf_woken)s.recorded.n);
            break;
        case PF_END_STUCK:
            if (s.recorded.n != PF_STUCK_SPIN)
                pf_sched_end_stuck(s.recorded.n);
            spun = pf_schedule_get_spin(&how);
            break;
        default:
            if (!c || (c != s.self && c->state != PF_CONTEXT_READY))
                pf_diverged("a runnable thread", s.recorded.thread, c ? c->state : ~0ull);
            if (spun)
                pf_spin_detect_expect(&how);
            return true;
        }
    }
    return false;
}

uint64_t pf_sched_boundary(void) { return s.boundary; }

/* Called in signal handlers: the budget must not be changed, because compiled code may hold it in a
 * register. */
void pf_sched_preempt_soon(void) { s.preempt_soon = true; }
void pf_sched_spins_alone(void) { s.preempt_soon = s.spins_alone = true; }

uint64_t pf_sched_progress(void) { return s.calls + s.boundary + s.events + segment_events(); }
bool pf_sched_follows_recording(void) { return s.following; }
bool pf_sched_is_alone(void)
{
    return !s.ready.first && !pf_waits_external_or_timed() && !pf_waits_time();
}
bool pf_sched_would_yield(void)
{
    return s.following ? pf_sched_must_yield_here() : s.preempt_soon || !pf_sched_is_alone();
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
    return s.following && s.recorded.end == PF_END_YIELDED && s.recorded.n == segment_events();
}

void pf_sched_became_ready(struct pf_context *c)
{
    if (s.self->state == PF_CONTEXT_RUNNING && !s.following &&
        pf_policy_preempts(&s.policy, c, s.self))
        end_grant();
}

void pf_sched_add(struct pf_context *c)
{
    c->state = PF_CONTEXT_READY;
    pf_policy_add(&s.policy, c);
    pf_queue_add(&s.ready, c);
    pf_breakpoint_add_thread(c);
    if (pf_materialised)
        pf_materialise_add(c);
    pf_sched_became_ready(c);
}

/* --- decisions --- */

static bool can_run(const struct pf_context *c)
{
    return c->state == PF_CONTEXT_READY || c->state == PF_CONTEXT_RUNNING;
}

/* Chooses the next thread and its grant. The segment of self is closed. */
static struct pf_context *decide(bool yielded)
{
    struct pf_context *me = s.self, *c = s.picked;
    uint64_t n;
    s.picked = NULL;
    /* A policy may have released a thread that it held. */
    bool starved = s.spins_alone && !s.ready.first;
    if ((s.yields > YIELDS_MAX || starved) && !s.following) {
        pf_breakpoint_flip_stuck();
        pf_sched_end_stuck(true);
    }
    s.boundary++;
    s.preempt_soon = s.spins_alone = false;
    pf_signal_take_arrived();
    if (s.following && !segment_read())
        pf_direct_replay_ended();
    if (s.following) {
        c = pf_context_at(s.recorded.thread);
        n = s.recorded.n;
    } else {
        struct pf_context *current = me->state == PF_CONTEXT_RUNNING ? me : NULL, *wanted;
        pf_schedule_plan_run_special();
        pf_breakpoint_flip_limits(s.events, s.yields);
        if (pf_direct.fuzzing)
            pf_fuzz_policy_release_overdue(s.events);
        uint64_t until =
            pf_breakpoint_flip_holds() && pf_waits_external() ? pf_sched_now() + HOLD_PATIENCE : 0;
        do {
            if (pf_direct.fuzzing && !current && !s.ready.first)
                pf_fuzz_policy_release_one(pf_waits_external() || !pf_waits_time());
            pf_waits_poll(!current && !s.ready.first, until);
            if (until && !current && !s.ready.first && pf_sched_now() >= until)
                pf_breakpoint_flip_timeout();
        } while (!current && !s.ready.first);
        if (yielded && s.yields % YIELDS_IDLE < SPIN_WEIGHT && s.yields >= YIELDS_IDLE &&
            (pf_waits_external_or_timed() || pf_waits_time()))
            pf_waits_poll(true, 0); /* runnable threads only spin on blocked ones */
        until = pf_sched_now() + PLAN_PATIENCE;
        while ((wanted = pf_schedule_plan_next(&n)) && !can_run(wanted)) {
            if (wanted->state == PF_CONTEXT_HELD ||
                (!wanted->wait.deadline && !pf_waits_external() &&
                 !(pf_schedule_plan_has_no_step(wanted) && pf_waits_time())) ||
                pf_sched_now() >= until)
                pf_schedule_plan_fail();
            pf_waits_poll(true, until);
        }
        if (wanted && wanted == current && yielded && s.yields > PLAN_YIELDS)
            pf_schedule_plan_fail();
        struct pf_context *turn = pf_direct.fuzzing && !wanted ? pf_fuzz_policy_next_turn() : NULL;
        if (wanted || turn) {
            c = wanted ? wanted : turn;
            n = wanted ? n : 1;
        } else {
            c = c ? c : pf_policy_pick(&s.policy, &s.ready, current, yielded, s.events);
            n = pf_policy_grant(&s.policy, c, s.events);
        }
    }
    if (c->state == PF_CONTEXT_READY)
        pf_queue_remove(c);
    if (me != c && me->state == PF_CONTEXT_RUNNING) {
        me->state = PF_CONTEXT_READY;
        pf_queue_add(&s.ready, me);
    }
    c->state = PF_CONTEXT_RUNNING;
    s.began_before_event = c->before_event;
    grant_events(c, n);
    return c;
}

/* Ends the segment of self, and runs the next thread. Returns when it is self's turn again. */
static void end_segment(enum pf_segment_end how)
{
    segment_close(how);
    struct pf_context *me = s.self, *c = decide(how == PF_END_YIELDED);
    if (c == me)
        return;
    s.self = pf_running = c;
    me->stopped_at = ++s.switches;
    if (__builtin_expect(pf_materialised, 0))
        pf_baton_pass(me, c);
    else
        pf_switch(&me->sp, c->sp, c->fs);
}

/* True if self may continue without closing its segment. Never true while following a recording:
 * there the segment was closed here. */
static bool may_continue(struct pf_context *me)
{
    if (s.grant_rest && !s.preempt_soon && !s.following) { /* only a part of the grant is used up */
        s.done = segment_events();
        grant_events(me, s.grant_rest);
        return true;
    }
    if (s.following || s.preempt_soon || pf_waits_poll_due() || pf_schedule_plan_pending())
        return false;
    uint64_t done = segment_events(), events = s.events + done;
    pf_breakpoint_flip_limits(events, s.yields);
    if (pf_direct.fuzzing && pf_fuzz_policy_is_due(events))
        return false;
    if (s.ready.first) {
        struct pf_context *c = pf_policy_pick(&s.policy, &s.ready, me, false, events);
        if (c != me) {
            s.picked = c;
            return false;
        }
    }
    s.done = done;
    grant_events(me, pf_policy_grant(&s.policy, me, events));
    return true;
}

/* The policy may hold `me` before its pending access, which may already have been granted. Returns
 * true if other threads ran meanwhile and `me` has been granted its event. */
static bool hold_for_fuzzing(struct pf_context *me)
{
    bool granted = !me->before_event;
    for (; pf_fuzz_policy_has_turns(); granted = true)
        end_segment(PF_END_PREEMPTED);
    me->before_event = true; /* the access has not happened yet */
    enum pf_fuzz_decision says = pf_fuzz_policy_decide(me, s.events + segment_events());
    if (says == PF_FUZZ_PASS) {
        me->before_event = !granted;
        return granted;
    }
    if (says == PF_FUZZ_HOLD)
        me->state = PF_CONTEXT_HELD;
    end_segment(PF_END_PREEMPTED);
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
    if (!s.grant_rest)
        return may_continue(me);
    s.done = segment_events();
    grant_events(me, s.grant_rest);
    return true;
}

static void at_preemption_point(void *unused)
{
    (void)unused;
    struct pf_context *me = s.self;
    bool resumed = false; /* other threads ran, and it is the turn of `me` again */
    bool run_ends_here = pf_context_events(me) == me->break_at && pf_breakpoint_is_until(me);
    if (run_ends_here && s.grant_rest) { /* the grant covers the event: no decision follows */
        pf_breakpoint_stop_run();
        run_ends_here = false;
    }
    if (pf_context_events(me) == me->break_at) {
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
        end_segment(PF_END_PREEMPTED);
    if (me->fuzz.unseen) { /* it was here before the policy was set */
        me->fuzz.unseen = false;
        me->fuzz.marks = pf_direct.fuzzing ? pf_fuzz_policy_marks(me->pending.site) : 0;
        if (me->fuzz.marks)
            hold_for_fuzzing(me);
    }
    if (run_ends_here)
        pf_breakpoint_stop_run();
    if (me->signal_due && !__pf_tls.nested)
        pf_signal_deliver_due();
}

static bool needs_decision(struct pf_context *me, const struct pf_pending_event *event)
{
    bool granted = is_granted(me);
    me->fuzz.marks = 0;
    if (pf_direct.fuzzing && !pf_schedule_plan_pending() && pf_context_events(me) != me->break_at)
        me->fuzz.marks = pf_fuzz_policy_marks(event->site);
    if (granted && !me->fuzz.marks)
        return false;
    me->before_event = true;
    me->pending = *event;
    if (me->fuzz.marks)
        return true;
    return pf_context_events(me) == me->break_at || !may_continue(me);
}

void pf_sched_event(const struct pf_pending_event *event)
{
    struct pf_context *me = s.self;
    if (!needs_decision(me, event))
        return;
    pf_call_saved(at_preemption_point, NULL);
    if (me->queried)
        pf_schedule_plan_answer(me);
}

void pf_sched_event_nested(void)
{
    is_granted(s.self); /* the budget may stay below 0 until the next event outside the runtime */
}

void pf_sched_budget_used(void)
{
    /* A call of an interposed function: its accesses are not known yet. */
    uint32_t call = pf_direct.fuzzing ? pf_frame_site(__pf_tls.frame - 1) : 0;
    if (needs_decision(s.self,
                       &(struct pf_pending_event){.site = call ? call - 1 : PF_PENDING_NO_SITE}))
        at_preemption_point(NULL);
}

void pf_sched_release(struct pf_context *c)
{
    c->state = PF_CONTEXT_READY;
    pf_queue_add(&s.ready, c);
}

/* all: from now on every event is reported to the scheduler. Keeps what is left of each grant. */
static void set_watched(bool all)
{
    for (uint32_t i = 0; i < pf_contexts() && all != s.watched; i++) {
        struct pf_context *c = pf_context_at(i);
        if (c->state == PF_CONTEXT_ENDED)
            continue;
        if (all)
            c->grant_left = c->tls->budget;
        c->tls->budget = all ? 0 : c->grant_left;
    }
    s.watched = all;
}

void pf_sched_policy(const char *policy)
{
    if (!pf_policy_parse(&s.policy, policy))
        pf_direct_refuse(
            "unknown policy; expected rr:SLICE, random:SEED, pct:SEED,DEPTH, pos:SEED, "
            "racefuzzer:LOCATION,LOCATION,SEED or assetfuzzer:STEP,...,SEED");
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        pf_context_at(i)->priority = 0;
        pf_policy_add(&s.policy, pf_context_at(i));
    }
    s.following = false;
    s.grant_rest = 0;
    pf_direct.fuzzing = s.policy.kind == PF_POLICY_FUZZ;
    for (uint32_t i = 0; i < pf_contexts(); i++)
        pf_context_at(i)->fuzz.unseen = pf_direct.fuzzing && pf_context_at(i)->before_event;
    set_watched(pf_direct.watching || pf_direct.fuzzing);
}

void pf_sched_yield(void)
{
    if (pf_direct.fuzzing && !s.ready.first)
        pf_fuzz_policy_release_one(true);
    /* Without a thread to yield to, no segment is written, so the replay does not yield either. */
    if (!pf_sched_would_yield()) {
        s.alone_yields = s.calls == s.alone_yield_calls + 1 ? s.alone_yields + 1 : 0;
        s.alone_yield_calls = s.calls;
        if (!s.following)
            pf_breakpoint_flip_limits(pf_sched_events(), s.alone_yields);
        return;
    }
    uint64_t weight = s.self->spin_yielded ? SPIN_WEIGHT : 1;
    s.yields = s.calls == s.yield_calls + 1 ? s.yields + weight : weight;
    s.yield_calls = s.calls;
    end_segment(PF_END_YIELDED);
}

/* True if a thread that is not itself about to end the process can run. */
static bool others_can_run(void)
{
    struct pf_context *c = s.ready.first;
    while (c && c->ends_process)
        c = c->next;
    return c != NULL;
}

/* Decides at the end of the process whether another thread runs first, and which one (s.picked). */
static bool runs_others_first(struct pf_context *me, bool waits)
{
    uint64_t n;
    if (pf_direct.fuzzing && !s.ready.first)
        pf_fuzz_policy_release_one(true);
    if (pf_schedule_plan_pending())
        return pf_schedule_plan_next(&n) != me;
    if (!others_can_run())
        return false;
    waits |= pf_breakpoint_flip_holds();
    struct pf_context *c = pf_policy_pick(&s.policy, &s.ready, me, waits, pf_sched_events());
    s.picked = c == me ? NULL : c;
    return c != me;
}

void pf_sched_before_process_end(void)
{
    struct pf_context *me = s.self;
    if (s.closed)
        return;
    me->ends_process = true;
    if (s.following) {
        while (s.following && pf_sched_must_yield_here())
            end_segment(PF_END_YIELDED);
    } else {
        if (!s.exit_decided)
            s.exit_waits = pf_policy_waits_at_exit(&s.policy);
        s.exit_decided = true; /* one decision for exit and the system call at its end */
        uint64_t limit = pf_sched_events() + EXIT_EVENTS;
        int turns = 0;
        while (runs_others_first(me, s.exit_waits)) {
            if (!pf_schedule_plan_pending() &&
                (turns++ == EXIT_TURNS || pf_sched_events() >= limit))
                break;
            end_segment(PF_END_YIELDED);
        }
        s.picked = NULL;
    }
    me->ends_process = false;
}

void pf_sched_jumps(uint64_t to)
{
    struct pf_context *me = s.self;
    uint64_t n = 1, here = (uint64_t)__builtin_frame_address(0);
    bool within_handler = to >= here && to < me->fault_frame;
    if (!me->fault_frame || within_handler || s.closed)
        return;
    me->fault_frame = 0;
    s.left_handler = true;
    segment_close(PF_END_PREEMPTED);
    s.left_handler = false;
    s.boundary++;
    pf_signal_take_arrived();
    /* The same thread continues: another one may not run here, inside the handler. */
    if (s.following) {
        if (!segment_read())
            pf_direct_replay_ended();
        if (s.recorded.thread != me->number)
            pf_diverged("the thread after a jump", s.recorded.thread, me->number);
        n = s.recorded.n;
    } else if (pf_schedule_plan_next(&n) != me) {
        n = pf_schedule_plan_pending() ? 1 : pf_policy_grant(&s.policy, me, s.events);
    }
    s.began_before_event = false;
    grant_events(me, n);
}

void pf_sched_close_segment(void) { end_segment(PF_END_PREEMPTED); }

enum pf_woken pf_sched_wait(const struct pf_wait *w)
{
    struct pf_context *me = s.self;
    me->wait = *w;
    me->state = PF_CONTEXT_WAITING;
    pf_waits_add(me);
    end_segment(PF_END_BLOCKED);
    return (enum pf_woken)me->woken;
}

_Noreturn void pf_sched_exit(void)
{
    s.self->state = PF_CONTEXT_ENDED;
    end_segment(PF_END_EXITED);
    __builtin_unreachable();
}

void pf_sched_abandon(void) { s.closed = true; }

void pf_sched_faulted(void) { s.faulted = true; }

void pf_sched_close(void)
{
    if (s.closed)
        return;
    s.closed = true;
    segment_close(PF_END_FINAL);
}

void pf_sched_init(const char *policy)
{
    s.self = pf_running = pf_context_at(0);
    pf_sched_policy(policy);
    pf_breakpoint_init();
    s.following = pf_direct.mode == PF_DIRECT_REPLAY;
    if (s.following) {
        pf_direct.fuzzing = false;
        set_watched(pf_direct.watching);
    }
    if (s.following && !segment_read())
        pf_direct_refuse("the recording has no schedule");
    pf_schedule_plan_init();
    uint64_t n = s.recorded.n;
    if (!s.following && pf_schedule_plan_next(&n) != s.self)
        n = pf_policy_grant(&s.policy, s.self, 0);
    grant_events(s.self, n);
}
