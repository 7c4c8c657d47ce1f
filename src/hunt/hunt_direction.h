/*
 * hunt_direction.h - what a condition of a path stands for, in all runs: a direction of a branch,
 * its count in the run, its thread.
 *
 * Model:   hashes; equal ones are taken as the same.
 */
#ifndef PF_HUNT_DIRECTION_H
#define PF_HUNT_DIRECTION_H

#include "expression_log.h"
#include "hash_map.h"
#include "hunt_paths.h"

/* The direction of a branch: its site, alternative and value. */
uint64_t pf_hunt_direction(const struct pf_expression_log *log, const struct pf_log_condition *c,
                           bool holds);
/* The direction, and how often the run has taken it so far: a loop that compares one byte more is
 * progress. */
uint64_t pf_hunt_branch(uint64_t direction, uint32_t count);
/* The direction with its thread; T3 and all later threads count as one. 0 for an assumption. */
uint64_t pf_hunt_own(uint64_t direction, const struct pf_log_condition *c);
/* Counts the direction; returns the new count. */
uint32_t pf_hunt_count(struct pf_hash_map *counts, uint64_t direction);
/* The first condition of the thread after the event; the last condition if there is none. */
uint32_t pf_hunt_condition_after(const struct pf_expression_log *log, struct pf_hunt_event event);

#endif
