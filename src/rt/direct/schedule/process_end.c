/*
 * process_end.c - which threads run before the process ends. A recording decides it by its policy;
 * a replay follows the recording.
 */
#include "breakpoint.h"
#include "fuzz_policy.h"
#include "policy.h"
#include "schedule_plan.h"
#include "scheduler_state.h"

/* Limits of the wait for other threads at the end of the process: events, and turns. */
#define EXIT_EVENTS 100000
#define EXIT_TURNS 1000

/* True if a thread that is not itself about to end the process can run. */
static bool others_can_run(void)
{
    struct pf_context *c = pf_scheduler.ready.first;
    while (c && c->ends_process)
        c = c->next;
    return c != NULL;
}

/* Decides at the end of the process whether another thread runs first, and which one
 * (pf_scheduler.picked). */
static bool runs_others_first(struct pf_context *me, bool waits)
{
    uint64_t n;
    if (pf_direct.fuzzing && !pf_scheduler.ready.first)
        pf_fuzz_policy_release_one(true);
    if (pf_schedule_plan_pending())
        return pf_schedule_plan_next(&n) != me;
    if (!others_can_run())
        return false;
    waits |= pf_breakpoint_flip_holds();
    struct pf_context *c =
        pf_policy_pick(&pf_scheduler.policy, &pf_scheduler.ready, me, waits, pf_sched_events());
    pf_scheduler.picked = c == me ? NULL : c;
    return c != me;
}

void pf_sched_before_process_end(void)
{
    struct pf_context *me = pf_scheduler.self;
    if (pf_scheduler.closed)
        return;
    me->ends_process = true;
    if (pf_scheduler.following) {
        while (pf_scheduler.following && pf_sched_must_yield_here())
            pf_sched_end_segment(PF_END_YIELDED);
    } else {
        if (!pf_scheduler.exit_decided)
            pf_scheduler.exit_waits = pf_policy_waits_at_exit(&pf_scheduler.policy);
        pf_scheduler.exit_decided = true; /* one decision for exit and the system call at its end */
        uint64_t limit = pf_sched_events() + EXIT_EVENTS;
        int turns = 0;
        while (runs_others_first(me, pf_scheduler.exit_waits)) {
            if (!pf_schedule_plan_pending() &&
                (turns++ == EXIT_TURNS || pf_sched_events() >= limit))
                break;
            pf_sched_end_segment(PF_END_YIELDED);
        }
        pf_scheduler.picked = NULL;
    }
    me->ends_process = false;
}
