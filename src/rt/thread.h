/*
 * thread.h - the runtime's per-thread state.
 *
 * Model:   a thread owns a slot (sid) and counts epochs on it. clock[s] is the last epoch of slot s
 *          that the thread has seen: an access record (sid, clk) happened before what the thread
 *          does next iff clk <= clock[sid]. A thread whose slot has no epochs left moves to another
 *          slot.
 * Memory:  struct pf_thread comes from the runtime's store and is never freed: reports refer to
 *          finished threads.
 * Threads: a thread's fields are written by that thread alone.
 */
#ifndef PF_RT_THREAD_H
#define PF_RT_THREAD_H

#include "pf_abi.h"
#include "pf_shadow.h"
#include "thread_shadow.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PF_EXPORT __attribute__((visibility("default")))

extern PF_EXPORT __thread struct pf_tls __pf_tls __attribute__((tls_model("initial-exec")));
extern PF_EXPORT uint32_t
    __pf_bare; /* true: the whole process runs bare entries (the plugin's bare_entry.c) */

#define PF_HELD_MAX 64

struct pf_held_lock {
    uintptr_t addr;
    uint32_t where; /* site id of the first acquisition of this lock by any thread */
    uint32_t lockset_before; /* the thread's lockset without this lock and those taken after it */
    uint32_t shared : 1, robust : 1, depth : 30;
};

/* The epoch that ended with the thread's last unlock. It can be resumed as long as the thread has
 * published its clock to nothing but that lock (slot.h). */
struct pf_resumable_epoch {
    uintptr_t lock; /* 0: there is no such epoch */
    uint32_t sid, clk, lockset;
    /* If `complete`: what lock_reacquire.h needs, namely the lock's entry in `held`, and the state
     * of the thread and of the lock's stripe at the unlock. */
    bool complete, shared;
    uint32_t lockset_before, where, version, acquire_count, published;
};

/* A span: consecutive epochs of a thread that no other thread can tell apart, because each has seen
 * all of them or none (slot.h). `from` is the slot and the epoch of the first one, at the bit
 * positions of an access record; `more` is the number of epochs after it. */
struct pf_epoch_span {
    uint32_t from, more;
    /* the only lock to which the last epoch was published; 0: it was published elsewhere too */
    uintptr_t lock;
};

/* A cache of calling contexts (stack.h): call `call` of node `parent` to function `func` is
 * `node`. */
#define PF_RECENT_CONTEXT_BITS 12
struct pf_recent_context {
    uint32_t parent, call, func, node;
};

/* A cache of read sets that the thread has an access record in (cell.c). The set `ref` is
 * immutable, so the entry is valid as long as the epoch of the record is current. */
#define PF_READ_SET_CACHE_SIZE 64
struct pf_read_set_entry {
    uint64_t ref, record;
};

/* A cache of ids for loops in which 2 to 4 sites access consecutive bytes in turn (check_miss.c).
 * The key is the sites and the calling context `node`; id[i] is the id of a granule whose first
 * byte belongs to site i. */
#define PF_INTERLEAVED_CACHE_SIZE 8
struct pf_interleaved_sites {
    uint64_t two, others; /* the sites, in the form in which compiled code passes them */
    uint32_t node, id[4];
};

/* A cache of calls by name (interpose/wrap_lock.h): site `site` of function `caller` calls the
 * interposed function `own`. */
#define PF_DIRECT_CALL_CACHE_SIZE 32
struct pf_direct_call {
    uint32_t caller, site, own;
};

/* A cache entry of an atomic variable: the thread has already acquired the clock of the atomic at
 * `addr`, as of this version of its stripe (atomic.c). */
#define PF_ATOMIC_CACHE_SIZE 256
struct pf_atomic_cache_entry {
    uintptr_t addr;
    uint32_t version;
    /* store handle of its object, valid while the stripe's count of dropped objects is `dropped`;
     * 0: unknown */
    uint32_t sync;
    uint32_t dropped;
    bool acquired; /* true: joined into the thread's clock; false: into pending_acquire only */
};

/* The annotated regions of code that a signal handler has interrupted. They do not apply to the
 * handler (wrap_signal.c). */
#define PF_INTERRUPTED_MAX 4
struct pf_interrupted_regions {
    struct pf_frame *top; /* the free frame of the interrupted code; the handler's frames follow */
    uint32_t reads, writes, sync;
};

enum pf_thread_state { PF_THREAD_FREE, PF_THREAD_NEW, PF_THREAD_RUNNING, PF_THREAD_FINISHED };

