/*
 * thread.h - the runtime's context and its per-thread state.
 *
 * Model:   a thread owns a slot (sid) and counts epochs on it. clock[s] is how much of slot s the
 *          thread has seen: a statement (sid, clk) happened before what the thread does next iff
 *          clk <= clock[sid]. A thread may change its slot when the clock of the slot is used up.
 * Memory:  struct pf_thread comes from the runtime's store and is never given back, only reused.
 * Threads: a thread's own fields are written by itself alone; the table of threads has a lock.
 */
#ifndef PF_RT_THREAD_H
#define PF_RT_THREAD_H

#include "pf_abi.h"
#include "pf_shadow.h"
#include "site_pair.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PF_EXPORT __attribute__((visibility("default")))

extern PF_EXPORT __thread struct pf_tls __pf_tls __attribute__((tls_model("initial-exec")));
extern PF_EXPORT uint32_t
    __pf_bare; /* functions run as they were written (bare_entry.c of the plugin) */

#define PF_HELD_MAX 64

struct pf_held {
    uintptr_t addr;
    uint32_t where; /* access id of the first time anybody took this lock */
    uint32_t before; /* the thread's lockset without this lock and those taken later */
    uint32_t shared : 1, robust : 1, depth : 30;
};

/* The epoch that ended with the last unlock, as long as t told nobody else of it (slot.h). */
struct pf_undo {
    uintptr_t lock; /* 0: none */
    uint32_t sid, clk, lockset;
    /* The rest for lock_reacquire.h, if `whole`: the lock's entry among the held ones, and what t and the stripe were like. */
    bool whole, shared;
    uint32_t before, where, version, news, told;
};

/* Epochs of a thread that nobody can tell apart: every other one knows all of them, or none (slot.h). As bits of statements:
 * slot and epoch of the first, and how many come after it. */
struct pf_epochs {
    uint32_t from, more;
    uintptr_t lock; /* only this lock was told of the last of them; 0: somebody else too */
};

/* The calling contexts a thread was in lately (stack.h): call `call` of node `parent` to `func`. */
#define PF_PATH_BITS 12
struct pf_path {
    uint32_t parent, call, func, node;
};

/* Sets that a thread met lately, and its statement in each: so it stands under `ref`, which never
 * changes, and holds as long as its epoch is current (cell.c). */
#define PF_MET 64
struct pf_met {
    uint64_t ref, stmt;
};

/* Accesses that took turns along bytes lately (check_miss.c): their sites in the calling context `node`, and the id of a
 * whole granule whose first byte is from the first of them, the second, ... */
#define PF_TURNS 8
struct pf_turns {
    uint64_t two, others; /* as compiled code hands them over */
    uint32_t node, id[4];
};

/* Function `caller` calls function `own` at its site `site`, by name (interpose/wrap_lock.h). */
#define PF_NAMED 32
struct pf_named {
    uint32_t caller, site, own;
};

/* What a load of the atomic at addr would learn is known, as of a version of its stripe (atomic.c). */
#define PF_LEARNED 256
struct pf_learned {
    uintptr_t addr;
    uint32_t version;
    uint32_t
        sync; /* the name of its object, as long as no more than `gone` were dropped; 0: not known */
    uint32_t gone;
    bool acquired; /* else: known to the next acquire fence only */
};

enum pf_thread_state { PF_THREAD_FREE, PF_THREAD_NEW, PF_THREAD_RUNNING, PF_THREAD_FINISHED };

