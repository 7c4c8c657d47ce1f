/*
 * context.h - a thread of the target as a context on the one kernel thread, the runner.
 *
 * Model:   a context is a stack, a thread pointer and the registers that a function call preserves.
 *          No kernel thread is created for it: the clone call with CLONE_THREAD, from glibc or
 *          anybody else, is trapped, and the new context starts as if it returned from that call.
 *          The runtime does what the kernel would do for a thread: tids, the word that is cleared
 *          and woken when the thread ends (joins wait for it), the list of robust futexes.
 *
 *          The tid of a context is the process id plus the number of the context. (In a forked
 *          child, the context that called fork and context 0 have exchanged their tids.) A replay
 *          uses the process id of the recording, so tids are the same in both.
 * Memory:  a table of fixed size, reserved at the start and paged in as needed. Entries are never
 *          reused: the number of a context is its name.
 * Threads: the runner only.
 * Errors:  a clone beyond the end of the table fails with EAGAIN, as in the kernel.
 */
#ifndef PF_RT_CONTEXT_H
#define PF_RT_CONTEXT_H

#include "direct.h"
#include "wait_loop.h"
#include <pthread.h>
#include <ucontext.h>

enum pf_context_state {
    PF_CONTEXT_READY,
    PF_CONTEXT_RUNNING,
    PF_CONTEXT_WAITING,
    /* waits in a loop (wait_loop.h), not in the run queue: runs again when a value that it read has
     * changed, if nothing else can run, or by chance (spinners.h) */
    PF_CONTEXT_SPINS,
    PF_CONTEXT_HELD, /* held back by a flip (breakpoint.h) or a fuzzing policy */
    PF_CONTEXT_ENDED
};

/* The event that a context is about to perform. */
struct pf_pending_event {
    uint64_t address; /* 0: unknown, or the event has none */
    uint64_t size;
    uint32_t site; /* in the function on top of the stack; or PF_PENDING_NO_SITE */
    bool write, atomic;
};
#define PF_PENDING_NO_SITE UINT32_MAX

/* The state of a fuzzing policy (fuzz_policy.h) for one context. */
struct pf_fuzz_state {
    uint16_t marks; /* one bit for each of the policy's locations that the pending event is at */
    bool held, unseen; /* unseen: the thread was already before its event when the policy was set */
    uint32_t regions; /* atomic regions, marked by the program, that the thread is inside of */
    uint64_t since; /* held: number of events of all threads when the hold began */
};

struct pf_queue {
    struct pf_context *first, *last;
};

/* A wait for a condition variable (cond_queue.h). */
enum pf_cond_state { PF_COND_WAITS, PF_COND_CHOSEN, PF_COND_EXPIRED };
struct pf_cond_wait {
    const pthread_cond_t *cond; /* NULL: it does not wait for one */
    pthread_cond_t own; /* on which it waits instead */
    int64_t position; /* in the queue */
    enum pf_cond_state state;
};

struct pf_context {
    uint32_t number; /* 0 is main, the others in order of creation */
    /* creation path: the parent, and how many children it had created before */
    uint32_t parent, birth_index;
    uint32_t children;
    int32_t tid;
    uint8_t state; /* enum pf_context_state */
    uint8_t woken; /* enum pf_woken: how its last wait ended */
    bool before_event; /* before an event that it has not been granted yet */
    int64_t
        grant_left; /* while every event is reported to the scheduler: events left of its grant */
    uint64_t until; /* while it runs: number of its events when its grant is used up */
    struct pf_pending_event pending; /* the event it is about to perform */
    bool queried; /* the schedule plan asks what the pending event is */
    struct pf_fuzz_state fuzz; /* fuzz_policy.h */
    struct pf_wait_loop wait_loop;
    bool ends_process; /* it is about to end the process, and lets other threads run first */
    /* while tracing: its newest access, as 1 + the site, and the frame of the function */
    uint32_t event_site;
    const struct pf_frame *event_frame;
    void *sp; /* stack pointer, while it does not run */
    uint64_t stack_end; /* the upper end of its stack; 0: unknown, the main thread */
    uint64_t stopped_at; /* number of context switches when it last stopped running; 0: never */
    uint64_t fs;
    struct pf_tls *tls;
    uint64_t events; /* in its closed segments */
    uint64_t break_at; /* index of the next event with a breakpoint; ~0: none */
    uint64_t priority; /* used by the policy */
    struct pf_wait wait;
    struct pf_cond_wait cond;
    struct pf_queue *queue; /* the queue that holds it, linked by prev and next */
    struct pf_context *prev, *next;
    int32_t *clear_tid;
    uint64_t robust, robust_size;
    /* futex: 1 when it is its turn; used once contexts are kernel threads (materialise.h) */
    uint32_t baton;
    /* where the runtime continues after a fault (bad_pointer.c); NULL: faults are the target's */
    void **recover;
    ucontext_t *trap; /* the innermost trapped system call it is in; NULL: none */
    /* it has yielded at the spin-loop breakpoint where it is now (spin_yield.h) */
    bool spin_yielded;
    uint64_t spin_address; /* the last such breakpoint */
    uint64_t fault_frame; /* the frame of the handler of a fault that it is in; 0: in none */
    bool signal_due; /* signal handlers must run at its next turn */
    void *syscall_state; /* struct pf_syscall_state, made by pf_syscall_state_of */
};

void pf_context_init(int32_t pid);
/* The context with this number or tid; NULL if there is none. */
struct pf_context *pf_context_at(uint32_t number);
struct pf_context *pf_context_find(long tid);
uint32_t pf_contexts(void); /* number of contexts created so far */

/* True if the call is a clone or clone3 that creates a thread. */
bool pf_context_is_thread(long number, const long argument[6]);
/* clone or clone3 of a thread. Returns the tid, or a negative errno. */
long pf_context_clone(long number, const long argument[6]);
/* clone, clone3, fork or vfork of a process: performs the call. Returns the pid; 0 in the child. A
 * child that shares our memory, on a stack of its own, does not return here: it runs undirected.
 * copies: the child is a copy of this process, and returns. */
long pf_context_fork(long number, const long argument[6]);
bool pf_context_fork_copies(long number, const long argument[6]);
/* This process is now the child of that call, with this process id: only the current context
 * exists, and its tid is the process id. */
void pf_context_forked(long number, const long argument[6], int32_t pid);
/* Replay, in the parent: does what the kernel does with the child's id. */
void pf_context_set_parent_tid(long number, const long argument[6], int32_t pid);
/* Does what the kernel does when a thread ends. The caller then leaves the context by
 * pf_sched_exit. */
void pf_context_end(struct pf_context *c);

/* add: appends c to q; c must not be in a queue. remove: takes c out of its queue, if it is in
 * one. */
void pf_queue_add(struct pf_queue *q, struct pf_context *c);
void pf_queue_remove(struct pf_context *c);

/* The running context (scheduler.c). */
extern struct pf_context *pf_running;

/* switch.S: saves the caller's registers on its stack and its stack pointer in *save, then
 * continues with the context saved at `sp`. */
void pf_switch(void **save, void *sp, uint64_t fs);

#endif
