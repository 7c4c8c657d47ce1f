/*
 * event_names.h - what findings say about the memory, the threads and the locks of a trace's
 * events: the same as a finding of a free run would say.
 *
 * Model:   a recording has the variables of the program, the allocation of each heap block, and the
 *          name, id, creation and memory of each thread. `when` is the event at which the finding
 *          is reported: a thread that ended before this event is shown as finished, a block that
 *          was freed before it as freed. A trace read from text has only its own names.
 * Memory:  from the pool of the job.
 */
#ifndef PF_CONFIRM_EVENT_NAMES_H
#define PF_CONFIRM_EVENT_NAMES_H

#include "predicted_finding.h"

/* The memory that event i accesses. */
struct pf_location pf_event_location(struct pf_predict_job *j, uint32_t i, uint32_t when);
/* The variable that event i accesses, as in the source; NULL: unknown. */
const char *pf_event_variable(struct pf_predict_job *j, uint32_t i);
/* The name of a lock, "m" or "s+0x10"; NULL: it is not in a global variable. */
const char *pf_event_lock_name(struct pf_predict_job *j, uint32_t lock);
uintptr_t pf_event_lock_address(const struct pf_predict_job *j, uint32_t lock);
/* A thread, by its number in the trace. */
struct pf_thread_info pf_event_thread(struct pf_predict_job *j, uint32_t thread, uint32_t when);
/* Its number in findings. */
uint32_t pf_event_thread_number(const struct pf_predict_job *j, uint32_t thread);

#endif
