/*
 * race_build.h - builds findings, with their threads, stacks, memory and locks: of races, from two
 * access records, of invalid accesses, and of failures of the program.
 *
 * Memory:  everything is copied into the pool, so the finding stays valid when an object is
 *          unloaded.
 * Threads: the caller holds the report lock and is inside the runtime (pf_nest).
 * Errors:  functions return NULL when the pool is out of memory.
 */
#ifndef PF_RT_RACE_BUILD_H
#define PF_RT_RACE_BUILD_H

#include "finding.h"
#include "pool.h"
#include "thread.h"

/* The fingerprint of the finding that the two access records would make. Uses no memory and no
 * system call, so that detecting a known race through another calling context is cheap. Library
 * functions that are nested more than PF_FINGERPRINT_DEPTH_MAX deep above the user's code are
 * ignored. */
#define PF_FINGERPRINT_DEPTH_MAX 64
uint64_t pf_race_fingerprint(uint64_t now, uint64_t then);
/* The arguments are those of pf_race_found; `id` is the fingerprint. The count is 1. */
struct pf_finding *pf_race_build(struct pf_pool *pool, uint64_t id, struct pf_thread *t,
                                 uintptr_t granule, uint64_t now, uint64_t then);

/* The same for an access to memory outside every live object; computes the fingerprint itself. */
struct pf_bad_access;
struct pf_finding *pf_bad_access_build(struct pf_pool *pool, const struct pf_bad_access *e);

/* The same for a failure of the program. */
struct pf_failure;
struct pf_finding *pf_failure_build(struct pf_pool *pool, const struct pf_failure *e);

#endif
