/*
 * oracle_log.h - writes the events of a run as text, for the offline oracle of the tests
 * (test/oracle).
 *
 * Model:   in oracle mode each event, log line and effect together, happens under one lock, and no
 *          check takes the fast path. So the log is a total order of what the detector did.
 * Threads: any; the caller is inside the runtime (pf_nest). Lines are buffered, and flushed at the
 *          end.
 * Errors:  if the file cannot be opened, oracle mode is off.
 */
#ifndef PF_RT_ORACLE_LOG_H
#define PF_RT_ORACLE_LOG_H

#include "rt.h"
#include "thread.h"

void pf_oracle_open(const char *path);
void pf_oracle_flush(void);

/* Only in oracle mode. */
void pf_oracle_lock(void);
void pf_oracle_unlock(void);
void pf_oracle_line(struct pf_thread *t, const char *what, uint64_t a, uint64_t b);

static inline bool pf_oracle_on(void) { return __builtin_expect(pf_rt.oracle, 0); }

/* Enclose one event: its log line and its effect. Not re-entrant. */
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
/* Logs `what` with its arguments, e.g. ("acq", object, 0). */
static inline void pf_oracle_event(struct pf_thread *t, const char *what, uintptr_t a, uintptr_t b)
{
    if (pf_oracle_on())
        pf_oracle_line(t, what, a, b);
}

#endif
