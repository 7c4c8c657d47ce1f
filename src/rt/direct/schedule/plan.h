/*
 * plan.h - a recording that does as it is told first: thread after thread, each up to an event.
 *
 * Model:   steps (thread, count): the thread runs until it has done so many events. How it then stands
 *          (before the next event, in a wait) is not asked. Steps that are done already are passed over.
 *          A wait that ends by itself or from outside is waited for. A thread that is not there yet is waited for while
 *          there is one without steps that may make it. Special steps (channel.h) fork
 *          continuations with plans of their own, so that what plans begin with is run once, and ask what
 *          an event is: its place in the source, its memory, when it was done.
 * Memory:  the file, mapped.
 * Errors:  a step that cannot be done is a divergence that names it. After the last step the policy
 *          decides.
 */
#ifndef PF_RT_SCHEDULE_PLAN_H
#define PF_RT_SCHEDULE_PLAN_H

#include "context.h"

void pf_schedule_plan_init(void);
/* Follows this file from here on. */
void pf_schedule_plan_load(const char *path);
/* The thread of the next step, and how many events it has to do; NULL: no more. It may be waiting. */
struct pf_context *pf_schedule_plan_next(uint64_t *events);
/* Has it no step at all? Then it runs only to make a thread that has. */
bool pf_schedule_plan_has_no_step(const struct pf_context *c);
/* Is there a step to be done? */
bool pf_schedule_plan_pending(void);
/* Between two segments: makes the continuations that are next. Returns in each of them too. */
void pf_schedule_plan_run_special(void);
/* The next step is of a thread that waits for something that no one will do. */
_Noreturn void pf_schedule_plan_fail(void);

/* The index, from `from` on, of the next event of c that is asked about; ~0: none. */
uint64_t pf_schedule_plan_next_query(const struct pf_context *c, uint64_t from);
/* c does the event that is asked about now. */
void pf_schedule_plan_answer(struct pf_context *c);

#endif