struct pf_thread {
    uint32_t number; /* as in reports: main is 0, then in the order of creation */
    uint32_t parent; /* number of the creator */
    uint32_t created_at; /* site id of the call that created it */
    uint32_t sid;
    uint32_t clk; /* the current epoch; clock[sid] is the larger of this and `highest_clk` */
    bool dirty; /* an access record of this epoch may be in the shadow */
    /* the highest epoch before the current one that has access records; after resuming an epoch it
     * may be above `clk` */
    uint32_t highest_clk;
    uint8_t state;
    struct pf_site_pair_cache site_pairs;
    /* indexed by the low bits of the reference */
    struct pf_read_set_entry read_set_cache[PF_READ_SET_CACHE_SIZE];
    struct pf_recent_context recent_contexts[1 << PF_RECENT_CONTEXT_BITS];
    struct pf_epoch_span span;
    uint32_t lockset; /* interned id of the set of locks held now (lockset.h) */
    uint32_t nheld;
    /* id of the clock that the thread would publish while it is not dirty (sync.h); 0: none */
    uint64_t clock_id;
    uint64_t last_clock_id; /* the last id that this thread assigned */
    uint32_t acquire_count; /* counts how often its clock grew by an acquire */
    const void *cond; /* the condition variable that it waits on, or is about to */
    struct pf_resumable_epoch resumable;
    struct pf_held_lock held[PF_HELD_MAX];
    struct pf_frame *frames; /* the shadow stack */
    /* while sampling: no frame below this one belongs to a watch body */
    struct pf_frame *watched_from;
    bool locks_stale; /* `lockset` has not been updated to `held` (hb.c) */
    size_t frames_size;
    uintptr_t stack_lo, stack_hi; /* the thread's stack, including TLS */
    /* the target's frames are below this address, those of libc and the runtime above; 0:
     * unknown */
    uintptr_t stack_base;
    uintptr_t tls_lo, tls_hi;
    pid_t tid;
    int owner; /* its id in the owner field of glibc's mutexes; 0: unknown yet */
    uint32_t context; /* its number in a trace */
    bool is_fiber;
    char name[16];
    struct pf_tls *tls; /* its __pf_tls while it runs; NULL otherwise */
    uint32_t nclock; /* clock[nclock..] is 0 */
    uint32_t *clock; /* PF_SID_MAX + 1 entries */
    /* clocks seen by relaxed loads, joined into `clock` by the next acquire fence; NULL: none */
    uint32_t *pending_acquire;
    uint32_t *release_fence; /* the clock at the last release fence; NULL: none */
    void *signals; /* not NULL: signals are deferred (interpose/wrap_signal.c) */
    struct pf_atomic_cache_entry atomic_cache[PF_ATOMIC_CACHE_SIZE];
    struct pf_direct_call direct_calls[PF_DIRECT_CALL_CACHE_SIZE];
    struct pf_interleaved_sites interleaved[PF_INTERLEAVED_CACHE_SIZE];
    struct pf_read_set_memo *memo; /* access_set.c: a cache of recent additions to read sets */
    /* cells that may still overflow until the next pf_thread_update_global_order, and the period */
    uint32_t global_order_in, global_order_every;
    /* access_set.c: read sets created and not reused; attempts while in debt */
    uint32_t set_debt, set_tries;
    struct pf_thread *prev, *next; /* in the list of running threads */
    struct pf_thread *joining; /* the thread that it waits for in an untimed join; NULL: none */
    struct pf_thread *older; /* the thread created before it */
    /* direct/memory/stack_variables.c: its variables on the stack */
    struct pf_stack_variable *objects;
    void *sample; /* data of the sampling policy */
    bool expected; /* it is counted as created but not begun (running_functions.h) */
    bool cancel_seen;
    uint32_t cancelled; /* directed mode: 1 once pthread_cancel was called for it */
    bool check_only; /* its accesses are checked but leave no access records (sample_pacer.c) */
    /* how many levels of nesting come from annotations of a user-defined mutex */
    uint32_t annotated_nesting;
    /* events left in the annotated unlock of such a mutex, during which no other thread runs */
    uint32_t annotated_unlock_events;
    uint32_t ignore_reads, ignore_writes, ignore_sync; /* depth of nested annotated regions */
    /* the same of the code that its signal handlers have interrupted, innermost last */
    struct pf_interrupted_regions interrupted[PF_INTERRUPTED_MAX];
    uint32_t ninterrupted;
};

/* The calling thread. NULL if the thread is unregistered or inside the runtime: an interposer
 * then only calls the real function. */
static inline struct pf_thread *pf_self(void) { return __pf_tls.nested ? NULL : __pf_tls.thread; }

/* True if the program asked by annotation to ignore such accesses of this thread. */
static inline bool pf_ignores(const struct pf_thread *t, bool write)
{
    return __builtin_expect((write ? t->ignore_writes : t->ignore_reads) != 0, 0);
}

/* While a thread is nested, its events are ignored, also those of functions that the runtime
 * calls. */
static inline void pf_nest(void) { __pf_tls.nested++; }
static inline void pf_unnest(void) { __pf_tls.nested--; }

#endif