struct pf_thread {
    uint32_t number; /* as in reports: main is 0, then by creation */
    uint32_t parent; /* number of the creator */
    uint32_t created_at; /* access id of the pthread_create */
    uint32_t sid;
    uint32_t clk; /* its epoch; clock[sid] is the larger of this and `top` */
    bool dirty; /* a statement of this epoch may be in the shadow */
    uint32_t top; /* the last epoch before this one with statements; above it after an undo */
    uint8_t state;
    struct pf_pair_cache pairs;
    struct pf_met met[PF_MET]; /* by the low bits of the reference */
    struct pf_path paths[1 << PF_PATH_BITS];
    struct pf_epochs span;
    uint32_t lockset; /* interned id of the locks held now (lockset.h) */
    uint32_t nheld;
    uint64_t
        value; /* that of its clock, as it would tell it while not dirty (sync.h); 0: not known */
    uint64_t last_value; /* that it gave out */
    uint32_t news; /* counts what it learned from others */
    const void *cond; /* the condition variable it is about to wait on, or waits on */
    struct pf_undo undo;
    struct pf_held held[PF_HELD_MAX];
    struct pf_frame *frames; /* the shadow stack */
    struct pf_frame *watched_from; /* while sampling: no frame below is one of a watch body */
    bool locks_stale; /* lockset does not say what `held` does (hb.c) */
    size_t frames_size;
    uintptr_t stack_lo, stack_hi; /* the thread's stack, TLS included */
    uintptr_t
        stack_base; /* the program's frames are below it, above are libc's and ours; 0: not known */
    uintptr_t tls_lo, tls_hi;
    pid_t tid;
    int owner; /* as glibc writes it into the mutexes that it holds; 0: not known yet */
    uint32_t context; /* its number in a trace */
    bool is_fiber;
    char name[16];
    struct pf_tls *tls; /* its __pf_tls while it runs */
    uint32_t nclock; /* clock[nclock..] is 0 */
    uint32_t *clock; /* PF_SID_MAX + 1 entries */
    uint32_t *acquired; /* what relaxed loads saw: joined by an acquire fence; NULL: nothing */
    uint32_t *released; /* the clock at the last release fence; NULL: none */
    void *signals; /* pending signals, interpose/wrap_signal.c */
    struct pf_learned learned[PF_LEARNED];
    struct pf_named named[PF_NAMED];
    struct pf_turns turns[PF_TURNS];
    struct pf_memo *memo; /* access_set.c: recent additions to sets */
    uint32_t settle_in, settle_every; /* so many more cells want room before pf_thread_settle */
    uint32_t set_debt, set_tries; /* access_set.c: sets made and not used again; tries in debt */
    struct pf_thread *prev, *next; /* in the list of running threads */
    struct pf_thread *joins; /* it waits for the end of this one, however long; NULL: for none */
    struct pf_thread *older; /* the one created before it */
    struct pf_stack_object *objects; /* direct/memory/stack_variables.c: its variables */
    void *sample; /* of the sampler */
    bool expected; /* it was created and has not begun (running_functions.h) */
    bool cancel_seen;
    uint32_t cancelled; /* directed mode: 1 once somebody cancelled it */
    bool idle; /* its accesses leave nothing in the shadow now (sample_pacer.c) */
    uint32_t inside; /* so often nested because the program announced a mutex of its own */
    uint32_t dropping; /* events of letting such a mutex go, with nobody in between */
    uint32_t ignore_reads, ignore_writes, ignore_sync; /* annotated regions it is in, by depth */
};

/* NULL when the thread is unknown to the runtime or is inside it: then do nothing but the real
 * work. Interposers start with this. */
static inline struct pf_thread *pf_self(void) { return __pf_tls.nested ? NULL : __pf_tls.thread; }

/* Did the program ask not to look at such accesses of this thread? */
static inline bool pf_ignores(const struct pf_thread *t, bool write)
{
    return __builtin_expect((write ? t->ignore_writes : t->ignore_reads) != 0, 0);
}

/* While nested, events of this thread are ignored (also those of functions called in between). */
static inline void pf_nest(void) { __pf_tls.nested++; }
static inline void pf_unnest(void) { __pf_tls.nested--; }

/* Life of a thread. create: in the parent, before the real creation, with the interposed
 * function's frame on top; it releases the parent's clock to the child. begin: first thing in the
 * child, which has set stack_lo and stack_hi from pthread_getattr_np. end: last thing in the child, after its destructors. joined: the caller now
 * knows all that `child` did. All are called un-nested and nest by themselves. A NULL from create
 * means that a limit was reached: it has been counted, run the thread unwatched. */
struct pf_thread *pf_thread_create(struct pf_thread *parent);
void pf_thread_begin(struct pf_thread *child);
void pf_thread_end(struct pf_thread *self);
void pf_thread_joined(struct pf_thread *self, struct pf_thread *child);
/* self waits in a join and does nothing before `child` has ended; NULL: it waits no more. */
void pf_thread_joins(struct pf_thread *self, struct pf_thread *child);
/* The real creation failed: `child` never was. */
void pf_thread_cancel_create(struct pf_thread *child);
/* The calling thread is not watched, or no more: its functions run their plain body on one frame for
 * all of them, and dispatch says so. */
void pf_thread_unknown(void);
/* In the child of fork: only the caller lives on. */
void pf_thread_after_fork(struct pf_thread *self);
/* Finds out what all threads know (pf_rt.settled). Keeps all registers, for callers that must; costs a look at
 * every clock, so self->settle_in says when it is worth it again. */
__attribute__((preserve_most, weak)) void pf_thread_settle(struct pf_thread *self);
/* A zero clock of full length, or NULL. */
uint32_t *pf_thread_clock_new(void);
void pf_thread_lock(void); /* around fork */
void pf_thread_unlock(void);
/* Calls f for every thread that is running, under the table's lock. */
void pf_thread_each(void (*f)(struct pf_thread *, void *), void *arg);
/* The thread with this number, finished ones too, for reports; NULL: none. */
struct pf_thread *pf_thread_numbered(uint32_t number);

#endif
