/*
 * plan.h - a recording that does as it is told first: thread after thread, each up to an event.
 *
 * Model:   steps (thread, count): the thread runs until it has done so many events. How it then stands
 *          (before the next event, in a wait) is not asked. Steps that are done already are passed over.
 *          A wait that ends by itself or from outside is waited for.
 * Memory:  the file, mapped.
 * Errors:  a step that cannot be done is a divergence that names it. After the last step the policy
 *          decides.
 */
#ifndef PF_RT_PLAN_H
#define PF_RT_PLAN_H

#include "context.h"

void pf_plan_init(void);
/* The thread of the next step, and how many events it has to do; NULL: no more. It may be waiting. */
struct pf_context *pf_plan_next(uint64_t *events);
/* The next step is of a thread that waits for something that no one will do. */
_Noreturn void pf_plan_fails(void);

#endif
