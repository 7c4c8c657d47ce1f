/*
 * scheduler.c - see scheduler.h. Queues are lists in order of arrival: programs have a few threads, and a
 * policy that picks at random must walk anyway.
 *
 * A segment that ends and begins again with the same thread is one segment, unless something from
 * outside stands between.
 */
#include "scheduler.h"
#include "breakpoint.h"
#include "deadlock.h"
#include "fuzz_policy.h"
#include "materialise.h"
#include "plan.h"
#include "policy.h"
#include "rt.h"
#include "schedule_stream.h"
#include "spin_detect.h"
#include "sys.h"
#include "waits.h"

#define EVENT_NS 50
#define CALL_NS 1000
#define YIELDS_MAX 1000000
/* Nanoseconds that a plan waits for a thread to which something may come from outside, or from a thread of ours. */
#define PLAN_PATIENCE 1000000000ull
#define HOLD_PATIENCE                                                                              \
    (10 * PLAN_PATIENCE) /* the same where a flip holds a thread and nobody else can run */
#define PLAN_YIELDS 1000 /* of the thread whose turn it is, without an event */
#define YIELDS_IDLE 1000
#define SPUN_WEIGHT 16 /* who gives way in a loop that waits (spin_detect.h) does so for certain */
#define PART (1u << 16) /* events after which what hurries is looked for */

static struct {
    struct pf_context *self;
    struct pf_queue ready;
    struct pf_policy policy;
    /* the segment of self */
    uint64_t done; /* events of it before the last grant */
    uint64_t grant; /* what was granted, of which tls->budget is left */
    uint64_t rest; /* to be granted next, after a stop */
    bool stood; /* it stood before an event when the segment began */
    struct pf_segment planned; /* replay */
    bool watched; /* every event comes here: while tracing or fuzzing */
    bool following; /* a replay that is not over: the schedule decides */
    bool closed; /* the last segment was closed for good */
    uint64_t events; /* of all closed segments */
    uint64_t jumped, calls; /* parts of the virtual time */
    bool hurried;
    bool faulted; /* what ends the process is a fault */
    bool hopeless; /* self spins, and nobody else can run */
    uint64_t
        yields; /* segments that ended by giving way, one after the other, without other calls */
    uint64_t yield_calls; /* at the last of them */
    uint64_t lonely, lonely_calls; /* the same where there was nobody to give way to */
    uint64_t boundary; /* segments closed so far */
    uint64_t switches;
    struct pf_context *picked; /* by the policy, for the next segment */
} s;

struct pf_context *pf_running; /* s.self, for event.c */

struct pf_context *pf_context_self(void) { return s.self; }

/* --- events and time --- */

/* What is left of the grant. While every event is to come to us, the budget that compiled code knows
 * stays 0. */
static int64_t *left_of(struct pf_context *c) { return s.watched ? &c->left : &c->tls->budget; }

/* While every event comes here: is this one within the grant? */
static bool is_granted(struct pf_context *c)
{
    if (__builtin_expect(!s.watched, 1))
        return false;
    c->tls->budget = 0;
    return --c->left >= 0;
}

/* Of the current segment, so far. The event that self stands before is not counted. */
static uint64_t segment_events(void)
{
    int64_t left = *left_of(s.self) + (s.self->at_point ? 1 : 0);
    return s.done + s.grant - (uint64_t)left;
}

uint64_t pf_context_events(const struct pf_context *c)
{
    return c->events + (c == s.self ? segment_events() : 0);
}

uint64_t pf_sched_now(void)
{
    return (s.events + segment_events()) * EVENT_NS + s.calls * CALL_NS + s.jumped;
}
void pf_sched_called(void) { s.calls++; }
void pf_sched_jump(uint64_t ns) { s.jumped += ns; }
uint64_t pf_sched_events(void) { return s.events + segment_events(); }

/* n more events for c, in two parts where it has a stop (breakpoint.h) on the way, and in more while recording. */
static void allow(struct pf_context *c, uint64_t n)
{
    uint64_t until_stop = c->stop - (c->events + s.done);
    s.rest = n > until_stop ? n - until_stop : 0;
    n -= s.rest;
    if (!s.following && n > PART) {
        s.rest += n - PART;
        n = PART;
    }
    s.grant = n;
    c->until = c->events + s.done + n;
    *left_of(c) = (int64_t)n - (c->at_point ? 1 : 0);
    c->at_point = false;
}

