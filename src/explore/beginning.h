/*
 * beginning.h - the beginnings of runs that reach a target (target_search.h).
 */
#ifndef PF_EXPLORE_BEGINNING_H
#define PF_EXPLORE_BEGINNING_H

#include "target_search.h"

/* Sets past[t] to the number of nodes of thread t that come before the node whatever it reads. */
void pf_beginning_past(const struct pf_execution *x, uint32_t node, uint32_t *past);
/* A hash of the largest beginning in which the node reads from the sources. */
uint64_t pf_beginning_hash(const struct pf_execution *x, uint32_t node, const uint32_t *sources,
                           uint32_t choice);
/* Sets s->beginnings, which is empty, to those of the target. Updates t->writes. */
void pf_beginning_find(struct pf_search *s, struct pf_target *t);

/* Adds the order as steps. Threads are numbered in the order in which the run will create them. */
void pf_beginning_add_order(const struct pf_search *s, struct pf_beginning *b,
                            const struct pf_target *t, const uint32_t *order, size_t n);
#define PF_BEGINNING_CONFLICTS 2000 /* budget of the solver */

#endif
