/*
 * oracle_log.h - the events of a run as text, for the offline oracle of the tests (test/oracle).
 *
 * Model:   in this mode the whole of every event (log line and effect) is done under one lock and
 *          no check passes quickly, so the log is a total order in which the detector worked.
 * Threads: any; the caller must be nested. Lines are written in large pieces and at the end.
 */
#ifndef PF_RT_ORACLE_H
#define PF_RT_ORACLE_H

#include "rt.h"
#include "thread.h"

void pf_oracle_open(const char *path);
void pf_oracle_flush(void);

/* In this mode only. */
void pf_oracle_lock(void);
void pf_oracle_unlock(void);
void pf_oracle_line(struct pf_thread *t, const char *what, uint64_t a, uint64_t b);

static inline bool pf_oracle_on(void) { return __builtin_expect(pf_rt.oracle, 0); }

/* Around one event, log line and effect. Not re-entrant. */
static inline void pf_oracle_begin(void)
{
    if (pf_oracle_on())
        pf_oracle_lock();
}
static inline void pf_oracle_end(void)
{
    if (pf_oracle_on())
        pf_oracle_unlock();
}
static inline void pf_oracle_access(struct pf_thread *t, uintptr_t addr, unsigned size, bool write,
                                    bool atomic)
{
    if (pf_oracle_on())
        pf_oracle_line(t, atomic ? write ? "aw" : "ar" : write ? "w" : "r", addr, size);
}
/* `what` and its arguments, e.g. ("acq", object, 0). */
static inline void pf_oracle_event(struct pf_thread *t, const char *what, uintptr_t a, uintptr_t b)
{
    if (pf_oracle_on())
        pf_oracle_line(t, what, a, b);
}

#endif
