/*
 * context.h - a thread of the target as a context on the one kernel thread, the runner.
 *
 * Model:   a context is a stack, a thread pointer and the registers that a function call keeps. No
 *          kernel thread is ever made for it: the clone that glibc (or anybody) asks for with
 *          CLONE_THREAD is trapped, and the new context begins as if it came back from that call.
 *          What the kernel would do for a thread is done here: tids, the word that is cleared and
 *          woken at the end (joins wait for it), the list of robust futexes.
 *
 *          Tids are the process id plus the number of the context, so they are the same in a replay
 *          (which takes the process id of the recording).
 * Memory:  a table of fixed size, reserved at the start, touched as needed. Never given back: the
 *          number of a context is its name.
 * Threads: the runner alone.
 * Errors:  a clone beyond the table is refused with EAGAIN, as the kernel would.
 */
#ifndef PF_RT_CONTEXT_H
#define PF_RT_CONTEXT_H

#include "direct.h"
#include <ucontext.h>

enum pf_context_state {
    PF_CONTEXT_READY,
    PF_CONTEXT_RUNNING,
    PF_CONTEXT_WAITING,
    PF_CONTEXT_HELD, /* at a point, see breakpoint.h */
    PF_CONTEXT_ENDED
};

/* The event that a context stands before. */
struct pf_pending {
    uint64_t address; /* 0: not known, or none */
    uint64_t size;
    uint32_t site; /* of the function on top; PF_PENDING_NOWHERE */
    bool write, atomic;
};
#define PF_PENDING_NOWHERE UINT32_MAX

/* What the policies that drive anomalies out know of a context. */
struct pf_fuzzed {
    uint16_t marks; /* a bit for each location it stands at */
    bool held, unseen; /* unseen: it stood before its event when the policy came */
    uint32_t regions; /* that it marked and is in */
    uint64_t since; /* held: events of all threads then */
};

struct pf_queue {
    struct pf_context *first, *last;
};

struct pf_context {
    uint32_t number; /* 0 is main, then by creation */
    uint32_t parent, births; /* who created it, and as which of its children: its creation path */
    uint32_t children;
    int32_t tid;
    uint8_t state;    /* enum pf_context_state */
    uint8_t woken;    /* enum pf_woken: how its last wait ended */
    bool at_point;    /* it stands before an event that it has not been granted yet */
    int64_t left; /* while tracing: of its budget */
    uint64_t until; /* while it runs: the index of the last event of what it was granted */
    struct pf_pending pending; /* that event */
    struct pf_fuzzed fuzzed;   /* fuzz_policy.h */
    bool asked; /* a plan wants to know what that event is */
    void *sp;         /* while it does not run */
    uint64_t stopped; /* when it last gave way to another: switches so far; 0: never */
    uint64_t fs;
    struct pf_tls *tls;
    uint64_t events;   /* of its closed segments */
    uint64_t stop; /* the index of the event before which it comes to breakpoint.h; ~0: none */
    uint64_t priority; /* the policy's */
    struct pf_wait wait;
    struct pf_queue *in; /* the queue it is in, by prev and next */
    struct pf_context *prev, *next;
    int32_t *clear_tid;
    uint64_t robust, robust_size;
    uint32_t baton; /* it has its turn: a futex, once contexts are kernel threads (materialise.h) */
    ucontext_t *trap; /* the innermost system call it is in; NULL: none */
    bool gave_way; /* at the point of a loop that it stands at (spin_detect.h) */
    uint64_t spun_at; /* the last such point */
    bool signal_due; /* the world's: handlers are to run when it has its turn */
    void *world; /* the world's own: mask, pending signals */
};

void pf_context_init(int32_t pid);
/* The context with this number or tid; NULL: none. */
struct pf_context *pf_context_at(uint32_t number);
struct pf_context *pf_context_find(long tid);
uint32_t pf_contexts(void); /* how many there ever were */

/* clone, clone3: a thread. The tid, or a negative errno. */
long pf_context_clone(long number, const long argument[6]);
/* clone, clone3, fork, vfork: a process, for real. Its pid; 0 in the child, which runs undirected. */
long pf_context_fork(long number, const long argument[6]);
/* What the kernel does when a thread ends; the scheduler goes on from there. */
void pf_context_end(struct pf_context *c);

/* Puts c in q, which it is not in; takes it out of where it is. */
void pf_queue_add(struct pf_queue *q, struct pf_context *c);
void pf_queue_remove(struct pf_context *c);

/* Who runs (scheduler.c). */
extern struct pf_context *pf_running;

/* switch.S: saves the caller's registers and stack pointer in *save, goes on with those at sp. */
void pf_switch(void **save, void *sp, uint64_t fs);

#endif
