/*
 * scheduler_state.h - the state of the scheduler, for the files that take part in its decisions:
 * scheduler.c, segment.c, process_end.c, access_order.c and spinners.c.
 */
#ifndef PF_RT_SCHEDULER_STATE_H
#define PF_RT_SCHEDULER_STATE_H

#include "policy.h"
#include "schedule_stream.h"
#include "scheduler.h"

struct pf_scheduler {
    struct pf_context *self;
    struct pf_queue ready;
    struct pf_policy policy;
    /* The segment of self. */
    uint64_t done; /* events of it before the last grant */
    uint64_t grant; /* events granted, including those still left in the budget */
    uint64_t grant_rest; /* events to grant after this part of the grant (pf_segment_grant) */
    bool began_before_event; /* self was before an event when the segment began */
    struct pf_segment recorded; /* replay: the current segment as recorded */
    /* every event is reported here: traces, memory checks, fuzzing, behaviours, memory models */
    bool every_event;
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
    uint64_t segments_closed;
    uint64_t switches;
    struct pf_context *picked; /* chosen by the policy for the next segment */
    bool exit_decided, exit_waits; /* the policy's decision at the end of the process */
};
extern struct pf_scheduler pf_scheduler;

/* Events left of the grant of c. While every event is reported, they are counted here, and the
 * budget that compiled code decrements stays 0. */
static inline int64_t *pf_sched_left_of(struct pf_context *c)
{
    return pf_scheduler.every_event ? &c->grant_left : &c->tls->budget;
}

/* Events of the current segment so far, without the event that self is about to perform. */
static inline uint64_t pf_segment_events(void)
{
    int64_t left = *pf_sched_left_of(pf_scheduler.self) + (pf_scheduler.self->before_event ? 1 : 0);
    return pf_scheduler.done + pf_scheduler.grant - (uint64_t)left;
}

/* Closes the segment of self, and lets the thread run that the policy, the plan or the recording
 * chooses; returns when self runs again. */
void pf_sched_end_segment(enum pf_segment_end how);

/* --- segment.c --- */

/* Grants n more events to c. The grant is split at the next breakpoint (breakpoint.h); while
 * recording, also after GRANT_PART events, and where wait_loop.h must see an event. */
void pf_segment_grant(struct pf_context *c, uint64_t n);
/* Events left of the grant of self, which is before an event and has used up the part granted so
 * far. Events inside the runtime may have gone beyond that part. */
uint64_t pf_segment_rest(void);
/* Ends the grant of self at its next event. */
void pf_segment_end_grant(void);
/* Closes the segment of self: records it, or compares it with the recording. */
void pf_segment_close(enum pf_segment_end how);
/* Reads the next segment of the replay and performs the records before it. Returns false at the end
 * of the schedule. */
bool pf_segment_read(void);

#endif
