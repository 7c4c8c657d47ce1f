/*
 * thread_interpose.h - the part of a thread's state that belongs to interposed functions.
 */
#ifndef PF_RT_THREAD_INTERPOSE_H
#define PF_RT_THREAD_INTERPOSE_H

#include "pf_abi.h"
#include <stdbool.h>
#include <stdint.h>

/* A cache of calls by name (wrap_lock.h): site `site` of function `caller` calls the interposed
 * function `own`. */
#define PF_COMPILED_CALL_CACHE_BITS 6
#define PF_COMPILED_CALL_CACHE_SIZE (1u << PF_COMPILED_CALL_CACHE_BITS)
struct pf_compiled_call {
    uint32_t caller, site, own;
};

/* The annotated regions of code that a signal handler has interrupted. They do not apply to the
 * handler (wrap_signal.c). */
#define PF_INTERRUPTED_MAX 4
struct pf_interrupted_regions {
    struct pf_frame *top; /* of the shadow stack when the handler began; its frames follow */
    uint32_t reads, writes, sync;
};

/* A lock whose lock operation was removed (removed_lock.h), and how deeply the thread held it
 * then. */
#define PF_REMOVED_LOCKS 16
struct pf_removed_lock {
    uintptr_t lock;
    uint32_t depth;
};

struct pf_thread_interpose {
    struct pf_compiled_call compiled_calls[PF_COMPILED_CALL_CACHE_SIZE];
    /* the annotated regions that its signal handlers have interrupted, innermost last */
    struct pf_interrupted_regions interrupted[PF_INTERRUPTED_MAX];
    uint32_t ninterrupted;
    struct pf_removed_lock removed[PF_REMOVED_LOCKS];
    uint32_t nremoved;
    /* the top of the shadow stack when its innermost signal handler began; NULL: it is not in a
     * handler */
    struct pf_frame *handler;
    uint32_t ignored_at; /* site id of the annotation that began its outermost ignored region */
    int sending; /* the signal that it is sending, perhaps to itself; 0: none */
    bool cancel_seen;
    uint32_t cancelled; /* directed mode: 1 once pthread_cancel was called for it */
};

#endif
