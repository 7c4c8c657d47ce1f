/*
 * query.h - one question to the engine: is there a reordering of the window after which events a
 * and b are both next?
 *
 * Model:   a reordering takes a prefix of the events of each thread (the included events) and puts
 *          them into one order. The order must respect must-order. Of two included acquires of a
 *          lock, one must be followed by its release before the other. If an included event (or a
 *          or b) depends on a read, the read must be correct: it sees its value of the trace, from
 *          a write that is itself correct. Afterwards a and b are the next events of their threads
 *          (if a == b: that one event is). Optionally, a chain of events must have happened before,
 *          in its order.
 * Answers: three tiers, each sound on its own:
 *            pf_query_sync_preserving  accepts if the required events in trace order are an answer
 *            pf_query_close            rejects if the events and the order that every answer must
 *                                      contain are contradictory
 *            pf_query_solve            decides with a solver (solver.h), unless its budget runs out
 * Memory:  one pf_query serves many questions; pf_query_release frees it.
 */
#ifndef PF_ENGINE_QUERY_H
#define PF_ENGINE_QUERY_H

#include "window.h"

#define PF_QUERY_CHAIN_MAX 255 /* the maximum length of a pattern (pecan/pattern.h) */

enum pf_answer { PF_YES, PF_NO, PF_UNKNOWN };

struct pf_query {
    const struct pf_window *w;
    uint32_t a, b;
    uint32_t chain[PF_QUERY_CHAIN_MAX], nchain; /* must happen in this order before a and b */
    /* Per thread: the number of events that may be included, that must be included, and whose reads
     * must be correct. */
    uint32_t *limit, *need, *correct;
    /* n rows of nt: how many events of each thread are ordered before the event (its own thread:
     * including it) */
    uint32_t *clock;
    uint32_t *succ_at; /* n + 1: explicit must-order, forward edges */
    uint32_t *succ;
    /* edges found by pf_query_close: triples (from, to, next triple of the same `from`) */
    pf_vec_u32 derived;
    uint32_t *derived_at; /* n: first triple, PF_NONE if none */
    /* per access: the only write that it can see; PF_WRITER_OPEN while there are several */
    uint32_t *writer;
    pf_vec_u32 stack;
    size_t cap, cap_nt, cap_access, cap_succ, cap_clock;
    pf_vec_u32 order; /* the answer: the included events in their order */
    bool changed;
};
#define PF_WRITER_OPEN (PF_NONE - 1)

void pf_query_release(struct pf_query *p);
/* Sets up the question. Returns false if must-order alone rules it out. */
bool pf_query_init(struct pf_query *p, const struct pf_window *w, uint32_t a, uint32_t b);
/* Only for questions without a chain. */
bool pf_query_sync_preserving(struct pf_query *p);
/* False: there is no answer. True: undecided. */
bool pf_query_close(struct pf_query *p);
/* Only after pf_query_close has returned true. */
enum pf_answer pf_query_solve(struct pf_query *p, uint32_t conflicts);

/* True if x == y, or x comes before y in every answer. */
static inline bool pf_query_before(const struct pf_query *p, uint32_t x, uint32_t y)
{
    return p->clock[(size_t)y * p->w->nt + p->w->thread[x]] > p->w->pos[x];
}
/* For a goal (a or b): the number of events of its thread whose reads must be correct. The goal's
 * own read does not matter. */
static inline uint32_t pf_query_correct_reads(const struct pf_query *p, uint32_t goal)
{
    return p->w->branch[goal] < p->w->pos[goal] ? p->w->branch[goal] : p->w->pos[goal];
}
static inline bool pf_query_possible(const struct pf_query *p, uint32_t e)
{
    return p->w->pos[e] < p->limit[p->w->thread[e]];
}
static inline bool pf_query_needed(const struct pf_query *p, uint32_t e)
{
    return p->w->pos[e] < p->need[p->w->thread[e]];
}

#endif
