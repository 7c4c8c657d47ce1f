/*
 * pair.h - one question: is there a reordering of the window in which events a and b meet?
 *
 * Model:   a reordering takes some first events of each thread ("included") and puts them in an
 *          order. It must keep must-order; two included acquires of a lock need one's release
 *          included and ordered between; a read that an included event (or a, or b) depends on must
 *          see its value, from a write that is itself right. a and b are then the next events of
 *          their threads (a == b: it is). A chain of events may be asked to happen before, in its
 *          order.
 * Answers: three tiers, each sound on its own:
 *            pf_pair_preserve  accepts when the included events, in the order of the trace, do
 *            pf_pair_close     rejects when what every answer must include and order is impossible
 *            pf_pair_solve     decides (solver.h), unless its budget runs out
 * Memory:  one pf_pair serves many questions; release gives it back.
 */
#ifndef PF_ENGINE_PAIR_H
#define PF_ENGINE_PAIR_H

#include "window.h"

#define PF_CHAIN_MAX 255 /* as long as patterns (pecan/pattern.h) */

enum pf_answer { PF_YES, PF_NO, PF_UNKNOWN };

struct pf_pair {
    const struct pf_window *w;
    uint32_t a, b;
    uint32_t chain[PF_CHAIN_MAX], nchain; /* happen in this order, and then a and b */
    /* Per thread: how many events may be included at most; must be; in how many reads are right. */
    uint32_t *limit, *need, *right;
    uint32_t *clock; /* n * nt: events of each thread that come before, or are, the event */
    uint32_t *succ_at; /* n + 1: explicit must-order, forwards */
    uint32_t *succ;
    pf_vec_u32 more; /* edges found by closing: triples (from, to, next of from) */
    uint32_t *more_at; /* n: first triple, PF_NONE if none */
    uint32_t *writer; /* per touch: the only write it can see; PF_OPEN while there are more */
    pf_vec_u32 stack;
    uint32_t cap, cap_nt, cap_touch, cap_succ;
    uint64_t cap_clock;
    pf_vec_u32 order; /* the answer: included events in order */
    bool changed;
};
#define PF_OPEN (PF_NONE - 1)

void pf_pair_release(struct pf_pair *p);
/* Sets up the question. False when must-order alone says no. */
bool pf_pair_init(struct pf_pair *p, const struct pf_window *w, uint32_t a, uint32_t b);
/* Only without a chain. */
bool pf_pair_preserve(struct pf_pair *p);
bool pf_pair_close(struct pf_pair *p);
/* After pf_pair_close said that nothing speaks against it. */
enum pf_answer pf_pair_solve(struct pf_pair *p, uint32_t conflicts);

/* Does x come before y (or is it y) in every answer? */
static inline bool pf_pair_before(const struct pf_pair *p, uint32_t x, uint32_t y)
{
    return p->clock[(size_t)y * p->w->nt + p->w->thread[x]] > p->w->pos[x];
}
/* In how many events of its thread reads must be right for a, or b, to be next. What it reads itself does
 * not matter. */
static inline uint32_t pf_pair_right(const struct pf_pair *p, uint32_t goal)
{
    return p->w->branch[goal] < p->w->pos[goal] ? p->w->branch[goal] : p->w->pos[goal];
}
static inline bool pf_pair_possible(const struct pf_pair *p, uint32_t e)
{
    return p->w->pos[e] < p->limit[p->w->thread[e]];
}
static inline bool pf_pair_needed(const struct pf_pair *p, uint32_t e)
{
    return p->w->pos[e] < p->need[p->w->thread[e]];
}

#endif
