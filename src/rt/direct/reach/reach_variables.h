/*
 * reach_variables.h - the program's variables, for reach.c: which one holds an address, and which are named as
 * used by code without events.
 *
 * Memory:  a table of its own, sorted; made again when objects were loaded.
 * Threads: the target's one kernel thread.
 * Errors:  a configuration that cannot be read ends the process before the program runs, as a bad option
 *          does. More variables than the table: pf_variable_find asks module.h instead.
 */
#ifndef PF_RT_REACH_VARIABLES_H
#define PF_RT_REACH_VARIABLES_H

#include "reach_walk.h"

uint64_t pf_variable_epoch(void); /* another one: there are more, or more are named */
bool pf_variable_may_overlap(uint64_t lo, uint64_t hi); /* may one be in [lo, hi)? */
bool pf_variable_find(uint64_t addr, struct pf_mem_range *out);
/* Cuts [*lo, *hi), which holds addr, to where the variables next to addr end and begin. */
void pf_variable_gap(uint64_t addr, uint64_t *lo, uint64_t *hi);
void pf_variable_each(void (*f)(const struct pf_mem_range *, void *), void *arg);

/* Those named by PF_GLOBAL, and by the configuration for this library (the name of its file). */
void pf_variable_each_named(const char *library, void (*f)(const struct pf_mem_range *, void *),
                            void *arg);

#endif
