/*
 * reported_findings.h - which findings the process has reported, and how often each was seen.
 *
 * Model:   one entry for each fingerprint. A race in a loop is detected again and again. So pairs
 *          of site ids that were seen before are looked up without the lock of reports, in a small
 *          cache. For a new pair the fingerprint decides whether the finding is new: the same two
 *          source positions, reached through other calling contexts, are one finding with a count.
 * Memory:  fixed tables.
 * Threads: the functions about pairs: any. The others: under the lock of reports (reporter.c).
 */
#ifndef PF_RT_REPORTED_FINDINGS_H
#define PF_RT_REPORTED_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

struct pf_reported_finding {
    uint64_t id; /* its fingerprint */
    uint64_t count;
    bool reported;   /* false: suppressed every time so far */
    bool suppressed;
};

/* The entry of this fingerprint, or a new one with count 0; NULL if all are in use. */
struct pf_reported_finding *pf_reported_find(uint64_t id);
/* Calls f for each finding that was reported and seen again. */
void pf_reported_each_repeated(void (*f)(uint64_t id, uint64_t count));
/* In a forked child: there are no findings yet. */
void pf_reported_clear(void);

/* Two accesses, by their site ids, that race; or, if `then` marks freed memory, the use and the
 * free. */
uint64_t pf_reported_pair(uint64_t now, uint64_t then);
/* True if the pair is known; counts the finding. */
bool pf_reported_count_pair(uint64_t pair);
/* Remembers that the pair belongs to the entry; NULL: to a finding that is suppressed. */
void pf_reported_remember_pair(uint64_t pair, const struct pf_reported_finding *e);
/* The pair is suppressed because of the variable in this granule. */
bool pf_reported_pair_is_hidden(uint64_t pair, uintptr_t granule);
void pf_reported_hide_pair(uint64_t pair, uintptr_t granule);

#endif
