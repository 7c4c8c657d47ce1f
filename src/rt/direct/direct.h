/*
 * direct.h - directed mode: the seams between its parts.
 *
 * Model:   the target's threads are contexts on ONE kernel thread; at every visible operation the
 *          scheduler decides who runs next. Four parts meet here:
 *
 *              event    what compiled code calls (the event body): counts, and hands over events
 *              sched    contexts, decisions, waiting and waking, virtual time, checkpoints
 *              world    system calls, signals, time: performed and logged, or answered from the log
 *              log      the streams of a clip: appended while recording, read while replaying
 *
 *          A visible operation is an access in an event body, a call of an interposed function
 *          (pf_call_enter), or a system call that can wait. Each is ONE event of its thread: its
 *          index in the thread, never a global number or an address, is its name. Between two
 *          visible operations nobody else runs.
 *
 *          glibc's own mutexes, conditions, barriers ... are used as they are: they wait by futex,
 *          and the futex call arrives, trapped, at the scheduler. So libc's inner locks cannot hang
 *          us either.
 * Memory:  the runtime's store; nothing here calls malloc.
 * Threads: one kernel thread, so no locks; but a switch can happen inside every function that says
 *          "may switch", and only there.
 * Errors:  a log that ends or disagrees is a divergence (pf_diverged), which never returns.
 */
#ifndef PF_RT_DIRECT_H
#define PF_RT_DIRECT_H

#include "channel.h"
#include "thread.h"

struct pf_direct {
    uint8_t mode;  /* enum pf_direct_mode */
    bool tracing;  /* every event is written with its value (else schedule and inputs only) */
    bool fuzzing; /* threads are held before certain accesses (fuzz_policy.h) */
    bool watching; /* every access is looked at (memory_error.h) */
    int64_t pid;   /* of the recording */
    uint64_t hash; /* rolling, over what the threads did */
};
extern struct pf_direct pf_direct;
static inline bool pf_directed(void)
{
    return __builtin_expect(pf_direct.mode != PF_DIRECT_OFF, 0);
}

/* From pf_rt_init. choose: before anything else, asks the log for the mode. start: when the runtime is ready; from here on, in a
 * directed run, every system call of the target is trapped. */
void pf_direct_choose(void);
void pf_direct_options(void); /* what the channel says of findings; after pf_options_init */
void pf_direct_start(void);
/* This process is a child (fork): it goes on undirected and unrecorded. */
void pf_direct_child(void);
/* The target ends, by itself or by a signal: the last segment and the log are written. Twice is fine. */
void pf_direct_end(void);
/* Directed mode is not possible here: says why, and ends the process with status 2. */
_Noreturn void pf_direct_refuse(const char *why);
/* A line for the user on standard error, "photofinish: " in front. */
void pf_direct_say(const char *what);

/* --- sched (context.c, scheduler.c, futex.c, ...) --- */

enum pf_wait_kind { PF_WAIT_FUTEX, PF_WAIT_FD, PF_WAIT_TIME, PF_WAIT_CHILD, PF_WAIT_SIGNAL };

/* What a thread waits for. */
struct pf_wait {
    uint8_t kind;
    uint64_t object; /* futex: its address; fd: the descriptor; child: the pid */
    uint32_t mask; /* futex: the bitset; fd: poll events */
    uint64_t deadline; /* virtual nanoseconds, absolute; 0: never */
    bool shared; /* futex: another process may end it */
};
enum pf_woken { PF_WOKEN, PF_WOKEN_LATE, PF_WOKEN_SIGNAL };

struct pf_context; /* context.h */
struct pf_context *pf_context_self(void);
uint32_t pf_context_number(const struct pf_context *c); /* 0 is main, then by creation */
uint64_t pf_context_events(const struct pf_context *c); /* visible operations so far */

/* Mixes v into the hash that a replay must reproduce. */
static inline void pf_sched_hash(uint64_t v)
{
    pf_direct.hash = (__builtin_rotateleft64(pf_direct.hash, 23) ^ v) * 0x9e3779b97f4a7c15u;
}
/* The budget is used up (-1): may switch. For the event body, whose vector registers are in use: they
 * are kept. */
struct pf_pending; /* context.h */
void pf_sched_event(const struct pf_pending *event);
/* The same from an ordinary call. */
void pf_sched_slow(void);
/* The same where nobody else can run: the next event that can be asked is. */
void pf_sched_inside(void);
/* Before a visible operation: counts it; may switch. */
static inline void pf_sched_point(void)
{
    if (__builtin_expect(--__pf_tls.budget < 0, 0))
        pf_sched_slow();
}
/* The current thread waits; may switch. With nobody left to run, the scheduler lets virtual time
 * pass, polls descriptors (pf_world_poll) or reports the deadlock. */
