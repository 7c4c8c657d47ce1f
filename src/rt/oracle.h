/*
 * oracle.h - the events of a run as text, for the offline oracle of the tests (test/oracle).
 *
 * Model:   in this mode the whole of every event (log line and effect) is done under one lock and
 *          no check passes quickly, so the log is a total order in which the detector worked.
 * Threads: any; the caller must be nested. Lines are written in large pieces and at the end.
 */
#ifndef PF_RT_ORACLE_H
#define PF_RT_ORACLE_H

#include "thread.h"

void pf_oracle_open(const char *path);
/* Around one event, log line and effect. Not re-entrant. */
void pf_oracle_begin(void);
void pf_oracle_end(void);
void pf_oracle_access(struct pf_thread *t, uintptr_t addr, unsigned size, bool write, bool atomic);
/* `what` and its arguments, e.g. ("acq", object, 0). */
void pf_oracle_event(struct pf_thread *t, const char *what, uintptr_t a, uintptr_t b);
void pf_oracle_flush(void);

#endif
