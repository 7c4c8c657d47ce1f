/*
 * race_build.h - two statements of the shadow as a finding: who, where, what memory, which locks.
 *
 * Memory:  everything is copied into the pool, so the finding stays whole when an object is unloaded.
 * Threads: the caller holds the report lock and is nested.
 * Errors:  NULL when the pool is out of memory.
 */
#ifndef PF_RT_RACE_BUILD_H
#define PF_RT_RACE_BUILD_H

#include "finding.h"
#include "pool.h"
#include "thread.h"

/* The fingerprint of the finding that the two statements would make: no memory, no system call, so
 * that a race that is found again on another way costs little. Library functions nested deeper than
 * PF_GLANCE_MAX above the user's own code do not count any more. */
#define PF_GLANCE_MAX 64
uint64_t pf_race_fingerprint(uint64_t now, uint64_t then);
/* As pf_race_found; `id` is its fingerprint. The count is 1. */
struct pf_finding *pf_race_build(struct pf_pool *pool, uint64_t id, struct pf_thread *t,
                                 uintptr_t granule, uint64_t now, uint64_t then);

/* The same of an access of memory that is nobody's; its fingerprint is in it. */
struct pf_error_seen;
struct pf_finding *pf_error_build(struct pf_pool *pool, const struct pf_error_seen *e);

/* The stack of an access id. */
struct pf_trail pf_trail_build(struct pf_pool *pool, uint32_t id);

/* A file of /proc with its length; NULL when it cannot be read. A 0 stands behind it. */
char *pf_proc_read(struct pf_pool *pool, const char *path, size_t *size);

#endif
