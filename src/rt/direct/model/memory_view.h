/*
 * memory_view.h - what a thread knows about memory: which writes and reads happened before.
 *
 * Model:   a view is a vector clock, the number of the last sequentially consistent fence that
 *          happened before, and a position of the run before which everything is known (after a
 *          call into code without events). Views join pointwise. A release joins the view of the
 *          thread into that of an object; an acquire does the reverse. The clock of a thread is
 *          incremented at each release, so that its later operations are not part of the release.
 *
 *          The order S of sequentially consistent operations is the order of the run. The fence
 *          with number n knows everything that happened before any of the fences up to n.
 * Memory:  mapped at the start of a run that needs it. A table that is full loses no order: all
 *          further objects share one view.
 * Threads: the runner only.
 */
#ifndef PF_RT_MEMORY_VIEW_H
#define PF_RT_MEMORY_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#define PF_VIEW_THREADS 64 /* with more threads, memory is sequentially consistent */
#define PF_VIEW_NOBODY UINT16_MAX

struct pf_view {
    uint32_t clock[PF_VIEW_THREADS];
    uint32_t fence; /* number of the fence; 0: none */
    uint32_t reserved;
    uint64_t floor; /* everything at smaller positions is known */
};

struct pf_view_thread {
    struct pf_view now;
    struct pf_view acquired; /* by reads without acquire; the next acquire fence makes it known */
    struct pf_view released; /* at the last release fence */
    bool has_released;
    bool left; /* it has called code without events since its last event */
    /* the outermost call of such code that may still be running, because it calls back: the frame
     * of the caller, its function, and the site of the call; frame NULL: none */
    const struct pf_frame *left_frame;
    const struct pf_func *left_func;
    uint32_t left_call;
};

/* Who made a write or a read, and when. */
struct pf_view_origin {
    uint64_t position; /* in the run; 0: before the history begins */
    uint32_t clock;
    uint16_t thread; /* PF_VIEW_NOBODY: known to every thread */
    bool seq_cst;
};

/* Returns false without memory. */
bool pf_view_init(void);
/* The state of the running thread; NULL: there are too many threads. */
struct pf_view_thread *pf_view_self(void);
/* The current thread, t, calls code without events. call: 1 + the site of the call; 0: it does not
 * call. */
void pf_view_leave(struct pf_view_thread *t, uint32_t call);
/* Advances the position of the run, and returns it. */
uint64_t pf_view_next_position(void);
struct pf_view_origin pf_view_origin(bool seq_cst);
/* From now on every thread knows everything that has happened so far. */
void pf_view_know_all(void);

void pf_view_join(struct pf_view *to, const struct pf_view *from);
void pf_view_copy(struct pf_view *to, const struct pf_view *from);
/* Increments the clock of t; called after each release and each fence. */
void pf_view_tick(struct pf_view_thread *t);
void pf_view_acquire(uint64_t object);
void pf_view_release(uint64_t object);
void pf_view_fence(unsigned order);
void pf_view_thread_created(uint32_t number);
void pf_view_thread_joined(uint32_t number);

/* True if the access is known to the view by happens-before. */
bool pf_view_happened_before(const struct pf_view_origin *o, const struct pf_view *v);
/* The same, or if the order S makes it known to a read with this view. seq_cst: the read is
 * sequentially consistent. */
bool pf_view_is_known(const struct pf_view_origin *o, const struct pf_view *v, bool seq_cst);

#endif
