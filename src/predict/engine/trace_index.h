/*
 * trace_index.h - what the engine precomputes about the whole trace: positions, matching acquires
 * and releases, must-order.
 *
 * Model:   must-order is the order that holds in every reordering that the analysis considers. In
 *          addition to program order, it consists of explicit edges from an event to earlier
 *          events, all of which must have happened before it:
 *          - fork/join, notify/wake, barriers, messages;
 *          - a block is used after its alloc, and reused after its free and its last uses;
 *          - a read whose value comes from a missing call happens after the writes that precede it
 *            in the trace, and before the writes that follow it if both happen;
 *          - RDIT: missing calls with a common item in their reach sets, and events on items that a
 *            missing call reaches, keep the order of the trace (Algorithms 2 and 3 of the paper,
 *            which calls the begin and the end of a missing call a BarrierPair). Writes to an item
 *            during a missing call that reaches it keep their order, too. An event during a missing
 *            call borders on the call if code of the call may run directly before or after it. Only
 *            such events count as events of the call; inner events of callbacks, and events during
 *            a nested call, do not;
 *          - SB: in addition, all missing calls keep their order.
 *          A missing call reads all cells that it reaches and must find their values of the trace
 *          (window.h). A write that a missing call may notice while it is active is `exposed`. A
 *          value does not survive a missing call that reaches its cell: a read after the call must
 *          see the same write as in the trace, or one that happens after the call.
 * Memory:  init allocates O(n), release frees it. The trace must outlive the index.
 */
#ifndef PF_ENGINE_TRACE_INDEX_H
#define PF_ENGINE_TRACE_INDEX_H

#include "trace.h"

enum pf_missing { PF_MISSING_IGNORE, PF_MISSING_RDIT, PF_MISSING_SB };

/* Pairs (event, earlier event), sorted by event. */
struct pf_edges {
    pf_vec_u32 at;
};
/* Index of the first pair of this event, or of the next event that has pairs. A pair takes two
 * words. */
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
/* Loops over the pairs of the event: k indexes g->at.at, the earlier event is at k + 1. */
#define PF_EDGES_EACH(k, g, event)                                                                 \
    for (size_t k = pf_edges_of(g, event); k < (g)->at.len && (g)->at.at[k] == (event); k += 2)

/* A missing call that may have stored any value in a cell. */
struct pf_overwrite {
    uint32_t end;  /* its ret event, PF_NONE if it never returns */
    uint32_t call; /* the first begin among this call and all calls with a later end */
};

struct pf_trace_index {
    const struct pf_trace *t;
    enum pf_missing missing;
    uint32_t n;
    uint32_t *pos;    /* position of the event in its thread */
    uint32_t *before; /* previous event of the thread, PF_NONE if first */
    uint32_t *match;  /* acquire: its release; release: its acquire; PF_NONE if there is none */
    bool *exposed; /* NULL, or per event: a write that an active missing call may notice */
    bool *borders; /* NULL, or per event: it borders on a missing call of its thread around it */
    uint32_t *spin; /* NULL, or per event: the lock of spin_lock.h that it acquires or releases */
    uint32_t nspins; /* their lock numbers follow those of the trace's own locks */
    struct pf_edges pred; /* events that must have happened before */
    struct pf_edges soft; /* events that come first if both happen, but need not happen */
    /* cells + 1: ranges of `overwrites`, for shared cells only; NULL if there are no missing
     * calls */
    size_t *overwrite_at;
    struct pf_overwrite *overwrites; /* sorted by end */
    uint32_t *write_at; /* cells + 1: ranges of `writes`; only shared, written cells have any */
    uint32_t *writes; /* events that store into the cell, in trace order */
};

void pf_trace_index_init(struct pf_trace_index *x, const struct pf_trace *t,
                         enum pf_missing missing);
void pf_trace_index_release(struct pf_trace_index *x);
/* True if a missing call reaches the shared cell, begins before event `before` and ends at or after
 * event `after`. */
bool pf_trace_index_overwritten(const struct pf_trace_index *x, uint32_t cell, uint32_t after,
                                uint32_t before);
static inline bool pf_trace_index_acquires(const struct pf_trace_index *x, uint32_t i)
{
    return pf_event_acquires(&x->t->events.at[i]) ||
           (x->spin && x->spin[i] != PF_NONE && x->t->events.at[i].value);
}
static inline bool pf_trace_index_releases(const struct pf_trace_index *x, uint32_t i)
{
    return pf_event_releases(&x->t->events.at[i]) ||
           (x->spin && x->spin[i] != PF_NONE && !x->t->events.at[i].value);
}
/* The lock of an event that acquires or releases one, as the two functions above tell. */
static inline uint32_t pf_trace_index_lock(const struct pf_trace_index *x, uint32_t i)
{
    return x->spin && x->spin[i] != PF_NONE ? x->spin[i] : pf_event_lock(&x->t->events.at[i]);
}
/* True if the value of the read comes, or may come, from code without events. */
static inline bool pf_trace_index_pinned(const struct pf_trace_index *x, const struct pf_event *e)
{
    return (e->flags & PF_EF_ORPHAN) ||
           (x->missing != PF_MISSING_IGNORE && (e->flags & PF_EF_MISSING));
}

#endif
