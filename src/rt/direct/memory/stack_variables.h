/*
 * stack_variables.h - directed mode: the variables that the compiler has told of, and whose byte is behind one of them.
 *
 * Model:   variables on stacks that have a zone (pf_abi.h) stand in a stack of their thread, one place each, from the
 *          beginning to the end of their life; global ones are in the tables of the loaded objects. Their zones are
 *          marked on the plane of red_zone.h. A mark alone proves nothing, since a function can be left without
 *          a word (longjmp): what it says counts when the variable is found among those that are alive.
 * Memory:  a table for each thread, when its first variable comes.
 * Threads: the target's one kernel thread.
 * Errors:  what has no room in the table is not looked at.
 */
#ifndef PF_RT_STACKWATCH_H
#define PF_RT_STACKWATCH_H

#include "thread.h"

struct pf_stack_object {
    uintptr_t addr;
    uint64_t size; /* 0: the place is taken, and its variable does not live */
    const struct pf_func *func;
    uint32_t site;
};

/* The variable behind which the byte is, of any thread; false: none. */
bool pf_stack_object_find(uintptr_t byte, struct pf_stack_object *out, struct pf_thread **whose);

/* The zones of global variables of objects that were loaded since the last call. */
void pf_global_zones(void);

/* From event_entry.S, with vector registers in use. */
void pf_objects_enter(uint32_t n);
void pf_object_in(uintptr_t addr, uint64_t size, uint32_t site, uint32_t place);
void pf_object_out(uint32_t place);
void pf_objects_back(uint32_t n);

#endif
