/*
 * window.h - a stretch of the trace as the engine works on it: events, threads, cells and locks
 * numbered from 0, values resolved.
 *
 * Model:   the trace before the window is run as it stands; inside, events may be reordered and
 *          left out. What happened before counts as "the start": initial values, locks held.
 * Memory:  a window is filled again and again for one index; release gives it back.
 * Cost:    O(events of the window * cells of an access).
 */
#ifndef PF_ENGINE_WINDOW_H
#define PF_ENGINE_WINDOW_H

#include "trace_index.h"

#define PF_SEVERAL (PF_NONE - 1)
#define PF_START PF_NONE /* as a writer: the value at the window's start */

/* One cell of one access. A missing call reads all that it reaches. */
struct pf_touch {
    uint32_t event, cell;
    uint32_t source;           /* reads: the write seen in the trace, or PF_START */
    uint64_t seen, stored;     /* values of this cell */
    bool reads, writes, seen_known, stored_known;
    uint32_t global;           /* the cell's number in the trace */
    bool pinned;               /* a read that must-order alone keeps right */
};

struct pf_wcell {
    uint32_t first, count; /* touches that write: range of `write_touch` */
    uint64_t initial;
    bool initial_known;
};

/* A critical section. */
struct pf_section {
    uint32_t acquire, release; /* PF_NONE: before the start; after the end */
    uint32_t lock, thread;
    bool shared;
};

struct pf_window {
    const struct pf_index *x;
    uint32_t lo, n, nt;
    uint32_t *thread, *pos;   /* of each event */
    uint32_t *by_thread_at;   /* nt + 1 */
    uint32_t *by_thread;      /* events of each thread, in order */
    uint32_t *global_thread;  /* nt */
    uint32_t *pred_at;        /* n + 1; explicit must-order inside the window */
    pf_vec_u32 pred;
    pf_vec_u32 soft;          /* pairs (x, y): x comes first if both are included */
    uint32_t *touch_at;       /* n + 1 */
    PF_VEC(struct pf_touch) touches;
    PF_VEC(struct pf_wcell) cells;
    pf_vec_u32 write_touch;   /* touches that write, by cell, in order */
    PF_VEC(struct pf_section) sections;
    pf_vec_u32 wakes;         /* triples (wake, wait, notify): the notify comes after the wait */
    pf_vec_u32 lock_at;       /* per local lock: range of `lock_section` */
    pf_vec_u32 lock_section;
    uint32_t *section;        /* acquire, release, failed attempt: its section (test: its lock) */
    uint32_t *branch;         /* reads of the thread before this position must be right, for the
                                 event itself to happen */
    /* scratch */
    uint32_t *cell_map, *thread_map, *lock_map;
    uint32_t cap;
    pf_vec_u32 cell_list, lock_list;
    pf_vec_u32 written,
        writer; /* cells that missing calls may read, which are the first local ones; so far written
                                   by this thread, PF_NONE: nobody, PF_SEVERAL */
};

void pf_window_init(struct pf_window *w, const struct pf_index *x);
void pf_window_release(struct pf_window *w);
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
/* May the read see what this write stored (a touch, or PF_START)? Order is not considered. */
bool pf_window_matches(const struct pf_window *w, uint32_t read_touch, uint32_t write_touch);

#endif
