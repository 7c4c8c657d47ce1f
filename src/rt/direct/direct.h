/*
 * direct.h - directed mode: the interfaces between its parts.
 *
 * Model:   the target's threads are contexts on ONE kernel thread. At every visible operation the
 *          scheduler decides which thread runs next. Four parts meet here:
 *
 *              event      entry points called by the event body: count events and report them
 *              scheduler  contexts, decisions, waiting and waking, virtual time, checkpoints
 *              syscall    system calls, signals, timers: performed and logged while recording,
 *                         answered from the log in a replay
 *              rings      the streams of a clip: appended while recording, read in a replay
 *
 *          A visible operation is an access in an event body, a call of an interposed function
 *          (pf_call_enter), or a system call that can wait. Each is ONE event of its thread. An
 *          event is named by its index in its thread, never by a global number or an address.
 *          Between two visible operations of a thread no other thread runs.
 *
 *          glibc's own mutexes, condition variables and barriers are used unchanged: they wait by
 *          futex, and the trapped futex call reaches the scheduler. Locks inside libc are handled
 *          the same way, so they cannot hang the run either.
 * Memory:  the runtime's store; nothing here calls malloc.
 * Threads: one kernel thread, so no locks. A context switch can happen inside every function whose
 *          comment says "may switch", and only there.
 * Errors:  a log that ends early or disagrees with the run is a divergence (pf_diverged), which
 *          never returns.
 */
#ifndef PF_RT_DIRECT_H
#define PF_RT_DIRECT_H

#include "channel.h"
#include "hash_mix.h"
#include "thread.h"

struct pf_direct {
    uint8_t mode;  /* enum pf_direct_mode */
    bool tracing; /* every event is recorded with its value (otherwise only schedule and inputs) */
    bool fuzzing; /* threads are held before certain accesses (fuzz_policy.h) */
    bool watching; /* every access is checked for memory errors (memory_error.h) */
    bool counts_behaviours; /* of this continuation (behaviour.h) */
    uint8_t memory; /* enum pf_memory_model */
    bool exploring; /* a copy of a resident target (resident.h) */
    bool noting; /* events note the states of their threads (local_state.h) */
    bool slow_locks; /* every lock operation is reported to the listener or may be removed */
    bool isolated; /* changes to files are private (file_overlay.h) */
    bool removes_lock; /* a lock operation is removed (removed_lock.h) */
    bool limit_passed_early; /* the schedule ended a wait before its time limit */
    int64_t pid; /* process id of the recording */
    uint64_t hash; /* rolling hash over the actions of all threads */
};
extern struct pf_direct pf_direct;
static inline bool pf_directed(void)
{
    return __builtin_expect(pf_direct.mode != PF_DIRECT_OFF, 0);
}

/* Called by pf_rt_init. choose_mode comes first and reads the mode from the channel. start comes
 * when the runtime is ready; from then on every system call of a directed target is trapped. */
void pf_direct_choose_mode(void);
/* takes the report settings from the channel; after pf_options_init */
void pf_direct_options(void);
void pf_direct_start(void);
/* In a forked child that is not recorded: from now on it runs undirected. */
void pf_direct_child(void);
/* In such a child. copy: it continues as a copy of the program (it was forked, or an exec has
 * failed); otherwise it is about to execute another program. */
void pf_channel_child_runs(bool copy);
/* The runtime cannot watch anything: a directed run is impossible, and ends with status 2. */
void pf_direct_unavailable(void);
/* The target ends, by itself or by a signal: writes the last segment and flushes the rings. May be
 * called twice. */
void pf_direct_end(void);
/* Directed mode is impossible here: prints the reason and ends the process with status 2. */
_Noreturn void pf_direct_refuse(const char *why);
/* Prints one line on standard error, prefixed with "photofinish: ". */
void pf_direct_say(const char *what);
/* The same while recording, with the thread and its position in the source. */
void pf_direct_say_here(const char *what);

/* A copy of a resident target calls this interposed function: tells pf if it is not explored. */
void pf_resident_note_call(const struct pf_func *native);
/* Likewise, of something that no function does: a machine instruction. */
void pf_resident_note_name(const char *name);
/* It performs an atomic operation that is not sequentially consistent, or a fence. */
void pf_resident_note_weak(void);
/* The schedule has ended a wait before its time limit. */
void pf_resident_note_early_limit(bool far);
/* The current thread performs an event whose state is to be noted (local_state.h). */
void pf_local_state_note(uint64_t code);

