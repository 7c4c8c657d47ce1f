/*
 * order.h - streaming vector clocks: which earlier events an event comes after.
 *
 * Model:   clock(t)[u] counts epochs of thread u. An event of u in epoch k comes before the next
 *          event of t iff k <= clock(t)[u]. A thread starts a new epoch after every event that
 *          others may come after. Always: program order, start and join, notify and wake, barriers,
 *          messages. By choice: locks, atomics (C11 release and acquire).
 * Memory:  init takes it, release gives it back. O(threads) per object in use.
 * Cost:    O(threads) for a synchronising event, O(1) else.
 */
#ifndef PF_PREDICT_ORDER_H
#define PF_PREDICT_ORDER_H

#include "trace.h"

enum pf_order_what { PF_ORDER_LOCKS = 1, PF_ORDER_ATOMICS = 2 };

struct pf_order {
    const struct pf_trace *t;
    unsigned what;
    uint32_t nt;
    uint32_t *clock;                       /* nt * nt */
    uint32_t **lock, **rdlock, **sync, **bar, **atomic, **fork;
    uint32_t *bar_gen;                     /* which generation each of `bar` holds */
    PF_VEC(uint32_t *) notify;             /* of notify events, by order */
    pf_vec_u32 notify_event;
};

void pf_order_init(struct pf_order *o, const struct pf_trace *t, unsigned what);
void pf_order_release(struct pf_order *o);

static inline uint32_t pf_order_epoch(const struct pf_order *o, uint32_t thread)
{
    return o->clock[(size_t)thread * o->nt + thread];
}
/* Has `thread` seen epoch `epoch` of `other`? */
static inline bool pf_order_seen(const struct pf_order *o, uint32_t thread, uint32_t other,
                                 uint32_t epoch)
{
    return epoch <= o->clock[(size_t)thread * o->nt + other];
}
/* Before looking at event i: what it comes after. After: what comes after it. */
void pf_order_enter(struct pf_order *o, uint32_t i);
void pf_order_leave(struct pf_order *o, uint32_t i);

#endif
