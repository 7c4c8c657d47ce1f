/*
 * segment.c - the segments of a schedule: recorded when they end, read and compared in a replay.
 */
#include "access_order.h"
#include "breakpoint.h"
#include "cond_queue.h"
#include "deadlock.h"
#include "scheduler_state.h"
#include "spin_yield.h"
#include "stream_ring.h"
#include "waits.h"

#define GRANT_PART (1u << 16) /* events after which preempt_soon is checked */

void pf_segment_grant(struct pf_context *c, uint64_t n)
{
    uint64_t until_stop = c->break_at - (c->events + pf_scheduler.done);
    pf_scheduler.grant_rest = n > until_stop ? n - until_stop : 0;
    n -= pf_scheduler.grant_rest;
    uint64_t part = pf_wait_loop_grant(&c->wait_loop, c->events + pf_scheduler.done);
    part = part < GRANT_PART ? part : GRANT_PART;
    if (!pf_scheduler.following && n > part) {
        pf_scheduler.grant_rest += n - part;
        n = part;
    }
    pf_scheduler.grant = n;
    c->until = c->events + pf_scheduler.done + n;
    *pf_sched_left_of(c) = (int64_t)n - (c->before_event ? 1 : 0);
    c->before_event = false;
}

uint64_t pf_segment_rest(void)
{
    uint64_t done = pf_segment_events(), part = pf_scheduler.done + pf_scheduler.grant;
    uint64_t more = done > part ? done - part : 0;
    return pf_scheduler.grant_rest > more ? pf_scheduler.grant_rest - more : 0;
}

void pf_segment_end_grant(void)
{
    pf_scheduler.grant_rest = 0;
    int64_t *left = pf_sched_left_of(pf_scheduler.self);
    if (*left > 0) {
        pf_scheduler.grant -= (uint64_t)*left;
        pf_scheduler.self->until -= (uint64_t)*left;
        *left = 0;
    }
}

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

void pf_segment_close(enum pf_segment_end how)
{
    struct pf_segment seg = {pf_scheduler.self->number, how, (uint8_t)(pf_direct.hash >> 56),
                             pf_segment_events()};
    /* Within a run of events the budget is decremented once, at its beginning: a fault can end the
     * recording in the middle of a run. */
    bool ends_early = (how == PF_END_FINAL && pf_scheduler.faulted) || pf_scheduler.left_handler;
    bool nothing = how == PF_END_PREEMPTED && pf_scheduler.began_before_event &&
                   pf_scheduler.self->before_event && !seg.n;
    if (nothing && !pf_scheduler.following) {
        pf_scheduler.segments_closed--; /* nothing happened since it began: not a segment */
    } else if (!pf_scheduler.following) {
        if (pf_direct.mode == PF_DIRECT_RECORD)
            pf_schedule_put(&seg);
    } else if (pf_scheduler.recorded.end != how) {
        pf_diverged_words("the end of a segment", end_words[pf_scheduler.recorded.end],
                          end_words[how]);
    } else if (pf_scheduler.recorded.n != seg.n &&
               !(ends_early && seg.n < pf_scheduler.recorded.n)) {
        pf_diverged("the number of events of a segment", pf_scheduler.recorded.n, seg.n);
    } else if (pf_scheduler.recorded.hash != seg.hash) {
        pf_diverged("the hash of the actions of all threads", pf_scheduler.recorded.hash, seg.hash);
    }
    if (pf_scheduler.following && pf_scheduler.left_handler)
        seg.n =
            pf_scheduler.recorded.n; /* later events have the same numbers as in the recording */
    if (how != PF_END_YIELDED)
        pf_scheduler.yields = 0;
    pf_scheduler.self->events += seg.n;
    pf_scheduler.events += seg.n;
    pf_channel_set_events(pf_scheduler.events, pf_contexts());
    pf_access_order_segment_closed(pf_scheduler.events);
    pf_scheduler.done = 0;
    pf_scheduler.grant = 0;
    pf_scheduler.grant_rest = 0;
    pf_scheduler.self->until = pf_scheduler.self->events;
    *pf_sched_left_of(pf_scheduler.self) = pf_scheduler.self->before_event ? -1 : 0;
    pf_breakpoint_segment_closed(pf_scheduler.self);
}

void pf_sched_forked(void)
{
    pf_scheduler.ready = (struct pf_queue){0};
    pf_scheduler.picked = NULL;
    pf_scheduler.exit_decided = false;
    pf_waits_forget();
}

_Noreturn void pf_sched_end_stuck(bool live)
{
    struct pf_segment seg = {.end = PF_END_STUCK, .n = live};
    if (pf_direct.mode == PF_DIRECT_RECORD)
        pf_schedule_put(&seg);
    pf_scheduler.closed = true;
    live ? pf_livelock() : pf_deadlock();
}

bool pf_segment_read(void)
{
    struct pf_spin_record how;
    bool in_spin_loop = false;
    while (pf_schedule_get(&pf_scheduler.recorded)) {
        struct pf_context *c = pf_context_at(pf_scheduler.recorded.thread);
        switch (pf_scheduler.recorded.end) {
        case PF_END_TIME:
            pf_scheduler.jumps_ns += pf_scheduler.recorded.n;
            pf_signal_take_arrived();
            break;
        case PF_END_WOKEN:
            if (!c || c->state != PF_CONTEXT_WAITING)
                pf_diverged("a waiting thread", pf_scheduler.recorded.thread, c ? c->state : ~0ull);
            if (pf_scheduler.recorded.n == PF_WOKEN_FIRST)
                pf_cond_put_first(c);
            else
                pf_sched_wake(c, (enum pf_woken)pf_scheduler.recorded.n);
            break;
        case PF_END_STUCK:
            if (pf_scheduler.recorded.n != PF_STUCK_SPIN)
                pf_sched_end_stuck(pf_scheduler.recorded.n);
            in_spin_loop = pf_schedule_get_spin(&how);
            break;
        default:
            if (!c || (c != pf_scheduler.self && c->state != PF_CONTEXT_READY))
                pf_diverged("a runnable thread", pf_scheduler.recorded.thread,
                            c ? c->state : ~0ull);
            if (in_spin_loop)
                pf_spin_yield_expect(&how);
            return true;
        }
    }
    return false;
}