/* --- scheduler (context.c, scheduler.c, futex.c, ...) --- */

enum pf_wait_kind { PF_WAIT_FUTEX, PF_WAIT_FD, PF_WAIT_TIME, PF_WAIT_CHILD, PF_WAIT_SIGNAL };

/* What a thread waits for. */
struct pf_wait {
    uint8_t kind;
    uint64_t object; /* futex: its address; fd: the descriptor; child: the pid */
    uint32_t mask; /* futex: the bitset; fd: poll events */
    uint64_t deadline; /* absolute virtual time in nanoseconds; 0: no deadline */
    bool shared; /* futex: another process may end the wait */
};
enum pf_woken {
    PF_WOKEN,
    PF_WOKEN_TIMEOUT,
    PF_WOKEN_SIGNAL,
    PF_WOKEN_FIRST, /* in schedules: it still waits, as the first in its queue (cond_queue.h) */
};

struct pf_context; /* context.h */
struct pf_context *pf_context_self(void);
/* 0 is main, the others in order of creation */
uint32_t pf_context_number(const struct pf_context *c);
uint64_t pf_context_events(const struct pf_context *c); /* number of events so far */

/* Mixes v into the hash that a replay must reproduce. */
static inline void pf_sched_hash(uint64_t v) { pf_direct.hash = pf_hash_chain(pf_direct.hash, v); }
struct pf_pending_event; /* context.h */
/* The thread's budget of events is used up: it is -1. May switch. Called by the event body, whose
 * vector registers are live: they are preserved. */
void pf_sched_event(const struct pf_pending_event *event);
/* The same, from an ordinary call: vector registers need not be preserved. */
void pf_sched_budget_used(void);
/* The same inside the runtime, where switching is impossible: the event is counted, and the next
 * event outside the runtime asks for the decision. */
void pf_sched_event_nested(void);
/* Call before a visible operation: counts it. May switch. */
static inline void pf_sched_preemption_point(void)
{
    if (__builtin_expect(--__pf_tls.budget < 0, 0))
        pf_sched_budget_used();
}
/* Blocks the current thread; may switch. If no thread can run, the scheduler advances virtual time,
 * polls descriptors (pf_waiters_poll) or reports a deadlock. */
enum pf_woken pf_sched_wait(const struct pf_wait *w);
/* The current thread yields to the others; may switch. */
void pf_sched_yield(void);
/* The current thread is about to end the process: the policy may run other threads first, until
 * they end or wait, or for a limited number of events. May switch. */
void pf_sched_before_process_end(void);
/* The current thread is about to jump to a frame at this stack pointer (longjmp). A jump out of
 * the handler of a fault ends the segment: unless every event is reported, it is unknown how many
 * events of the interrupted run happened before the fault. */
void pf_sched_jumps(uint64_t to);
/* Closes the current segment, so that the schedule contains everything the current thread has done
 * and may end here. May switch. */
void pf_sched_close_segment(void);
/* Wakes up to n threads that wait for this futex with a bit of `mask` in common. Returns how many
 * were woken. */
uint32_t pf_sched_wake_futex(uint64_t address, uint32_t n, uint32_t mask);
/* futex(2) without a timeout, for the runtime's own primitives in which the target waits. In free
 * mode it calls the kernel; in directed mode it blocks contexts. May switch. */
long pf_target_futex(void *word, int op, uint32_t value);
/* Ends the wait of c, if c is waiting; interrupt_wait ends it with PF_WOKEN_SIGNAL. Inside
 * pf_waiters_poll the wake-up is written into the schedule, and the replay repeats it from there.
 * Anywhere else the caller must repeat it in the replay. */
void pf_sched_end_wait(struct pf_context *c);
void pf_sched_interrupt_wait(struct pf_context *c);
/* The current thread may have made a descriptor ready: poll soon for threads that wait for one. */
void pf_sched_poll_soon(void);
/* Inside pf_waiters_poll: `ns` nanoseconds of real time passed in the kernel. */
void pf_sched_time_passed(uint64_t ns);
/* Iterates over threads that wait for something other than a futex, in order of arrival. after =
 * NULL starts; a NULL result ends the iteration. */
struct pf_context *pf_sched_next_waiter(struct pf_context *after, struct pf_wait *out);
/* True if a thread waits for a futex that another process may wake. */
bool pf_waits_shared(void);
/* Ends the current segment at the next event. Async-signal-safe; only while recording. */
void pf_sched_preempt_soon(void);
/* Number of segments closed so far. */
uint64_t pf_sched_boundary(void);
/* Virtual time, in nanoseconds since the start. */
uint64_t pf_sched_now(void);

