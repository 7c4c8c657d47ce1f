/*
 * behaviour_sets.h - the behaviours that the tasks of a check have seen, as files of bits
 * (`pf record --behaviours`).
 *
 * Errors:  PF_IO, PF_BAD with the path.
 */
#ifndef PF_FLEET_BEHAVIOUR_SETS_H
#define PF_FLEET_BEHAVIOUR_SETS_H

#include "status.h"

/* Adds the set in the file `from` to the one in the file `to`, which is created if it is missing.
 * All sets have the same size: if the two files differ in it, one of them is damaged or of another
 * version, and `to` stays as it is. */
PF_MUST_USE pf_status pf_behaviours_add(const char *from, const char *to, struct pf_error *e);

#endif
