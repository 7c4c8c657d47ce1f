/*
 * finding_group.h - groups findings that have the same cause.
 *
 * Model:   findings have the same cause if they are about the same object and the same code.
 *          The object is a variable (its name), or all heap blocks that were allocated with the
 *          same stack. The code is the set of functions that make the accesses. If an access
 *          covers a range of bytes (a copy of a struct, memcpy), only the functions of such
 *          accesses belong to the code; if there are range reads, only theirs. Copying a struct
 *          while other threads use it is one cause, whatever code uses which field. The kind does
 *          not matter: a race and an atomicity violation of one `x++` have the same cause.
 *          If the object is unknown, the code is the set of source positions instead of the
 *          functions; such a finding joins one with the same positions whose object is known.
 *          A crash, a failed assertion and a hang are groups of their own.
 * Errors:  none.
 */
#ifndef PF_FINDINGS_FINDING_GROUP_H
#define PF_FINDINGS_FINDING_GROUP_H

#include "findings.h"

/* A hash of the object; 0: it is unknown. */
uint64_t pf_finding_object(const struct pf_finding *f);
/* Sets the field `group` of every finding. */
void pf_findings_group(struct pf_findings *f);
/* Moves the members of each group next to each other: a group takes the place of its first
 * member. Requires pf_findings_group. */
void pf_findings_gather(struct pf_findings *f);
/* The index after the last member of the group that begins at `first`. Requires
 * pf_findings_gather or pf_findings_sort. */
size_t pf_findings_group_end(const struct pf_findings *f, size_t first);
/* The number of groups with at least one finding that counts. Requires pf_findings_group. */
size_t pf_findings_counted_groups(const struct pf_findings *f);

#endif
