/*
 * thread.h - the runtime's per-thread state.
 *
 * Model:   a thread owns a slot (sid) and counts epochs on it. clock[s] is the last epoch of slot s
 *          that the thread has seen: an access record (sid, clk) happened before what the thread
 *          does next iff clk <= clock[sid]. A thread whose slot has no epochs left moves to another
 *          slot.
 * Memory:  struct pf_thread comes from the runtime's store and is never freed: reports refer to
 *          finished threads.
 * Threads: after its start, a thread's fields are written by that thread alone, except its links
 *          and its state, which the lock of the table protects, and what is released when the
 *          thread is joined.
 */
#ifndef PF_RT_THREAD_H
#define PF_RT_THREAD_H

#include "pf_abi.h"
#include "pf_shadow.h"
#include "thread_context.h"
#include "thread_direct.h"
#include "thread_interpose.h"
#include "thread_order.h"
#include "thread_sample.h"
#include "thread_shadow.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PF_EXPORT __attribute__((visibility("default")))

extern PF_EXPORT __thread struct pf_tls __pf_tls __attribute__((tls_model("initial-exec")));
extern PF_EXPORT uint32_t
    __pf_bare; /* true: the whole process runs bare entries (the plugin's bare_entry.c) */

enum pf_thread_state { PF_THREAD_FREE, PF_THREAD_NEW, PF_THREAD_RUNNING, PF_THREAD_FINISHED };

/*
 * The state of one thread. Each folder of the runtime has a part of its own, which it and the
 * folders above it use (ARCHITECTURE.md); the other fields are for all folders.
 */
struct pf_thread {
    uint32_t number; /* as in reports: main is 0, then in the order of creation */
    uint32_t parent; /* number of the creator */
    uint32_t created_at; /* site id of the call that created it */
    uint8_t state;
    bool is_fiber;
    bool check_only; /* its accesses are checked but leave no access records (sample_pacer.c) */
    bool covering; /* every check calls pf_hooks.access_covered (sample/cover_sites.h) */
    uint32_t ignore_reads, ignore_writes, ignore_sync; /* depth of nested annotated regions */
    /* not NULL: while this word is 0, the sampling policy ignores the thread's plain accesses;
     * other threads may change the word */
    const uint32_t *sampled;
    void *signals; /* not NULL: signals are deferred (interpose/process/wrap_signal.c) */
    struct pf_tls *tls; /* its __pf_tls while it runs; NULL otherwise */

    struct pf_thread_order order;
    struct pf_thread_shadow shadow;
    struct pf_thread_context context;
    struct pf_thread_sample sample;
    struct pf_thread_direct direct;
    struct pf_thread_interpose interpose;

    pid_t tid;
    int owner; /* its id in the owner field of glibc's mutexes; 0: unknown yet */
    uintptr_t stack_lo, stack_hi; /* the thread's stack, including TLS */
    /* the target's frames are below this address, those of libc and the runtime above; 0:
     * unknown */
    uintptr_t stack_base;
    uintptr_t tls_lo, tls_hi;
    char name[16];
    struct pf_thread *prev, *next; /* in the list of running threads */
    struct pf_thread *older; /* the thread created before it */
};

/* The calling thread. NULL if the thread is unregistered or inside the runtime: an interposer
 * then only calls the real function. */
static inline struct pf_thread *pf_self(void) { return __pf_tls.nested ? NULL : __pf_tls.thread; }

/* True if reads (`write`: writes) of this thread are ignored: an annotation of the program demands
 * it, or the sampling policy does not sample them. */
static inline bool pf_ignores(const struct pf_thread *t, bool write)
{
    const uint32_t *sampled = t->sampled;
    return __builtin_expect((write ? t->ignore_writes : t->ignore_reads) != 0, 0) ||
           (__builtin_expect(sampled != 0, 0) && !__atomic_load_n(sampled, __ATOMIC_RELAXED));
}

/* While a thread is nested, its events are ignored, also those of functions that the runtime
 * calls. */
static inline void pf_nest(void) { __pf_tls.nested++; }
static inline void pf_unnest(void) { __pf_tls.nested--; }

#endif
