/*
 * symbolizer.h - source positions of program counters and names of variables in code that pf cc has
 * not compiled, from its debug information.
 *
 * Model:   llvm-symbolizer runs as a grandchild of the process and ends with it. The runtime sends
 *          its questions through a socket, and starts the symbolizer at the first one. The option
 *          external_symbolizer_path names another program.
 * Memory:  answers are in the runtime's store, never freed.
 * Threads: any; one lock.
 * Errors:  without an answer, the name is "OBJECT+0xOFFSET". After an answer that is too long,
 *          nothing more is looked up.
 */
#ifndef PF_RT_SYMBOLIZER_H
#define PF_RT_SYMBOLIZER_H

#include "module.h"
#include "stack.h"

/* The positions of the instruction before pc, inlined functions first, *n of them. 0 for code of
 * the C library, the dynamic linker and the runtime, and if memory is exhausted. Never NULL. */
const struct pf_position *pf_symbolize_code(uintptr_t pc, uint32_t *n);
/* Finds the variable that contains addr; false: none is known. */
bool pf_symbolize_data(uintptr_t addr, struct pf_global *out);
/* In the child of a fork: a thread that was about to ask does not exist here. */
void pf_symbolizer_forked(void);

#endif
