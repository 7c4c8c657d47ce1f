/*
 * stack_variables.h - directed mode: the variables with red zones, and which variable a byte
 * follows.
 *
 * Model:   variables on stacks that have a red zone (pf_abi.h) are in a table of their thread,
 *          itself a stack, from the beginning to the end of their life. Global variables are in the
 *          tables of the loaded objects. Their zones are marked by red_zone.h. A mark on a stack
 *          alone proves nothing, because a function can be left without its variables being removed
 *          (longjmp): it counts only if the variable is found among the live ones.
 * Memory:  a table for each thread, allocated for its first variable.
 * Threads: the target's one kernel thread.
 * Errors:  variables beyond the end of the table are not checked.
 */
#ifndef PF_RT_STACK_VARIABLES_H
#define PF_RT_STACK_VARIABLES_H

#include "thread.h"

struct pf_stack_variable {
    uintptr_t addr;
    uint64_t size; /* 0: the entry is allocated, but its variable is not live */
    const struct pf_func *func;
    uint32_t site;
};

/* Finds the variable, of any thread, that contains the byte or that the byte directly follows;
 * false if there is none. */
bool pf_stack_variable_find(uintptr_t byte, struct pf_stack_variable *out,
                            struct pf_thread **whose);

/* Marks the zones of global variables of objects loaded since the last call. */
void pf_global_mark_zones(void);

/* Called by event_entry.S while vector registers are live. enter: a function allocates n entries.
 * begin, end: the variable of an entry becomes live, or dies. unwind: frees all entries from n
 * on. */
void pf_stack_variables_enter(uint32_t n);
void pf_stack_variable_begin(uintptr_t addr, uint64_t size, uint32_t site, uint32_t index);
void pf_stack_variable_end(uint32_t index);
void pf_stack_variables_unwind(uint32_t n);

#endif
