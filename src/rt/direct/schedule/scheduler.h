/*
 * scheduler.h - decides which thread runs next: interfaces for the files of directed mode.
 *
 * Model:   a run is a list of segments: a thread, the number of its events, and how the segment
 *          ended. While recording, the policy (policy.h) chooses the thread and grants it a number
 *          of events; the segment is written when it ends (schedule_stream.h). In a replay the
 *          segment is read when it begins, and its number of events is the grant.
 *
 *              ended by   where the thread is then
 *              PREEMPTED  before an event; the thread's next segment begins with it
 *              BLOCKED    in a wait
 *              YIELDED    in a system call by which it yielded, or about to end the process
 *              EXITED     nowhere: it has ended
 *              FINAL      the process ended in this segment
 *
 *          Records between segments say which threads were woken from outside, and how much time
 *          passed while no thread could run. Wake-ups of one thread by another need no record: the
 *          replay repeats them.
 * Threads: the runner only.
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
    PF_END_TIME,  /* not a segment: n nanoseconds passed */
    PF_END_WOKEN, /* not a segment: the thread was woken; n is an enum pf_woken */
    /* not a segment: the end; n is 0 for a deadlock, 1 for a livelock. With n = PF_STUCK_SPIN it is
     * not the end (schedule_stream.h). */
    PF_END_STUCK,
};

void pf_sched_init(const char *policy);
/* Replaces the policy, also of a replay: it stops following its recording. */
void pf_sched_policy(const char *policy);
/* Number of events of all threads so far. */
uint64_t pf_sched_events(void);
/* Makes a held context (PF_CONTEXT_HELD) ready. */
void pf_sched_release(struct pf_context *c);
/* wake: makes a waiting context ready. became_ready: tells the policy that c can run now while the
 * current thread runs; a policy with priorities may preempt the current thread. */
void pf_sched_wake(struct pf_context *c, enum pf_woken how);
void pf_sched_became_ready(struct pf_context *c);
/* A counter that grows with every visible operation of a thread. Async-signal-safe, like the six
 * functions below. */
uint64_t pf_sched_progress(void);
/* follows_recording: true in a replay that has not left its recording. must_yield_here: true if, in
 * addition, the recorded segment ends here by a yield, before the thread's next event. */
bool pf_sched_follows_recording(void);
bool pf_sched_must_yield_here(void);
/* True if no other thread can run, and neither time nor an external event can make one ready. */
bool pf_sched_is_alone(void);
/* True if a yield of the current thread would end its segment. In a replay the recording decides;
 * otherwise it is false if the thread is alone. */
bool pf_sched_would_yield(void);
/* True if a flip or a policy holds a thread back. */
bool pf_sched_holds_any(void);
/* The current thread only spins, and no other thread can ever run: a livelock, reported at the next
 * decision. */
void pf_sched_spins_alone(void);
/* Advances the virtual clock. */
void pf_sched_advance_clock(uint64_t ns);
/* Ends the run between two segments: as a deadlock, or (`live`) as a livelock. */
_Noreturn void pf_sched_end_stuck(bool live);
/* In a forked child: the current context is the only one. */
void pf_sched_forked(void);
/* Adds a new context, ready to run. */
void pf_sched_add(struct pf_context *c);
/* The current context has ended; never returns. */
_Noreturn void pf_sched_exit(void);
/* close: the process ends, closes its last segment. faulted: call before that if a fault ends the
 * process. */
void pf_sched_close(void);
void pf_sched_faulted(void);
/* The runtime ends the run here: the schedule gets no end record. */
void pf_sched_abandon(void);
/* Counts a system call in virtual time. calls: how many there were so far. */
void pf_sched_count_call(void);
uint64_t pf_sched_calls(void);
/* Returns the first thread that waits for this futex, or NULL, and stores the number of such
 * threads in *n. */
struct pf_context *pf_sched_futex_waiter(uint64_t address, uint32_t *n);
/* Makes up to n threads that wait for futex `from` wait for futex `to`. Returns how many. */
uint32_t pf_sched_requeue_futex(uint64_t from, uint64_t to, uint32_t n);
/* The schedule of the replay is exhausted, but the target has not ended. */
_Noreturn void pf_direct_replay_ended(void);

/* bad_pointer.c: runs a trapped system call. Returns -EFAULT if it faults, as the kernel does. May
 * switch. */
typedef long (*pf_trapped_call)(struct pf_context *c, long number, const long argument[6]);
long pf_trap_guarded(pf_trapped_call call, struct pf_context *c, long number,
                     const long argument[6]);
/* trap.c */
void pf_trap_arm(void);
/* Lets the calls of this kernel thread pass until pf_trap_arm. A seccomp filter stays. */
void pf_trap_disarm(void);
/* the trap stays active in children: a seccomp filter cannot be removed */
bool pf_trap_stays(void);
/* futex.c: the futex system call. */
long pf_futex(const long argument[6]);
/* virtual_time.c: handles calls about time. Returns false for other calls. */
bool pf_virtual_call(long number, const long argument[6], long *result);
void pf_virtual_init(void);
/* Call at every clock read: true if the thread seems to poll the clock, so that it should yield. */
bool pf_virtual_is_polling(void);
/* From now on, clocks are a little ahead and run faster. A replay does not repeat this. */
void pf_virtual_change(void);
/* Converts a time on one of the target's clocks to virtual time; at least 1. */
uint64_t pf_virtual_deadline(int clock, const struct timespec *t);

#endif