/* --- system calls and signals (syscall.c, input_log.c, signal_pending.c, ...) --- */

/* Performs and logs a trapped system call of the target, or answers it from the log. Returns the
 * kernel's result. May switch. Futex calls, sleeps, clock reads and thread creation are handled
 * before this (trap.c); process creation arrives here (pf_context_fork). */
long pf_syscall_run(long number, const long argument[6]);
/* A system call of the runtime on a descriptor or a path of the target. In free mode it calls the
 * kernel; in directed mode it is pf_syscall_run. */
long pf_target_syscall(long number, const long argument[6]);
/* While recording: finds out which descriptors, children and signals that threads wait for are
 * ready, and ends those waits (pf_sched_end_wait). Waits in the kernel for one of them until
 * `deadline` (virtual time; 0: no limit). Returns false if no thread waits for any of these. */
bool pf_waiters_poll(uint64_t deadline);
/* Between two segments, while recording and in a replay: takes over the signals that have arrived.
 * No code of the target runs here. */
void pf_signal_take_arrived(void);
/* The target reads a clock (pinned_answers.c): *value becomes what all runs of an exploration read
 * there, or what was recorded. */
void pf_input_clock(int clock, uint64_t *value);
/* A new thread starts with the name of its parent. */
void pf_syscall_thread_created(struct pf_context *c, struct pf_context *parent);
/* The name (16 bytes) of the thread with this thread pointer; NULL if there is no such thread. */
char *pf_syscall_thread_name(uint64_t fs);
/* Runs the handlers that are due in the current thread (signal_due in context.h). May switch. */
void pf_signal_run_due(void);
/* The current thread's wait was ended by a signal: runs its handlers. May switch. Returns true if
 * the thread must wait again. */
bool pf_signal_run_after_wait(void);
/* The virtual time at which the target's earliest timer fires; 0: no timer runs. The scheduler then
 * calls pf_signal_take_arrived. */
uint64_t pf_timer_deadline(void);
/* prepare: before the process is copied, finds the descriptors of files that continuations must not
 * share. isolate: in a continuation (checkpoint.h), replaces them by descriptors of its own, and
 * logs its output without showing it. */
void pf_continuation_prepare(void);
void pf_continuation_isolate(void);
/* True if continuations share more than files: other descriptors, or memory mapped with MAP_SHARED.
 * shares_descriptor: true if fd is such a descriptor. */
bool pf_continuation_shares(void);
/* The same, but descriptors that lead to other processes do not count. */
bool pf_continuation_shares_inside(void);
bool pf_continuation_shares_descriptor(int fd);
/* Called by pf_direct_start before the first system call is trapped. */
void pf_syscall_init(void);

/* The descriptor for which the stack that writes a certain byte is wanted; -1: none. */
int pf_output_wanted_stream(void);
/* The current thread has used the stream of that descriptor, whose buffer now holds n bytes. */
void pf_output_buffered(uint64_t n);

/* Copies n bytes of the target's memory. Returns false if they cannot be read (bad_pointer.c). */
bool pf_try_copy(void *to, const void *from, size_t n);

/* --- rings (stream_ring.c; the rest of the interface is in stream_ring.h) --- */

/* Recording: appends n bytes. They survive if the target is killed. */
void pf_ring_put(enum pf_stream s, const void *bytes, size_t n);
/* Replay: returns the next n bytes, valid until the next call for this stream; NULL at the end of
 * the stream. */
const void *pf_ring_get(enum pf_stream s, size_t n);
/* Makes pf write now, before a checkpoint for example. Without it nothing is lost. */
void pf_ring_flush(void);

/* The run does not follow its recording: reports the first difference and ends the target. */
_Noreturn void pf_diverged(const char *what, uint64_t expected, uint64_t found);
/* The target reads a value of the environment that the clip does not contain. */
_Noreturn void pf_diverged_value(const char *what);
_Noreturn void pf_diverged_words(const char *what, const char *expected, const char *found);
/* The run is private, and this call cannot be made in it. */
_Noreturn void pf_diverged_private(const char *call);
/* The same, for another thread than the current one; NULL: no thread. */
_Noreturn void pf_diverged_in(struct pf_context *c, const char *what, uint64_t expected,
                              uint64_t found);

#endif
