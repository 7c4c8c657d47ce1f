/*
 * fleet_pairs.h - the function pairs that a sampling policy has seen, across nodes
 * (docs/format/state.md).
 *
 * Model:   a node gets the merged file and the last few executions of each program: a pair is
 *          frequent if the last n executions saw it. The node returns the files of its single
 *          executions. They are added to the state folder, where the next execution merges them.
 *          On the node, executions must not be merged, because it returns single files. So the task
 *          holds the lock that merging needs.
 * Errors:  PF_IO with the path.
 */
#ifndef PF_FLEET_PAIRS_H
#define PF_FLEET_PAIRS_H

#include "status.h"
#include "vector.h"
#include <stdbool.h>

/* Copies the files that a node gets from one state folder to another. */
PF_MUST_USE pf_status pf_fleet_pairs_copy(const char *from, const char *to, struct pf_error *e);
/* Copies the executions of a node's state folder that were not sent to it. */
PF_MUST_USE pf_status pf_fleet_pairs_return(const char *sent, const char *from, const char *to,
                                            struct pf_error *e);
/* Locks the folder of the program in this state folder; the descriptor is added to `locks`. */
PF_MUST_USE pf_status pf_fleet_pairs_lock(const char *state, const char *program, pf_vec_u32 *locks,
                                          struct pf_error *e);

#endif
