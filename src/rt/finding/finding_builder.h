/*
 * finding_builder.h - the parts of a finding: stacks, memory, names, threads.
 *
 * Memory:  everything is copied into the pool. `failed` is set when it is out of memory.
 * Threads: the caller holds the report lock and is inside the runtime (pf_nest).
 */
#ifndef PF_RT_FINDING_BUILDER_H
#define PF_RT_FINDING_BUILDER_H

#include "finding.h"
#include "pool.h"
#include "stack.h"

struct pf_finding_builder {
    struct pf_pool *pool;
    char *maps; /* text of /proc/self/maps, or NULL */
    /* set by pf_builder_begin */
    struct pf_finding *finding;
    struct pf_thread_info *threads; /* those of the finding */
    bool failed;
};
struct pf_finding_builder pf_builder_for(struct pf_pool *pool);
/* Begins a finding that was observed once, with room for this many accesses and threads. NULL: the
 * pool is out of memory. */
struct pf_finding *pf_builder_begin(struct pf_finding_builder *b, enum pf_kind kind,
                                    const char *analysis, size_t accesses, size_t threads);

/* A copy of the text; NULL for NULL. */
const char *pf_builder_text(struct pf_finding_builder *b, const char *s);
/* The stack of a site id; sets *top, unless top is NULL, to its innermost position with a copied
 * variable name. */
struct pf_backtrace pf_builder_stack(struct pf_finding_builder *b, uint32_t id,
                                     struct pf_position *top);
/* The current stack of t, with or without functions of the C library. site: as in struct
 * pf_failed_thread. */
struct pf_backtrace pf_builder_live_stack(struct pf_finding_builder *b, const struct pf_thread *t,
                                          uint32_t site, bool libc);
/* "name", or "name+0x10" for an address inside the variable; NULL if addr is not in a global
 * variable. */
const char *pf_builder_name(struct pf_finding_builder *b, uintptr_t addr);
/* The memory that addr belongs to; unchanged if it is unknown. */
void pf_builder_location(struct pf_finding_builder *b, struct pf_location *l, uintptr_t addr);
/* The locks that were held at an access. */
void pf_builder_locks(struct pf_finding_builder *b, struct pf_access *a, uint32_t lockset);
/* The stack of a site id, without a finding. */
struct pf_backtrace pf_backtrace_build(struct pf_pool *pool, uint32_t id);
/* Adds t to the threads of the finding, unless it is there. t may be NULL. */
void pf_builder_add_thread(struct pf_finding_builder *b, const struct pf_thread *t);

#endif
