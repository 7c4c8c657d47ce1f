/*
 * spinners.c - see spinners.h.
 */
#include "spinners.h"
#include "local_state.h"
#include "mappings.h"
#include "memory_hash.h"
#include "rt.h"
#include "schedule_plan.h"
#include "scheduler_state.h"
#include "signals.h"
#include "waits.h"

#define CHANCE 32  /* decisions after which one spinning thread may run although others can */
#define YIELDS 20000 /* yields in the same state after which memory is compared */
#define MOMENTS 8 /* comparisons in a row that must be equal if several threads only yield */
#define PATIENCE 8 /* times that all spinning threads run in vain before time passes */
#define COUNTS 4096 /* up to this many iterations, a loop may be one that counts and then ends */
#define COUNTS_MAX (1u << 30)
#define NOTED 16 /* iterations of which the states are noted */

static struct pf_queue spinners;
static uint32_t decisions, in_vain;

bool pf_spinners_any(void) { return spinners.first; }

bool pf_spinners_may_count(void)
{
    const struct pf_context *c = spinners.first;
    while (c && c->wait_loop.wanted > COUNTS)
        c = c->next;
    return c;
}

/* True if no other thread than c can ever run again, unless c changes something. */
static bool others_are_stuck(const struct pf_context *c)
{
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        const struct pf_context *k = pf_context_at(i);
        bool spins = k->state == PF_CONTEXT_SPINS && pf_local_state_repeats(k) &&
                     !pf_wait_loop_is_over(&k->wait_loop, pf_scheduler.calls);
        if (k != c && k->state != PF_CONTEXT_ENDED && k->state != PF_CONTEXT_WAITING && !spins)
            return false;
    }
    return !pf_waits_external_or_timed() && !pf_waits_time_can_wake();
}

/* True if another process may change memory of the program. */
static bool has_shared_memory(void)
{
    for (const struct pf_mapping *m = pf_mapping_above(0); m; m = pf_mapping_above(m->hi))
        if (m->shared)
            return true;
    return false;
}

/* Compares memory at two moments at which the threads are in the same state: true if memory is the
 * same, so that the program repeats itself. The first call (*memory is 0) is the first moment. */
static bool memory_repeats(uint64_t *memory)
{
    uint64_t before = *memory, now = pf_memory_hash();
    *memory = now;
    return now && now == before;
}

/* --- loops that never end --- */

/* In an explored run the states of all events are noted. Otherwise that would take too long: they
 * are noted when nothing but loops runs, after this many iterations, and after more and more of
 * them if that was in vain. */
static uint32_t note_after = COUNTS;
static uint64_t noted_memory; /* its hash at the moment that is compared with later ones; 0: none */
static uint64_t noted_place; /* where the current thread was then */
static uint32_t noted_rounds;

static void stop_noting(void)
{
    pf_direct.noting = pf_direct.exploring;
    noted_memory = 0;
    noted_rounds = 0;
}

static void note_later(void)
{
    stop_noting();
    note_after = note_after < COUNTS_MAX ? note_after * 4 : COUNTS_MAX;
}

/* True if the program will never do anything else: c, the current thread, waits in a loop at this
 * event, and its state repeats. */
static bool repeats_for_ever(const struct pf_context *c, const struct pf_pending_event *event)
{
    uint64_t place = (uint64_t)c->number << 32 | event->site;
    if (!pf_direct.noting || !pf_local_state_repeats(c) || !others_are_stuck(c))
        return false;
    if (pf_direct.exploring)
        return true;
    /* Memory is compared at one place only: the runtime's own thread-local memory differs from
     * place to place. */
    if (!pf_signal_none_handled() || has_shared_memory() || (noted_memory && noted_place != place))
        return false;
    bool compared = noted_memory, repeats = memory_repeats(&noted_memory);
    noted_place = place;
    if (compared && !repeats)
        note_later();
    return repeats;
}

/* c, the current thread, waits in a loop, and no other thread can run: returns the number of
 * iterations after which it is looked at again. */
static uint32_t iterations_alone(const struct pf_context *c)
{
    if (pf_direct.exploring)
        return NOTED;
    if (pf_direct.noting && (!noted_memory || ++noted_rounds > NOTED))
        note_later(); /* its state does not repeat */
    else if (!pf_direct.noting)
        pf_direct.noting = c->wait_loop.wanted >= note_after;
    return pf_direct.noting ? NOTED : note_after;
}

