/*
 * thread_record.h - a thread of the target from its creation to its join, for pthreads and C11.
 *
 * Model:   every watched thread has a record. The creator makes it; creator or child, whichever
 *          comes first, enters it in a map from pthread_t; the child ends it after its last
 *          destructor; the join, or the end of a detached thread, frees it.
 * Memory:  the runtime's store. The creator and the thread hold one reference each.
 * Threads: any; one lock for the map. Callers are nested (inside PF_CALL).
 * Errors:  without memory, or at the limit of threads, the thread runs unwatched.
 */
#ifndef PF_RT_THREAD_RECORD_H
#define PF_RT_THREAD_RECORD_H

#include "runtime_access.h"
#include "thread_life.h"
#include "wrap.h"
#include <pthread.h>

struct pf_thread_record {
    struct pf_thread *thread;
    union {
        void *(*pthread)(void *);
        int (*c11)(void *);
    } run;
    void *arg;
    uint32_t label; /* of arg, in a symbolic run */
    pthread_t id;
    struct pf_thread_record *next; /* in the map */
    uint8_t refs, rounds;
    bool listed, detached, ended;
    bool inherited; /* from the process that forked this one: the thread is not in this process */
};

/* In the creator, before and after the real creation; made: it succeeded. _new returns NULL if the
 * thread is to run unwatched. */
struct pf_thread_record *pf_thread_record_new(struct pf_call *c, void *arg, bool detached);
void pf_thread_record_created(struct pf_thread_record *s, pthread_t id, bool made);
/* _begin: called first in the child, un-nested. _rewind: at the end of the scope, resets the
 * shadow stack to its base, so that destructors do not appear to run inside a function that was
 * unwound. */
void pf_thread_record_begin(struct pf_thread_record *s);
void pf_thread_record_rewind(struct pf_frame **base);

/* The record of a thread that is not joined yet; NULL if unknown. */
struct pf_thread_record *pf_thread_record_find(pthread_t id);
void pf_thread_record_joined(struct pf_call *c, struct pf_thread_record *s);
/* PF_BLOCKING for an untimed wait for the end of s; s may be NULL (unknown). */
#define PF_JOINING(c, s, expr)                                                                     \
    __extension__({                                                                                \
        struct pf_thread *pf_j_ __attribute__((cleanup(pf_thread_record_waited))) = (c).t;         \
        pf_thread_set_joining(pf_j_, (s) ? (s)->thread : NULL);                                    \
        PF_BLOCKING(c, expr);                                                                      \
    })
static inline void pf_thread_record_waited(struct pf_thread **t)
{
    pf_thread_set_joining(*t, NULL);
}
void pf_thread_record_detached(struct pf_thread_record *s);
/* Makes a record for the calling thread if it has none, as main; t may be NULL. */
void pf_thread_record_ensure(struct pf_thread *t, bool detached);

/* t ends: reports it if it is in a region in which annotations turn checking off. */
void pf_thread_record_check_ignores(const struct pf_thread *t);
/* The process is about to end: reports threads that ended and were neither joined nor detached, and
 * a main thread that ends in an ignored region. */
void pf_thread_record_process_ends(void);

/* Called by pf_wrap_init. */
void pf_thread_record_init(void);

/* Called un-nested when a kernel thread ends: if it runs a fiber, it switches back to its own
 * thread; its own fiber is freed (wrap_fiber.c). */
void pf_fiber_leave(void);

void pf_barrier_lock(void); /* around fork */
void pf_barrier_unlock(void);

#endif