/* At the next event of self the scheduler is asked. */
static void cut(void)
{
    s.rest = 0;
    int64_t *left = left_of(s.self);
    if (*left > 0) {
        s.grant -= (uint64_t)*left;
        s.self->until -= (uint64_t)*left;
        *left = 0;
    }
}

/* --- the segment --- */

/* What a segment's thread did then, for those who read of a divergence. */
static const char *const end_words[] = {
    [PF_END_PREEMPTED] = "to go on",       [PF_END_BLOCKED] = "to wait",
    [PF_END_YIELDED] = "to give way",      [PF_END_EXITED] = "to end",
    [PF_END_FINAL] = "the program to end", [PF_END_TIME] = "time to pass",
    [PF_END_WOKEN] = "another to wake up", [PF_END_STUCK] = "nobody to go on",
};

static void segment_close(enum pf_segment_end how)
{
    struct pf_segment seg = {s.self->number, how, (uint8_t)(pf_direct.hash >> 56),
                             segment_events()};
    /* A fault ended the recording in the middle of events that were counted together. */
    bool ends_early = how == PF_END_FINAL && s.faulted;
    bool nothing = how == PF_END_PREEMPTED && s.stood && s.self->at_point && !seg.n;
    if (nothing && !s.following) {
        s.boundary--; /* it stands where it stood: no segment */
    } else if (!s.following) {
        if (pf_direct.mode == PF_DIRECT_RECORD)
            pf_schedule_put(&seg);
    } else if (s.planned.end != how) {
        pf_diverged_words("what the thread did", end_words[s.planned.end], end_words[how]);
    } else if (s.planned.n != seg.n && !(ends_early && seg.n < s.planned.n)) {
        pf_diverged("the number of events of a segment", s.planned.n, seg.n);
    } else if (s.planned.hash != seg.hash) {
        pf_diverged("the hash of what the threads did", s.planned.hash, seg.hash);
    }
    if (how != PF_END_YIELDED)
        s.yields = 0;
    s.self->events += seg.n;
    s.events += seg.n;
    s.done = 0;
    s.grant = 0;
    s.rest = 0;
    s.self->until = s.self->events;
    *left_of(s.self) = s.self->at_point ? -1 : 0;
    pf_point_passed(s.self);
}

void pf_sched_wake(struct pf_context *c, enum pf_woken how)
{
    pf_waits_remove(c);
    c->woken = how;
    c->state = PF_CONTEXT_READY;
    pf_policy_add(&s.policy, c);
    pf_queue_add(&s.ready, c);
}

_Noreturn void pf_sched_stuck(bool live)
{
    struct pf_segment seg = {.end = PF_END_STUCK, .n = live};
    if (pf_direct.mode == PF_DIRECT_RECORD)
        pf_schedule_put(&seg);
    s.closed = true;
    live ? pf_livelock() : pf_deadlock();
}

/* The next segment of the replay; what happened before it is done here. False: no more. */
static bool segment_read(void)
{
    struct pf_spun how;
    bool spun = false;
    while (pf_schedule_get(&s.planned)) {
        struct pf_context *c = pf_context_at(s.planned.thread);
        switch (s.planned.end) {
        case PF_END_TIME:
            s.jumped += s.planned.n;
            pf_world_signals();
            break;
        case PF_END_WOKEN:
            if (!c || c->state != PF_CONTEXT_WAITING)
                pf_diverged("a thread that waits", s.planned.thread, c ? c->state : ~0ull);
            pf_sched_wake(c, (enum pf_woken)s.planned.n);
            break;
        case PF_END_STUCK:
            if (s.planned.n != PF_STUCK_SPUN)
                pf_sched_stuck(s.planned.n);
            spun = pf_schedule_get_spun(&how);
            break;
        default:
            if (!c || (c != s.self && c->state != PF_CONTEXT_READY))
                pf_diverged("a thread that can run", s.planned.thread, c ? c->state : ~0ull);
            if (spun)
                pf_spun_expect(&how);
            return true;
        }
    }
    return false;
}

uint64_t pf_sched_boundary(void) { return s.boundary; }

