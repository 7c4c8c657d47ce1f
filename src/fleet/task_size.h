/*
 * task_size.h - how much work a task of a fleet gets, from measured times.
 *
 * Model:   a task should take PF_FLEET_TARGET_MS, and not less than half of it, so that its start
 *          costs little. If there is less work than that for every task that can run, it is divided
 *          evenly, so that every node gets a part. Towards the end, tasks become shorter, down to
 *          half of PF_FLEET_TARGET_MS, so that no node works long after the others.
 */
#ifndef PF_FLEET_TASK_SIZE_H
#define PF_FLEET_TASK_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* How long the next task should take. all_ms, left_ms: time of all the work, and of the work that
 * no task has yet; tasks: how many tasks wait or run at the same time. */
uint64_t pf_task_target(uint64_t all_ms, uint64_t left_ms, uint64_t tasks);
/* True if a task that takes sum_ms so far also gets a unit of next_ms. */
bool pf_task_takes(uint64_t sum_ms, uint64_t next_ms, uint64_t target_ms);
/* How many units of the same length the next task gets, at least 1. ms: the measured time of
 * `done` units. all, left: numbers of units. */
uint64_t pf_task_units(uint64_t ms, uint64_t done, uint64_t all, uint64_t left, uint64_t tasks);

#endif
