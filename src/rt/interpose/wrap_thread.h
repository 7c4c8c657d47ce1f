/*
 * wrap_thread.h - a thread of the target from its creation to its join, for pthreads and C11.
 *
 * Model:   a record goes with every watched thread: made by the creator, entered in a map from
 *          pthread_t by whoever of creator and child comes first, ended by the child after its
 *          last destructor, given up by the join or, once detached, by the end.
 * Memory:  the runtime's arena. The creator and the thread hold one reference each.
 * Threads: any; one lock for the map. Callers are nested (inside PF_CALL).
 * Errors:  without memory, or when the core knows no more threads, the thread runs unwatched.
 */
#ifndef PF_RT_WRAP_THREAD_H
#define PF_RT_WRAP_THREAD_H

#include "wrap.h"
#include <pthread.h>

struct pf_start {
    struct pf_thread *thread;
    union {
        void *(*pthread)(void *);
        int (*c11)(void *);
    } run;
    void *arg;
    pthread_t id;
    struct pf_start *next; /* in the map */
    uint8_t refs, rounds;
    bool listed, detached, ended;
};

/* In the creator, before and after the real creation (err: its result). NULL: unwatched. */
struct pf_start *pf_start_new(struct pf_call *c, void *arg, bool detached);
void pf_start_created(struct pf_start *s, pthread_t id, bool made);
/* First thing in the child, not nested. The scope's end puts the shadow stack back to its base,
 * so that destructors do not seem to run inside of a function that was unwound. */
void pf_start_begin(struct pf_start *s);
void pf_start_rewind(struct pf_frame **base);

/* The record of a thread that is not joined yet; NULL if unknown. */
struct pf_start *pf_start_find(pthread_t id);
void pf_start_joined(struct pf_call *c, struct pf_start *s);
/* PF_BLOCKING, where the caller waits for the end of s, however long that takes; NULL: of an unknown one. */
#define PF_JOINING(c, s, expr)                                                                     \
    __extension__({                                                                                \
        struct pf_thread *pf_j_ __attribute__((cleanup(pf_start_waited))) = (c).t;                 \
        pf_thread_joins(pf_j_, (s) ? (s)->thread : NULL);                                          \
        PF_BLOCKING(c, expr);                                                                      \
    })
static inline void pf_start_waited(struct pf_thread **t) { pf_thread_joins(*t, NULL); }
void pf_start_detached(struct pf_start *s);
/* The caller, t or NULL, may be a thread that no record stands for: main. Now one does. */
void pf_start_known(struct pf_thread *t, bool detached);

/* From pf_wrap_init. */
void pf_start_init(void);

void pf_barrier_lock(void); /* around fork */
void pf_barrier_unlock(void);

#endif
