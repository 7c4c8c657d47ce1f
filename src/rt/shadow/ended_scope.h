/*
 * ended_scope.h - stack variables whose scope has ended while their function still runs, in free
 * mode: every use of them is reported (pf cc -fpf-use-after-scope).
 *
 * Model:   each thread has a list of such variables; their memory is marked as freed. A variable
 *          leaves the list when it begins again or its function returns. A function that is left in
 *          another way (an exception, longjmp) leaves its variables in the list, so a mark counts
 *          only if the frame that the variable belongs to is still on the shadow stack.
 * Memory:  one mapping per thread that needs it, until the thread ends.
 * Threads: any; one lock.
 * Errors:  variables that are too large (SIZE_LIMIT), beyond the end of the list, or without memory
 *          for it, are not checked.
 */
#ifndef PF_RT_ENDED_SCOPE_H
#define PF_RT_ENDED_SCOPE_H

#include "thread.h"

struct pf_ended_variable {
    uintptr_t addr;
    uint64_t size;
    const struct pf_frame *frame;
    const struct pf_func *func;
    uint32_t site; /* where the scope ends */
};

/* True if a scope has ended, in any thread. */
extern bool pf_ended_scopes_exist;
/* Finds the variable that contains the byte; false if there is none. */
bool pf_ended_variable_find(uintptr_t byte, struct pf_ended_variable *out, uint32_t *owner);
/* The thread ends. */
void pf_ended_variables_free(struct pf_thread *t);

void pf_ended_scope_lock(void); /* around fork; taken before that of the thread table */
void pf_ended_scope_unlock(void);

#endif
