/*
 * reach_events.h - the events of recorded code, as the sets of reach_kept.h want to know them: which words become pointers,
 * which pointers are read in callbacks, which blocks come and go.
 *
 * Threads: the target's one kernel thread. Only while pf_kept_any.
 */
#ifndef PF_RT_REACH_EVENTS_H
#define PF_RT_REACH_EVENTS_H

#include "reach_kept.h"
#include "tracer.h"

/* A plain access of at most 8 bytes; its memory holds what was there before, or the value already. */
void pf_kept_access(uint64_t addr, uint64_t size, bool write, uint64_t value);
void pf_kept_event(const struct pf_traced *e);

#endif