/* From a handler: the budget is not touched, for compiled code may have it in a register. */
void pf_sched_hurry(void) { s.hurried = true; }
void pf_sched_hopeless(void) { s.hurried = s.hopeless = true; }

uint64_t pf_sched_progress(void) { return s.calls + s.boundary + s.events + segment_events(); }
bool pf_sched_follows(void) { return s.following; }
bool pf_sched_alone(void) { return !s.ready.first && !pf_waits_any() && !pf_waits_moment(); }
bool pf_sched_yields(void)
{
    return s.following ? pf_sched_gives_way_here() : s.hurried || !pf_sched_alone();
}
bool pf_sched_holds(void)
{
    for (uint32_t i = 0; i < pf_contexts(); i++)
        if (pf_context_at(i)->state == PF_CONTEXT_HELD)
            return true;
    return false;
}
bool pf_sched_gives_way_here(void)
{
    return s.following && s.planned.end == PF_END_YIELDED && s.planned.n == segment_events();
}

void pf_sched_arrived(struct pf_context *c)
{
    if (s.self->state == PF_CONTEXT_RUNNING && !s.following && pf_policy_cuts(&s.policy, c, s.self))
        cut();
}

void pf_sched_add(struct pf_context *c)
{
    c->state = PF_CONTEXT_READY;
    pf_policy_add(&s.policy, c);
    pf_queue_add(&s.ready, c);
    pf_point_add(c);
    if (pf_materialised)
        pf_materialise_add(c);
    pf_sched_arrived(c);
}

/* --- deciding --- */

static bool can_run(const struct pf_context *c)
{
    return c->state == PF_CONTEXT_READY || c->state == PF_CONTEXT_RUNNING;
}

