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
};
extern struct pf_direct pf_direct;
static inline bool pf_directed(void)
{
    return __builtin_expect(pf_direct.mode != PF_DIRECT_OFF, 0);
}

/* --- sched (context.c, sched.c, futex.c, ...) --- */

enum pf_wait_kind { PF_WAIT_FUTEX, PF_WAIT_FD, PF_WAIT_TIME, PF_WAIT_CHILD, PF_WAIT_SIGNAL };

/* What a thread waits for. */
struct pf_wait {
    uint8_t kind;
    uint64_t object;   /* futex: its address; fd: the descriptor; child: the pid */
    uint32_t mask;     /* futex: the bitset; fd: poll events */
    uint64_t deadline; /* virtual nanoseconds, absolute; 0: never */
};
enum pf_woken { PF_WOKEN, PF_WOKEN_LATE, PF_WOKEN_SIGNAL };

struct pf_context;
struct pf_context *pf_context_self(void);
uint32_t pf_context_number(const struct pf_context *c); /* 0 is main, then by creation */
uint64_t pf_context_events(const struct pf_context *c); /* visible operations so far */

/* Before a visible operation: counts it; may switch. */
void pf_sched_point(void);
/* The current thread waits; may switch. With nobody left to run, the scheduler lets virtual time
 * pass, polls descriptors (pf_world_poll) or reports the deadlock. */
enum pf_woken pf_sched_wait(const struct pf_wait *w);
/* Up to n threads that wait for this futex with a common bit; how many there were. */
uint32_t pf_sched_wake_futex(uint64_t address, uint32_t n, uint32_t mask);
/* Virtual time, in nanoseconds since the start. */
uint64_t pf_sched_now(void);

/* --- world (trap.c, syscall.c, input.c, signal.c, ...) --- */

/* A system call of the target, trapped: performs and logs it, or answers it from the log; the
 * kernel's result. May switch. Futex calls, sleeps and the like go on to the scheduler. */
long pf_world_call(long number, const long argument[6]);
/* Nobody can run: waits in the kernel until one of the descriptors waited for is ready or `deadline`
 * (virtual, 0: none) has come; tells the scheduler who can go on. False: there is nothing to wait for. */
bool pf_world_poll(uint64_t deadline);

/* --- log (log.c; more of it in log.h) --- */

/* Recording: appends n bytes. Complete chunks survive a kill. */
void pf_log_put(enum pf_stream s, const void *bytes, size_t n);
/* Replay: the next n bytes, valid until the next call for this stream; NULL: the stream is over. */
const void *pf_log_get(enum pf_stream s, size_t n);
/* Nothing is lost without it; it makes pf write now (before a checkpoint, say). */
void pf_log_flush(void);

/* The run does not follow its recording: names the first difference and ends the target. */
_Noreturn void pf_diverged(const char *what, uint64_t expected, uint64_t found);

#endif
