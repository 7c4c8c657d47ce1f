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

#define CHANCE 32  /* decisions between two chances */
#define YIELDS 20000 /* yields in the same state after which memory is compared */
#define MOMENTS 8 /* moments at which several threads that yield are compared */
#define PATIENCE 8 /* times that all of them run in vain before time passes */
#define COUNTS 4096 /* iterations of a loop that may still be a loop that counts */

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
    if (pf_direct.exploring && pf_local_state_repeats(c) && others_are_stuck(c)) {
        pf_sched_spins_alone();
        return true;
    }
    uint32_t more = pf_sched_is_alone() && !pf_sched_holds_any()
                        ? UINT32_MAX
                        : pf_policy_spins(&pf_scheduler.policy);
    if (more)
        pf_wait_loop_go_on(&c->wait_loop, more);
    return !more;
}

/* Memory of the program that another process may change. */
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

bool pf_spinners_yield_for_ever(const struct pf_context *c)
{
    static const struct pf_context *last;
    static uint64_t state, last_calls, memory;
    static uint64_t same, other; /* yields in this state, and in other states */
    static uint64_t patience = YIELDS;
    if (pf_scheduler.following)
        return false;
    uint64_t now = pf_local_state_at_call(c);
    bool again = now && last == c && pf_scheduler.calls == last_calls + 1;
    same += again && now == state;
    other += again && now != state; /* a small budget may equal another word of the stack */
    if (!again || other > same / 16) {
        state = now;
        same = other = memory = 0;
    }
    last = c;
    last_calls = pf_scheduler.calls;
    if (same < patience || now != state || !pf_signal_none_handled() || pf_sched_holds_any() ||
        has_shared_memory())
        return false;
    bool compared = memory, repeats = memory_repeats(&memory);
    if (compared) { /* otherwise it is compared at the next yield */
        same = other = memory = 0;
        patience = repeats ? YIELDS : patience * 2;
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
    if (over)
        in_vain = 0;
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

bool pf_spinners_run(void)
{
    if (!spinners.first ||
        (++in_vain % PATIENCE == 0 && (pf_waits_external_or_timed() || pf_waits_time_can_wake())))
        return false;
    while (spinners.first)
        release(spinners.first, false);
    return true;
}