bool pf_spinners_recognise(struct pf_context *c, const struct pf_pending_event *event)
{
    bool planned = pf_schedule_plan_pending();
    if (pf_scheduler.following || (planned && !pf_schedule_plan_runs_to_end(c)) ||
        pf_context_events(c) == c->break_at ||
        !pf_wait_loop_event(&c->wait_loop, event, __pf_tls.frame, pf_context_events(c),
                            pf_scheduler.calls))
        return false;
    if (planned)
        pf_schedule_plan_fail();
    if (repeats_for_ever(c, event)) {
        pf_sched_spins_alone();
        return true;
    }
    bool alone = pf_sched_is_alone() && !pf_sched_holds_any();
    if (!alone && pf_direct.exploring && pf_local_state_repeats(c))
        return true; /* more iterations would show nothing */
    uint32_t more = alone ? iterations_alone(c) : pf_policy_spins(&pf_scheduler.policy);
    if (more)
        pf_wait_loop_go_on(&c->wait_loop, more);
    return !more;
}

bool pf_spinners_yield_for_ever(const struct pf_context *c)
{
    static const struct pf_context *last;
    static uint64_t state, last_calls, memory;
    static uint64_t same, other; /* yields in this state, and in other states */
    static uint64_t compare_after = YIELDS; /* yields in the same state */
    if (pf_scheduler.following)
        return false;
    uint64_t now = pf_local_state_at_call(c);
    bool again = now && last == c && pf_scheduler.calls == last_calls + 1;
    same += again && now == state;
    other += again && now != state;
    /* is_budget may take a word for the budget that is not, so the state may differ now and then */
    if (!again || other > same / 16) {
        state = now;
        same = other = memory = 0;
    }
    last = c;
    last_calls = pf_scheduler.calls;
    if (same < compare_after || now != state || !pf_signal_none_handled() || pf_sched_holds_any() ||
        has_shared_memory())
        return false;
    bool compared = memory, repeats = memory_repeats(&memory);
    if (compared) { /* otherwise it is compared at the next yield */
        same = other = memory = 0;
        compare_after = repeats ? YIELDS : compare_after * 2;
    }
    return repeats;
}

bool pf_spinners_only_yield(void)
{
    static uint64_t memory, threads;
    static uint32_t equal;
    uint64_t now = 1;
    for (uint32_t i = 0; i < pf_contexts(); i++)
        now = now * 31 + pf_local_state_at_call(pf_context_at(i));
    bool repeats = memory_repeats(&memory) && now == threads && !has_shared_memory();
    equal = repeats ? equal + 1 : 0;
    threads = now;
    return equal >= MOMENTS;
}

void pf_spinners_add(struct pf_context *c)
{
    c->state = PF_CONTEXT_SPINS;
    pf_queue_add(&spinners, c);
}

static void release(struct pf_context *c, bool over)
{
    pf_queue_remove(c);
    pf_wait_loop_end(&c->wait_loop, over);
    c->state = PF_CONTEXT_READY;
    pf_policy_add(&pf_scheduler.policy, c);
    pf_queue_add(&pf_scheduler.ready, c);
    if (over) {
        in_vain = 0;
        stop_noting();
    }
}

void pf_spinners_release(struct pf_context *c) { release(c, false); }

void pf_spinners_wake(void)
{
    for (struct pf_context *c = spinners.first, *next; c; c = next) {
        next = c->next;
        if (c->signal_due || pf_wait_loop_is_over(&c->wait_loop, pf_scheduler.calls))
            release(c, true);
    }
}

void pf_spinners_take_chance(void)
{
    if (spinners.first && ++decisions % CHANCE == 0)
        release(spinners.first, false);
}

/* True if the states of all of them repeat, so that further iterations change nothing. */
static bool all_repeat(void)
{
    const struct pf_context *c = spinners.first;
    while (c && pf_local_state_repeats(c))
        c = c->next;
    return !c;
}

/* Nothing but several loops runs: decides if their states are noted. */
static void note_all(void)
{
    const struct pf_context *c = spinners.first;
    while (c && c->wait_loop.wanted >= COUNTS)
        c = c->next;
    if (!pf_direct.noting && !c)
        pf_direct.noting = in_vain >= note_after / COUNTS;
    else if (pf_direct.noting && ++noted_rounds > NOTED)
        note_later();
}

bool pf_spinners_run(void)
{
    if (!spinners.first)
        return false;
    bool time_helps = pf_waits_external_or_timed() || pf_waits_time_can_wake();
    bool in_turn = ++in_vain % PATIENCE == 0;
    if (time_helps && (in_turn || (pf_direct.exploring && all_repeat())))
        return false;
    if (!time_helps && !pf_direct.exploring)
        note_all();
    while (spinners.first)
        release(spinners.first, false);
    return true;
}