/* Who comes next, and with how many events; the segment of self is closed. */
static struct pf_context *decide(bool yielded)
{
    struct pf_context *me = s.self, *c = s.picked;
    uint64_t n;
    s.picked = NULL;
    bool starved = s.hopeless && !s.ready.first; /* a policy may have let go one that it held */
    if ((s.yields > YIELDS_MAX || starved) && !s.following) {
        pf_point_stuck();
        pf_sched_stuck(true);
    }
    s.boundary++;
    s.hurried = s.hopeless = false;
    pf_world_signals();
    if (s.following && !segment_read())
        pf_replay_over();
    if (s.following) {
        c = pf_context_at(s.planned.thread);
        n = s.planned.n;
    } else {
        struct pf_context *stays = me->state == PF_CONTEXT_RUNNING ? me : NULL, *wanted;
        pf_plan_forks();
        pf_point_weary(s.events, s.yields);
        if (pf_direct.fuzzing)
            pf_fuzz_patience(s.events);
        uint64_t until =
            pf_point_holds() && pf_waits_outside() ? pf_sched_now() + HOLD_PATIENCE : 0;
        do {
            if (pf_direct.fuzzing && !stays && !s.ready.first)
                pf_fuzz_starved(pf_waits_outside() || !pf_waits_moment());
            pf_waits_look(!stays && !s.ready.first, until);
            if (until && !stays && !s.ready.first && pf_sched_now() >= until)
                pf_point_lonely();
        } while (!stays && !s.ready.first);
        if (yielded && s.yields % YIELDS_IDLE < SPUN_WEIGHT && s.yields >= YIELDS_IDLE &&
            (pf_waits_any() || pf_waits_moment()))
            pf_waits_look(true, 0); /* who can run does nothing but wait for those who cannot */
        until = pf_sched_now() + PLAN_PATIENCE;
        while ((wanted = pf_plan_next(&n)) && !can_run(wanted)) {
            if (wanted->state == PF_CONTEXT_HELD ||
                (!wanted->wait.deadline && !pf_waits_outside() &&
                 !(pf_plan_lacks(wanted) && pf_waits_moment())) ||
                pf_sched_now() >= until)
                pf_plan_fails();
            pf_waits_look(true, until);
        }
        if (wanted && wanted == stays && yielded && s.yields > PLAN_YIELDS)
            pf_plan_fails();
        struct pf_context *turn = pf_direct.fuzzing && !wanted ? pf_fuzz_turn() : NULL;
        if (wanted || turn) {
            c = wanted ? wanted : turn;
            n = wanted ? n : 1;
        } else {
            c = c ? c : pf_policy_pick(&s.policy, &s.ready, stays, yielded, s.events);
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
    s.stood = c->at_point;
    allow(c, n);
    return c;
}

/* The segment of self ends. Returns when self has its turn again. */
static void next(enum pf_segment_end how)
{
    segment_close(how);
    struct pf_context *me = s.self, *c = decide(how == PF_END_YIELDED);
    if (c == me)
        return;
    s.self = pf_running = c;
    me->stopped = ++s.switches;
    if (__builtin_expect(pf_materialised, 0))
        pf_baton_pass(me, c);
    else
        pf_switch(&me->sp, c->sp, c->fs);
}

/* May self go on without the segment being closed? While following, never: it was closed here. */
static bool goes_on(struct pf_context *me)
{
    if (s.rest && !s.hurried && !s.following) { /* a part is over, not the grant */
        s.done = segment_events();
        allow(me, s.rest);
        return true;
    }
    if (s.following || s.hurried || pf_waits_due() || pf_plan_busy())
        return false;
    uint64_t done = segment_events(), events = s.events + done;
    pf_point_weary(events, s.yields);
    if (pf_direct.fuzzing && pf_fuzz_calls(events))
        return false;
    if (s.ready.first) {
        struct pf_context *c = pf_policy_pick(&s.policy, &s.ready, me, false, events);
        if (c != me) {
            s.picked = c;
            return false;
        }
    }
    s.done = done;
    allow(me, pf_policy_grant(&s.policy, me, events));
    return true;
}

/* me stands before an access that the policy may hold it at, or has just been granted it. True: it was
 * somebody else's turn, and is me's again. */
static bool fuzzed(struct pf_context *me)
{
    bool granted = !me->at_point;
    for (; pf_fuzz_turns(); granted = true)
        next(PF_END_PREEMPTED);
    me->at_point = true; /* the access is not done yet */
    enum pf_fuzz_says says = pf_fuzz_arrives(me, s.events + segment_events());
    if (says == PF_FUZZ_PASS) {
        me->at_point = !granted;
        return granted;
    }
    if (says == PF_FUZZ_HOLD)
        me->state = PF_CONTEXT_HELD;
    next(PF_END_PREEMPTED);
    return true;
}

/* me stands before the event number me->stop. True: it goes on at once. */
static bool passes_stop(struct pf_context *me)
{
    if (pf_point_reached(me)) {
        me->state = PF_CONTEXT_HELD;
        return false;
    }
    if (me->fuzzed.unseen)
        return false;
    if (!s.rest)
        return goes_on(me);
    s.done = segment_events();
    allow(me, s.rest);
    return true;
}

static void preempted(void *unused)
{
    (void)unused;
    struct pf_context *me = s.self;
    bool over = false; /* it was somebody else's turn, and is me's again */
    bool stops = pf_context_events(me) == me->stop && pf_point_stops(me);
    if (stops && s.rest) { /* it goes on at once */
        pf_point_stop();
        stops = false;
    }
    if (pf_context_events(me) == me->stop) {
        if (passes_stop(me))
            return;
    } else if (me->fuzzed.marks) {
        over = fuzzed(me);
        if (!over && me->left >= 0) { /* of the grant it has */
            me->at_point = false;
            return;
        }
        if (!over && goes_on(me))
            return;
    }
    if (!over)
        next(PF_END_PREEMPTED);
    if (me->fuzzed.unseen) { /* it stood here before the policy was there */
        me->fuzzed.unseen = false;
        me->fuzzed.marks = pf_direct.fuzzing ? pf_fuzz_marks(me->pending.site) : 0;
        if (me->fuzzed.marks)
            fuzzed(me);
    }
    if (stops)
        pf_point_stop();
    if (me->signal_due && !__pf_tls.nested)
        pf_world_deliver_due();
}

static bool asks(struct pf_context *me, const struct pf_pending *event)
{
    bool granted = is_granted(me);
    me->fuzzed.marks = 0;
    if (pf_direct.fuzzing && !pf_plan_busy() && pf_context_events(me) != me->stop)
        me->fuzzed.marks = pf_fuzz_marks(event->site);
    if (granted && !me->fuzzed.marks)
        return false;
    me->at_point = true;
    me->pending = *event;
    if (me->fuzzed.marks)
        return true;
    return pf_context_events(me) == me->stop || !goes_on(me);
}

void pf_sched_event(const struct pf_pending *event)
{
    struct pf_context *me = s.self;
    if (!asks(me, event))
        return;
    pf_call_saved(preempted, NULL);
    if (me->asked)
        pf_plan_answer(me);
}

void pf_sched_inside(void)
{
    is_granted(s.self); /* the budget may be below 0 until it can be asked */
}

void pf_sched_slow(void)
{
    /* A call of an interposed function: what it will touch is not known yet. */
    uint32_t call = pf_direct.fuzzing ? pf_frame_site(__pf_tls.frame - 1) : 0;
    if (asks(s.self, &(struct pf_pending){.site = call ? call - 1 : PF_PENDING_NOWHERE}))
        preempted(NULL);
}

/* One that was held may go on. */
void pf_sched_release(struct pf_context *c)
{
    c->state = PF_CONTEXT_READY;
    pf_queue_add(&s.ready, c);
}

/* Do all events come here from now on? What is left of each grant is kept. */
static void watch(bool all)
{
    for (uint32_t i = 0; i < pf_contexts() && all != s.watched; i++) {
        struct pf_context *c = pf_context_at(i);
        if (c->state == PF_CONTEXT_ENDED)
            continue;
        if (all)
            c->left = c->tls->budget;
        c->tls->budget = all ? 0 : c->left;
    }
    s.watched = all;
}

void pf_sched_policy(const char *policy)
{
    if (!pf_policy_parse(&s.policy, policy))
        pf_direct_refuse("no such policy: rr:SLICE, random:SEED, pct:SEED,DEPTH, pos:SEED, "
                         "racefuzzer:LOCATION,LOCATION,SEED or assetfuzzer:STEP,...,SEED");
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        pf_context_at(i)->priority = 0;
        pf_policy_add(&s.policy, pf_context_at(i));
    }
    s.following = false;
    s.rest = 0;
    pf_direct.fuzzing = s.policy.kind == PF_POLICY_FUZZ;
    for (uint32_t i = 0; i < pf_contexts(); i++)
        pf_context_at(i)->fuzzed.unseen = pf_direct.fuzzing && pf_context_at(i)->at_point;
    watch(pf_direct.watching || pf_direct.fuzzing);
}

void pf_sched_yield(void)
{
    if (pf_direct.fuzzing && !s.ready.first)
        pf_fuzz_starved(true);
    /* Where nobody is to go first, nothing is written, and a replay knows it by that. */
    if (!pf_sched_yields()) {
        s.lonely = s.calls == s.lonely_calls + 1 ? s.lonely + 1 : 0;
        s.lonely_calls = s.calls;
        if (!s.following)
            pf_point_weary(pf_sched_events(), s.lonely);
        return;
    }
    uint64_t weight = s.self->gave_way ? SPUN_WEIGHT : 1;
    s.yields = s.calls == s.yield_calls + 1 ? s.yields + weight : weight;
    s.yield_calls = s.calls;
    next(PF_END_YIELDED);
}

void pf_sched_settle(void) { next(PF_END_PREEMPTED); }

enum pf_woken pf_sched_wait(const struct pf_wait *w)
{
    struct pf_context *me = s.self;
    me->wait = *w;
    me->state = PF_CONTEXT_WAITING;
    pf_waits_add(me);
    next(PF_END_BLOCKED);
    return (enum pf_woken)me->woken;
}

_Noreturn void pf_sched_exit(void)
{
    s.self->state = PF_CONTEXT_ENDED;
    next(PF_END_EXITED);
    __builtin_unreachable();
}

void pf_sched_abandon(void) { s.closed = true; }

void pf_sched_faulted(void) { s.faulted = true; }

void pf_sched_final(void)
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
    pf_point_init();
    s.following = pf_direct.mode == PF_DIRECT_REPLAY;
    if (s.following) {
        pf_direct.fuzzing = false;
        watch(pf_direct.watching);
    }
    if (s.following && !segment_read())
        pf_direct_refuse("the recording has no schedule");
    pf_plan_init();
    uint64_t n = s.planned.n;
    if (!s.following && pf_plan_next(&n) != s.self)
        n = pf_policy_grant(&s.policy, s.self, 0);
    allow(s.self, n);
}
