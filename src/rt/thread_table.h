/*
 * thread_table.h - the table of threads: those that run, and all that ever existed.
 *
 * Memory:  the threads' own links; threads are never freed (thread.h).
 * Threads: any; the table has a lock.
 */
#ifndef PF_RT_THREAD_TABLE_H
#define PF_RT_THREAD_TABLE_H

#include "spin.h"
#include "thread.h"

struct pf_thread_table {
    struct pf_spin lock;
    struct pf_thread *running; /* linked by `next` and `prev` */
    struct pf_thread *newest;  /* of all threads ever created, linked by `older` */
    uint32_t count;            /* threads ever created */
    uint32_t alive;            /* created, and not ended */
    uint32_t not_begun;        /* of these, how many are not in the list of running threads yet */
};
extern struct pf_thread_table pf_threads;

void pf_thread_lock(void); /* around fork */
void pf_thread_unlock(void);
/* How many threads, including fibers, were created and have not ended. */
uint32_t pf_thread_alive(void);
/* Calls f for every running thread, with the table locked. */
void pf_thread_each(void (*f)(struct pf_thread *, void *), void *arg);
/* The thread with this number, also a finished one; for reports. NULL: there is none.
 * O(threads). */
struct pf_thread *pf_thread_by_number(uint32_t number);
/* With the table locked: adds t to the running threads, or removes it because it has finished. */
void pf_thread_link(struct pf_thread *t);
void pf_thread_unlink(struct pf_thread *t);
/* Stops watching the calling thread, if it was watched: its functions run their plain bodies, and
 * all of them share one frame. */
void pf_thread_unwatch(void);

#endif
