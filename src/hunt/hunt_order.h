/*
 * hunt_order.h - the questions that a hunt may still ask, and which of them is next.
 *
 * Model:   a question asks for an input that makes a run take another direction at a branch (a
 *          flip), makes two accesses meet, or has another text in place of a piece. Its cost is low
 *          if nothing like it has happened yet:
 *
 *              0  a direction of a branch, a text or a meeting that no run has had
 *              4  the same for a condition inside a library function
 *              6  a direction that this thread has not taken: a race needs two threads
 *              8  a known direction, more often in one run than in any run before
 *             10  the direction of cost 6, for a condition inside a library function
 *             12  the direction of cost 8, for a condition inside a library function
 *             10  any other branch directly after the flip that led to the run, or at the end of
 *                 the run, plus 2 for each flip since a run that did something new (at most 2
 *                 flips): the rest of an input must often follow a change
 *             16  any other branch;  64  inside a library function;  256  an assumption of a model
 *
 *          It grows with the questions for the same direction so far. One without a solution counts
 *          for an eighth: it needs no run, and may have a solution on another path. If none had
 *          one, the cost for a new direction stays below 16. A cost of 16 or more also
 *          grows with the distance on the path from the nearest new direction of the run. If the
 *          run had none, its questions for known directions cost 16 or more, and 128 is added. The
 *          cheapest question is next. Among equals, that of the run that reached most sites is next
 *          (an input with an error reaches few). Among these, if the cost is below 6, the oldest
 *          run comes first: its input has the fewest changes. If the cost is higher, the newest run
 *          comes first: it goes on with what led there. Of one run, the first question on its path
 *          is next. Every fourth question is one of cost 16 or more: a known direction may lead to
 *          something new in another run. If no question costs less than 6, every second one is.
 * Memory:  the order owns its questions until release; a pointer to one is valid until the next
 *          call of pf_hunt_order_add.
 * Threads: one.
 */
#ifndef PF_HUNT_ORDER_H
#define PF_HUNT_ORDER_H

#include "hash_map.h"
#include "hunt_open.h"
#include "vector.h"
#include <stdbool.h>

#define PF_HUNT_NOTHING_NEW UINT32_MAX
#define PF_HUNT_FAR UINT32_MAX

struct pf_hunt_question {
    uint32_t path, run;
    uint32_t reached; /* how many sites the run reached */
    uint32_t condition; /* the one to flip; of a meeting or text: how many conditions precede it */
    uint32_t kept; /* how many conditions of the path stay as they are */
    uint32_t first, second; /* labels of two addresses that are to meet; 0: none */
    uint32_t text; /* 1 + the index of a text of the log; 0: none */
    uint64_t key; /* of the path that is asked for */
    uint64_t taken; /* of the path that its run took instead; 0: unknown */
    uint64_t way; /* hash of the directions that the new run should take; 0: unknown */
    uint64_t direction; /* what is asked for: a branch and its direction, a text, a meeting */
    uint64_t branch; /* the same with its count in the run */
    uint64_t own; /* the direction with the thread; 0: none */
    uint8_t reason; /* enum pf_symbolic_reason */
    /* if it is near the flip that led to its run, or near the end of the run: how many flips away
     * the last run is that did something new; else PF_HUNT_FAR */
    uint32_t depth;
    uint32_t distance; /* from the nearest new direction of its run; PF_HUNT_NOTHING_NEW: none */
    bool asked;
};

struct pf_hunt_order {
    PF_VEC(struct pf_hunt_question) questions;
    pf_vec_u32 heap[2]; /* indices of questions: of cost below 16, and the others */
    struct pf_hash_map directions; /* that runs took; all values are 0 */
    struct pf_hash_map taken; /* the same with counts, and with threads */
    struct pf_hash_map
        attempts; /* per direction, and per branch: the questions that asked for it */
    uint64_t chosen;
};

void pf_hunt_order_release(struct pf_hunt_order *o);
void pf_hunt_order_add(struct pf_hunt_order *o, const struct pf_hunt_question *q);
/* A run took this direction, as `branch` with its count, and as `own` with its thread (0: none).
 * Returns 2 if the direction is new, 1 if it was never taken so often or not by this thread, else
 * 0. */
unsigned pf_hunt_order_took(struct pf_hunt_order *o, uint64_t direction, uint64_t branch,
                            uint64_t own);
/* The next question, which is marked as asked; NULL: there is none. With `wanted`: always the
 * cheapest one of the runs for which wanted(arg, run) is true. */
const struct pf_hunt_question *
pf_hunt_order_next(struct pf_hunt_order *o, bool (*wanted)(void *arg, uint32_t run), void *arg);
/* The question has led to a new input, or to the solver's limit. */
void pf_hunt_order_answered(struct pf_hunt_order *o, const struct pf_hunt_question *q);
/* True if no run has taken the direction that the question asks for. */
bool pf_hunt_order_is_new(const struct pf_hunt_order *o, const struct pf_hunt_question *q);
/* Adds the questions that were not asked to the entries of their runs, the cheapest first; runs[r]
 * is the entry of run r. A question whose key is in `asked` is left out, unless it is `unfinished`;
 * one that several runs have is added once. */
void pf_hunt_order_left(const struct pf_hunt_order *o, const struct pf_hash_map *asked,
                        uint64_t unfinished, struct pf_hunt_open *runs);
/* The number of questions that were not asked. */
uint64_t pf_hunt_order_open(const struct pf_hunt_order *o);

#endif
