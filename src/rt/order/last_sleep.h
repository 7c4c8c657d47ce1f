/*
 * last_sleep.h - what other threads had done when a thread's last sleep ended, for the hint that a
 * race seems to be ordered by a sleep.
 *
 * Memory:  one page for each thread that sleeps.
 * Threads: the calling thread's own state.
 * Errors:  without memory there is no hint.
 */
#ifndef PF_RT_LAST_SLEEP_H
#define PF_RT_LAST_SLEEP_H

#include "thread.h"

/* The calling thread t has slept. `where` is the site id of the call. */
void pf_thread_slept(struct pf_thread *t, uint32_t where);
/* True if the epoch clk of slot sid, in which the thread u made an access, was over or running when
 * t's last sleep ended. */
bool pf_thread_before_sleep(const struct pf_thread *t, const struct pf_thread *u, uint32_t sid,
                            uint32_t clk);

#endif
