/*
 * scheduler.h - who runs next: the scheduler's inside, for the files of this folder that share it.
 *
 * Model:   a run is a list of segments: one thread, a number of its events, how that ended. While
 *          recording, the policy (policy.h) chooses the thread and grants it a budget; the segment
 *          is written when it ends (schedule_stream.h). In a replay the segment is read when it begins, and
 *          its count is the budget.
 *
 *              ended by   the thread then stands
 *              PREEMPTED  before an event that the next segment of the thread begins with
 *              BLOCKED    in a wait
 *              YIELDED    in a system call by which it gave way
 *              EXITED     nowhere
 *              FINAL      the process ended in it
 *
 *          What wakes a waiting thread from outside, and the passing of time while nobody could
 *          run, stand between segments. What threads do to each other needs no record: it happens
 *          again.
 * Threads: the runner alone.
 */
#ifndef PF_RT_SCHEDULER_H
#define PF_RT_SCHEDULER_H

#include "context.h"
#include <time.h>

enum pf_segment_end {
    PF_END_PREEMPTED,
    PF_END_BLOCKED,
    PF_END_YIELDED,
    PF_END_EXITED,
    PF_END_FINAL,
    PF_END_TIME,  /* no segment: time passed, n nanoseconds */
    PF_END_WOKEN, /* no segment: n says how (enum pf_woken) the thread was woken */
    PF_END_STUCK, /* no segment: the end; n is 0: nobody could run, 1: nobody got anywhere */
};

void pf_sched_init(const char *policy);
/* From here on this policy decides, also where a recording was followed. */
void pf_sched_policy(const char *policy);
/* Events of all threads so far. */
uint64_t pf_sched_events(void);
/* A context that was held at a point (breakpoint.h) may go on. */
void pf_sched_release(struct pf_context *c);
/* A context that waits can go on from here; it is one who came to be able to run while self runs: a
 * policy with priorities may prefer it. */
void pf_sched_wake(struct pf_context *c, enum pf_woken how);
void pf_sched_arrived(struct pf_context *c);
/* Grows with everything that a thread does visibly. Async-signal-safe, as the six below. */
uint64_t pf_sched_progress(void);
/* Is this a replay that follows its recording? Then: does the thread give way here, before its next event? */
bool pf_sched_follows(void);
bool pf_sched_gives_way_here(void);
/* Can nobody but self ever go on, as far as it is up to the target? */
bool pf_sched_alone(void);
/* Does it, if it wants to? Not where there is nobody else. */
bool pf_sched_yields(void);
/* Is there anybody whom a flip or a policy holds back? */
bool pf_sched_holds(void);
/* Nobody but self can go on, and self waits for somebody else. */
void pf_sched_hopeless(void);
/* The clock jumps ahead. */
void pf_sched_jump(uint64_t ns);
/* The end, between two segments: nobody can run, or (`live`) nobody gets anywhere. */
_Noreturn void pf_sched_stuck(bool live);
/* A new context, ready to run. */
void pf_sched_add(struct pf_context *c);
/* The current context is over; never returns. */
_Noreturn void pf_sched_exit(void);
/* The process ends here: closes the segment. Before that: because of a fault. */
void pf_sched_final(void);
void pf_sched_faulted(void);
/* The run is ended by us, where it stands: the schedule has no end. */
void pf_sched_abandon(void);
/* Counts a system call in virtual time. */
void pf_sched_called(void);
/* The first of those that wait for this futex, and how many there are; NULL: none. */
struct pf_context *pf_sched_waiter(uint64_t address, uint32_t *n);
/* Up to n of those that wait for one futex wait for another from now on; how many. */
uint32_t pf_sched_requeue(uint64_t from, uint64_t to, uint32_t n);
/* The schedule of the replay is used up, and the target is not at its end. */
_Noreturn void pf_replay_over(void);

/* trap.c */
void pf_trap_arm(void);
bool pf_trap_stays(void); /* also in children: a filter cannot be taken off */
/* futex.c: the system call futex. */
long pf_futex(const long argument[6]);
/* virtual_time.c: calls about time; false: not one of those. */
bool pf_virtual_call(long number, const long argument[6], long *result);
void pf_virtual_init(void);
/* At every look at a clock: the thread seems to wait, others should go first. */
bool pf_virtual_is_wait(void);
bool pf_context_is_thread(long number, const long argument[6]);

/* The virtual time of a moment on a clock of the target, at least 1. */
uint64_t pf_virtual_deadline(int clock, const struct timespec *t);

#endif
