/*
 * schedule_plan.h - a schedule that a recording is forced to follow before its policy decides.
 *
 * Model:   steps (thread, count): the thread runs until it has performed `count` events. Where it
 *          is then (before the next event, or in a wait) does not matter. Steps that are already
 *          done are skipped. If the thread waits for time or for something external, the plan waits
 *          too. If the thread does not exist yet, threads without steps run, because one of them
 *          may create it. Special steps (channel.h) fork continuations with plans of their own, so
 *          that a common prefix of several plans runs once; and ask what an event is: its position
 *          in the source, its memory, and when it happened.
 * Memory:  the file, mapped.
 * Errors:  a step that cannot be done is a divergence that names the step.
 */
#ifndef PF_RT_SCHEDULE_PLAN_H
#define PF_RT_SCHEDULE_PLAN_H

#include "channel.h"
#include "context.h"

/* Follows the plan that the channel names, if any. */
void pf_schedule_plan_init(void);
/* Follows this file from now on. */
void pf_schedule_plan_load(const char *path);
/* Follows these steps from now on; none of them is a query. */
void pf_schedule_plan_follow(const struct pf_schedule_plan_step *steps, uint64_t count);
/* Like load, but a step that cannot be done ends the plan without a divergence. A file that does
 * not exist is an empty plan. */
void pf_schedule_plan_load_lenient(const char *path);
/* Follows no plan from now on. */
void pf_schedule_plan_clear(void);
/* The thread of the next step, which may be waiting, and in *events how many events it has to
 * perform. NULL: there are no more steps. */
struct pf_context *pf_schedule_plan_next(uint64_t *events);
/* The same, and waits until that thread can run. current: the running thread, if it can continue.
 * yields: how often it has yielded in a row. */
struct pf_context *pf_schedule_plan_wait(const struct pf_context *current, uint64_t yields,
                                         uint64_t *events);
/* True if c has no step at all. It then runs only to create a thread that has steps. */
bool pf_schedule_plan_has_no_step(const struct pf_context *c);
/* True if the current step lets c run until it has ended. */
bool pf_schedule_plan_runs_to_end(const struct pf_context *c);
/* True if a step is left. */
bool pf_schedule_plan_pending(void);
/* Between two segments: performs the special steps that are next. Also returns in each
 * continuation. */
void pf_schedule_plan_run_special(void);
/* The thread of the next step cannot perform it: reports the divergence. Returns only if the plan
 * is lenient, which then has no more steps. */
void pf_schedule_plan_fail(void);

/* The index, from `from` on, of the next event of c that the plan asks about; ~0: none. */
uint64_t pf_schedule_plan_next_query(const struct pf_context *c, uint64_t from);
/* Answers what the event is that c performs now. */
void pf_schedule_plan_answer(struct pf_context *c);

#endif
