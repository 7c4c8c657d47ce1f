/*
 * clocks.h - streaming vector clocks: which earlier events are ordered before an event.
 *
 * Model:   clock(t)[u] counts epochs of thread u. An event of u in epoch k is ordered before the
 *          next event of t iff k <= clock(t)[u]. A thread starts a new epoch after every event that
 *          can be ordered before events of other threads. Program order, fork/join, notify/wake,
 *          barriers and messages always order events; locks and atomics are optional. Atomics order
 *          as in the runtime: release/acquire, fences, and release sequences as defined up to C17.
 * Memory:  allocated by init and on use, freed by release; O(threads) per synchronisation object.
 * Cost:    O(threads) per synchronisation event, O(1) per other event.
 */
#ifndef PF_PREDICT_CLOCKS_H
#define PF_PREDICT_CLOCKS_H

#include "trace.h"

enum pf_clocks_relation { PF_CLOCKS_LOCKS = 1, PF_CLOCKS_ATOMICS = 2 };

struct pf_clocks {
    const struct pf_trace *t;
    unsigned what;
    uint32_t nt;
    uint32_t *clock;                       /* nt rows of nt entries: the clock of each thread */
    uint32_t **lock, **rdlock, **sync, **bar, **atomic, **fork;
    uint64_t *heads; /* of each cell: threads that head its release sequence */
    uint32_t **fenced, **seen; /* of each thread: pf_clocks_leave, pf_clocks_enter */
    uint32_t *bar_gen; /* the generation of each entry of `bar` */
    PF_VEC(uint32_t *) notify; /* clocks of the notify events, in trace order */
    pf_vec_u32 notify_event;
};

void pf_clocks_init(struct pf_clocks *o, const struct pf_trace *t, unsigned what);
void pf_clocks_release(struct pf_clocks *o);

static inline uint32_t pf_clocks_epoch(const struct pf_clocks *o, uint32_t thread)
{
    return o->clock[(size_t)thread * o->nt + thread];
}
/* True if epoch `epoch` of thread `other` is ordered before the next event of `thread`. */
static inline bool pf_clocks_seen(const struct pf_clocks *o, uint32_t thread, uint32_t other,
                                  uint32_t epoch)
{
    return epoch <= o->clock[(size_t)thread * o->nt + other];
}
/* Call for every event in trace order: enter before the event is examined (joins the clocks that
 * are ordered before it), leave after it (publishes its clock). */
void pf_clocks_enter(struct pf_clocks *o, uint32_t i);
void pf_clocks_leave(struct pf_clocks *o, uint32_t i);

#endif
