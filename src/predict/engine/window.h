/*
 * window.h - a section of the trace in the form the engine works on: events, threads, cells and
 * locks numbered from 0, values resolved.
 *
 * Model:   the trace before the window is run unchanged. Inside the window, events may be reordered
 *          and left out. The state at the window's start consists of cell values and held locks.
 * Memory:  one window is filled repeatedly for one index; release frees it.
 * Cost:    O(events in the window * cells per access).
 */
#ifndef PF_ENGINE_WINDOW_H
#define PF_ENGINE_WINDOW_H

#include "trace_index.h"

#define PF_SEVERAL_THREADS (PF_NONE - 1)
#define PF_FROM_START PF_NONE /* as a writer: the value at the window's start */

/* One cell of one access. A missing call counts as a read of all cells that it reaches. */
struct pf_window_access {
    uint32_t event, cell;
    uint32_t source;           /* reads: the write seen in the trace, or PF_FROM_START */
    uint64_t seen, stored;     /* values of this cell */
    bool reads, writes, seen_known, stored_known;
    uint32_t global;           /* the number of the cell in the trace */
    bool pinned;               /* a read that is correct whenever must-order is respected */
};

struct pf_window_cell {
    uint32_t first, count; /* the writing accesses: range of `write_access` */
    uint64_t initial;
    bool initial_known;
};

/* A critical section. */
struct pf_window_section {
    uint32_t acquire, release; /* PF_NONE: before the window's start; after its end */
    uint32_t lock, thread;
    bool shared;
};

struct pf_window {
    const struct pf_trace_index *x;
    uint32_t lo, n, nt;
    uint32_t *thread, *pos;   /* of each event */
    uint32_t *by_thread_at;   /* nt + 1: range of each thread in by_thread */
    uint32_t *by_thread;      /* events of each thread, in order */
    uint32_t *global_thread;  /* nt: the number of each thread in the trace */
    /* n + 1: ranges of `pred`, the explicit must-order inside the window */
    uint32_t *pred_at;
    pf_vec_u32 pred;
    pf_vec_u32 soft;          /* pairs (x, y): x comes first if both are included */
    uint32_t *access_at;       /* n + 1: ranges of `accesses` */
    PF_VEC(struct pf_window_access) accesses;
    PF_VEC(struct pf_window_cell) cells;
    pf_vec_u32 write_access;   /* the writing accesses, by cell, in trace order */
    PF_VEC(struct pf_window_section) sections;
    /* triples (wake, wait, notify): the notify must come after the wait */
    pf_vec_u32 wakes;
    pf_vec_u32 lock_at;       /* per local lock: range of `lock_section` */
    pf_vec_u32 lock_section;
    uint32_t *section;        /* acquire and release: their section; failed trylock: its lock */
    /* For the event to happen, the reads of its thread before this position must be correct. */
    uint32_t *branch;
    /* scratch memory */
    uint32_t *cell_map, *thread_map, *lock_map;
    size_t cap;
    pf_vec_u32 cell_list, lock_list;
    /* The cells that missing calls in the window may read; they have the first local numbers.
     * `writer`: the thread that wrote the cell so far; PF_NONE: none, PF_SEVERAL_THREADS: more
     * than one. */
    pf_vec_u32 written, writer;
};

void pf_window_init(struct pf_window *w, const struct pf_trace_index *x);
void pf_window_release(struct pf_window *w);
/* Fills the window with the events [lo, hi) of the trace; discards its previous contents. */
void pf_window_fill(struct pf_window *w, uint32_t lo, uint32_t hi);

static inline uint32_t pf_window_at(const struct pf_window *w, uint32_t thread, uint32_t pos)
{
    return w->by_thread[w->by_thread_at[thread] + pos];
}
static inline uint32_t pf_window_len(const struct pf_window *w, uint32_t thread)
{
    return w->by_thread_at[thread + 1] - w->by_thread_at[thread];
}
static inline const struct pf_event *pf_window_event(const struct pf_window *w, uint32_t e)
{
    return &w->x->t->events.at[w->lo + e];
}
/* True if the read may see the value that this write stored (an access, or PF_FROM_START), apart
 * from their order. */
bool pf_window_matches(const struct pf_window *w, uint32_t read_access, uint32_t write_access);

#endif
