/*
 * reach_variables.h - the program's variables, for reach.c: which variable contains an address, and
 * which variables are named as used by code without events.
 *
 * Memory:  a sorted static table; built again when objects were loaded.
 * Threads: the target's one kernel thread.
 * Errors:  a configuration that cannot be read ends the process before the program runs, as an
 *          invalid option does. If there are more variables than table entries, pf_variable_find
 *          also searches in module.h.
 */
#ifndef PF_RT_REACH_VARIABLES_H
#define PF_RT_REACH_VARIABLES_H

#include "reach_walk.h"

uint64_t pf_variable_epoch(void); /* changes when variables were added or named */
bool pf_variable_may_overlap(uint64_t lo, uint64_t hi); /* true if a variable may be in [lo, hi) */
bool pf_variable_find(uint64_t addr, struct pf_mem_range *out);
/* Shrinks [*lo, *hi), which contains addr, to the gap between the variables around addr. */
void pf_variable_gap(uint64_t addr, uint64_t *lo, uint64_t *hi);
void pf_variable_each(void (*f)(const struct pf_mem_range *, void *), void *arg);

/* Calls f for the variables named by PF_GLOBAL, and for those that the configuration lists for this
 * library (file name) or function of the program. */
void pf_variable_each_named(const char *library, void (*f)(const struct pf_mem_range *, void *),
                            void *arg);

/* True if the configuration says that the library keeps no data of its own between calls: a line
 * with "-" among the names. */
bool pf_variable_library_has_none(const char *library);

#endif
