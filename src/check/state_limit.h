/*
 * state_limit.h - keeps the checks of a state folder below a size (pf check --keep).
 *
 * Model:   recordings that no finding refers to, as its clip or as its recording, are removed:
 *          those of the oldest check first, in the order of their steps. Everything else stays,
 *          even if it is larger than the limit. A check that another process works on stays whole.
 * Errors:  none: what cannot be read or removed stays.
 */
#ifndef PF_CHECK_STATE_LIMIT_H
#define PF_CHECK_STATE_LIMIT_H

#include "check_folder.h"

#define PF_STATE_LIMIT_DEFAULT (1ull << 30)

/* Removes recordings until the checks in the state folder of `own` take at most `most` bytes. Of
 * `own` itself, recordings of the steps from `from` on stay, because they are still in use. */
void pf_state_limit(const struct pf_check_folder *own, uint64_t from, uint64_t most);
/* Parses a size such as 500M, 2G, 64K or a number of bytes. False: it is not one, or too large. */
bool pf_state_limit_parse(const char *text, uint64_t *bytes);

#endif