enum pf_woken pf_sched_wait(const struct pf_wait *w);
/* The current thread lets the others go first; may switch. */
void pf_sched_yield(void);
/* What self did so far is in the schedule, which may end here; may switch. */
void pf_sched_settle(void);
/* Up to n threads that wait for this futex with a common bit; how many there were. */
uint32_t pf_sched_wake_futex(uint64_t address, uint32_t n, uint32_t mask);
/* futex(2) without a limit of time, for primitives of the runtime's own in which the target waits: as the
 * kernel does it, or in directed mode among contexts; may switch. */
long pf_target_futex(void *word, int op, uint32_t value);
/* Ends the wait of c, if it is in one; interrupt: with PF_WOKEN_SIGNAL. Inside pf_world_poll this is
 * written into the schedule and happens by itself in a replay; anywhere else the caller does it again. */
void pf_sched_ready(struct pf_context *c);
/* Self may have made a descriptor ready: who waits for one is looked at soon. */
void pf_sched_stirred(void);
void pf_sched_interrupt(struct pf_context *c);
/* Inside pf_world_poll: so much real time went by in the kernel. */
void pf_sched_pass(uint64_t ns);
/* Those who wait for other things than futexes, who came first first; NULL: the first, no more. */
struct pf_context *pf_sched_next_waiter(struct pf_context *after, struct pf_wait *out);
/* Does anybody wait for a futex that another process may wake? */
bool pf_sched_waits_shared(void);
/* The segment ends at the next event. Async-signal-safe; while recording. */
void pf_sched_hurry(void);
/* How many segments were closed. */
uint64_t pf_sched_boundary(void);
/* Virtual time, in nanoseconds since the start. */
uint64_t pf_sched_now(void);

/* --- world (syscall.c, input_log.c, signal_pending.c, ...) --- */

/* A system call of the target, trapped: performs and logs it, or answers it from the log; the
 * kernel's result. May switch. Futex calls, sleeps, clock reads and the making of threads never
 * arrive here (trap.c); what makes a process does: pf_context_fork. */
long pf_world_call(long number, const long argument[6]);
/* While recording: looks whether descriptors, children and signals that threads wait for are ready, and
 * tells the scheduler who can go on (pf_sched_ready). Until `deadline` (virtual; 0: none) has come it
 * waits for that in the kernel. False: there is nothing to wait for. */
bool pf_world_poll(uint64_t deadline);
/* Between two segments, recording and replaying: signals that arrived are taken over. No code of the
 * target runs here. */
void pf_world_signals(void);
/* A new thread: it begins with the name of the one that made it. */
void pf_world_born(struct pf_context *c, struct pf_context *parent);
/* The name of a thread by its thread pointer, 16 bytes; NULL: no such thread. */
char *pf_world_name(uint64_t fs);
/* The handlers that are due in the current thread (signal_due in context.h). May switch. */
void pf_world_deliver_due(void);
/* The current thread's wait was ended by a signal: runs its handlers; may switch. True: wait again. */
bool pf_world_deliver(void);
/* The virtual time of the earliest timer of the target; 0: none. pf_world_signals is called then. */
uint64_t pf_world_deadline(void);
/* This process is a copy of the recorded one that goes on by itself (checkpoint.h): its descriptors get
 * offsets of their own, its output is logged and not shown. */
void pf_world_forked(void);
/* From pf_direct_start, before the first system call is trapped. */
void pf_world_init(void);

/* --- log (stream_ring.c; more of it in stream_ring.h) --- */

/* Recording: appends n bytes. Complete chunks survive a kill. */
void pf_log_put(enum pf_log_stream s, const void *bytes, size_t n);
/* Replay: the next n bytes, valid until the next call for this stream; NULL: the stream is over. */
const void *pf_log_get(enum pf_log_stream s, size_t n);
/* Nothing is lost without it; it makes pf write now (before a checkpoint, say). */
void pf_log_flush(void);

/* The run does not follow its recording: names the first difference and ends the target. */
_Noreturn void pf_diverged(const char *what, uint64_t expected, uint64_t found);
_Noreturn void pf_diverged_words(const char *what, const char *expected, const char *found);
/* The same of a thread that is not the current one; NULL: of none. */
_Noreturn void pf_diverged_in(struct pf_context *c, const char *what, uint64_t expected,
                              uint64_t found);

#endif
