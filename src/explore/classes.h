/*
 * classes.h - the executions that were seen, and whether one of them contains a given beginning.
 *
 * Model:   a beginning is a set of operations that is closed under program order and sources. It is
 *          given by its frontier: the history of the last operation of each thread. An execution
 *          contains it if it contains every history of the frontier.
 * Memory:  8 bytes for each operation of each class, and 12 more for each new history.
 * Cost:    of a question: the number of executions with the rarest of the histories.
 */
#ifndef PF_EXPLORE_CLASSES_H
#define PF_EXPLORE_CLASSES_H

#include "execution.h"
#include "hash_map.h"

struct pf_classes {
    struct pf_hash_map keys;      /* key of a class -> its number */
    struct pf_hash_map histories; /* history -> index into `lists` */
    PF_VEC(pf_vec_u32) lists;     /* numbers of the classes that contain the history, ascending */
    struct pf_hash_map ends; /* hashes of (history, class) for the last history of a thread */
    size_t n;
};

void pf_classes_release(struct pf_classes *c);
/* Adds the class of the execution. Returns false if it was seen before. */
bool pf_classes_add(struct pf_classes *c, const struct pf_execution *x);
/* True if one class contains all n histories. */
bool pf_classes_contain(const struct pf_classes *c, const uint64_t *frontier, size_t n);
/* True if in one class each of them is the last history of its thread. */
bool pf_classes_end_with(const struct pf_classes *c, const uint64_t *frontier, size_t n);
/* True if one class contains them all, and `h` is not the last history of its thread there. False
 * if h is 0. */
bool pf_classes_continue(const struct pf_classes *c, const uint64_t *frontier, size_t n,
                         uint64_t h);

#endif
