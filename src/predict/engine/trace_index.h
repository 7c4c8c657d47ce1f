/*
 * trace_index.h - what the engine knows about the whole trace: positions, matches, must-order.
 *
 * Model:   must-order holds in every reordering the analysis considers. Beside program order it is
 *          kept as explicit edges to earlier events: an event needs them all to have happened.
 *            start/join, notify/wake, barriers, messages; a block is
 *            used after its alloc, and handed out again after its free and last uses;
 *            a read whose value comes from a missing call comes after the writes before it, and
 *            before those after it if both happen;
 *            RDIT: BarrierPairs that reach a common item, and events on items that a BarrierPair
 *            reaches, stay in the order of the trace (the paper's Algorithms 2 and 3), and so do
 *            writes to an item while a missing call that reaches it is under way;
 *            SB: all BarrierPairs besides.
 *          A missing call reads all that it reaches, as it was (window.h). A write that it may notice while it
 *          is under way is `exposed`.
 *          A value does not survive a missing call that reaches its cell: who reads after the call
 *          sees what the trace says it saw, or a later write.
 * Memory:  init takes O(n), release gives it back. The trace must outlive the index.
 */
#ifndef PF_ENGINE_INDEX_H
#define PF_ENGINE_INDEX_H

#include "trace.h"

enum pf_missing { PF_MISSING_IGNORE, PF_MISSING_RDIT, PF_MISSING_SB };

/* Pairs (event, earlier event), by event. */
struct pf_edges {
    pf_vec_u32 at;
};
/* Where the pairs of this event, or of the next one that has any, begin; pairs are two words. */
static inline size_t pf_edges_of(const struct pf_edges *g, uint32_t event)
{
    size_t lo = 0, hi = g->at.len / 2;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (g->at.at[2 * mid] < event)
            lo = mid + 1;
        else
            hi = mid;
    }
    return 2 * lo;
}
/* One turn for each pair of the event: k indexes g->at.at, the earlier event is at k + 1. */
#define PF_EDGES_EACH(k, g, event)                                                                 \
    for (size_t k = pf_edges_of(g, event); k < (g)->at.len && (g)->at.at[k] == (event); k += 2)

/* A missing call that may have stored anything in a cell. */
struct pf_overwrite {
    uint32_t end;  /* its ret, PF_NONE if it never returns */
    uint32_t call; /* where it begins, or one that ends later, whichever is first */
};

struct pf_index {
    const struct pf_trace *t;
    enum pf_missing missing;
    uint32_t n;
    uint32_t *pos;    /* position in its thread */
    uint32_t *before; /* previous event of the thread, PF_NONE if first */
    uint32_t *match;  /* acquire: its release; release: its acquire; PF_NONE if there is none */
    bool *exposed; /* NULL, or per event: a write that a missing call under way may notice */
    uint32_t *spin; /* NULL, or per event: the lock of spin_lock.h that it takes or gives back */
    uint32_t nspins; /* numbered from the trace's own locks on */
    struct pf_edges pred; /* what an event needs to have happened */
    struct pf_edges soft; /* what comes first if both happen: no need for it to happen */
    /* cells + 1: range of `overwrites`; NULL: no missing calls; only shared cells have any */
    size_t *overwrite_at;
    struct pf_overwrite *overwrites; /* by end */
    uint32_t *write_at; /* cells + 1: range of `writes`; only shared, written cells have any */
    uint32_t *writes; /* events that store into the cell, in order */
};

void pf_index_init(struct pf_index *x, const struct pf_trace *t, enum pf_missing missing);
void pf_index_release(struct pf_index *x);
/* Is there a missing call that reaches the shared cell, begins before `before` and ends after `after` (1 +
 * event, 0: from the start)? */
bool pf_index_overwritten(const struct pf_index *x, uint32_t cell, uint32_t after, uint32_t before);
static inline bool pf_index_acquires(const struct pf_index *x, uint32_t i)
{
    return pf_event_acquires(&x->t->events.at[i]) ||
           (x->spin && x->spin[i] != PF_NONE && x->t->events.at[i].value);
}
static inline bool pf_index_releases(const struct pf_index *x, uint32_t i)
{
    return pf_event_releases(&x->t->events.at[i]) ||
           (x->spin && x->spin[i] != PF_NONE && !x->t->events.at[i].value);
}
/* The lock of such an event. */
static inline uint32_t pf_index_lock(const struct pf_index *x, uint32_t i)
{
    return x->spin && x->spin[i] != PF_NONE ? x->spin[i] : pf_event_lock(&x->t->events.at[i]);
}
/* Does its value come, or may it come, from inside a missing call? */
static inline bool pf_index_pinned(const struct pf_index *x, const struct pf_event *e)
{
    return (e->flags & PF_EF_ORPHAN) ||
           (x->missing != PF_MISSING_IGNORE && (e->flags & PF_EF_MISSING));
}

#endif
