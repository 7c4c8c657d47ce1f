/*
 * race_events.h - finds the two accesses of a race in the trace of a recording.
 *
 * Model:   by their numbers, T1:137 and T2:40, as in the description of a clip; or by their
 *          positions in the source, as in a finding: of all pairs of conflicting accesses at these
 *          positions that nothing orders, the pair that is closest together.
 * Errors:  false, with a reason, if the trace does not contain them.
 */
#ifndef PF_JUDGE_RACE_EVENTS_H
#define PF_JUDGE_RACE_EVENTS_H

#include "finding.h"
#include "trace.h"

/* Parses "T1:137<T2:40", or with a comma instead of the '<'. Sets *a and *b to the events; a comes
 * first in the trace. */
bool pf_race_events_named(const struct pf_trace *t, const char *text, uint32_t *a, uint32_t *b,
                          char *why, size_t room);
bool pf_race_events_at(const struct pf_trace *t, const struct pf_finding *f, uint32_t *a,
                       uint32_t *b, char *why, size_t room);
/* The access with this number in its thread; PF_NONE: none. */
uint32_t pf_race_events_numbered(const struct pf_trace *t, uint32_t thread, uint64_t number);

#endif
