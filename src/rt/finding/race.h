/*
 * race.h - from a conflict in the shadow to a finding: who, where, with which locks; once each.
 *
 * Threads: any; one lock, taken only to report. The caller is nested.
 * Errors:  a finding that cannot be written is counted (limits.h) and shows as "incomplete".
 */
#ifndef PF_RT_RACE_H
#define PF_RT_RACE_H

#include "access.h"
#include "module.h"
#include "thread.h"

/* `now` is the access being made by t, `then` an earlier, unordered, conflicting one, both as
 * statements (pf_shadow.h) of the granule at `granule`; both ids are valid and the masks overlap.
 * Never kills the target except where the user asked for it (halt_on_error). */
void pf_race_found(struct pf_thread *t, uintptr_t granule, uint64_t now, uint64_t then);

/* An access of memory that is nobody's (direct/memory/memory_error.h). */
enum pf_error_kind {
    PF_ERROR_OVERFLOW,
    PF_ERROR_AFTER_FREE,
    PF_ERROR_FREED_TWICE,
    PF_ERROR_STACK, /* outside of a variable */
    PF_ERROR_GLOBAL
};
struct pf_error_seen {
    struct pf_thread *t;
    enum pf_error_kind kind;
    uint32_t id;         /* the access */
    uintptr_t addr;
    size_t size;
    uintptr_t byte;      /* the first that is wrong */
    bool write;
    struct pf_block block; /* size 0: not known */
    uint32_t freed_at, freed_by; /* access id and thread of the free */
    struct pf_global object; /* the variable */
    const char *function; /* whose variable it is; NULL: a global one */
    uint32_t owner; /* number of the thread on whose stack it is */
};
void pf_error_found(const struct pf_error_seen *e);

/* Which thread used slot sid in epoch clk, and the interned set of locks it then held. */
struct pf_thread *pf_epoch_thread(uint32_t sid, uint32_t clk);
uint32_t pf_epoch_lockset(uint32_t sid, uint32_t clk);
/* The locks of an interned set, up to max; returns how many there are. */
size_t pf_lockset_get(uint32_t lockset, struct pf_held *out, size_t max);

/* For the program: its stack at an access id, a line of its own, another place for reports (as option
 * log_path says it), a function to be called when a finding ends it. */
void pf_race_print_stack(uint32_t id);
void pf_race_print_line(const char *head, const char *rest);
void pf_race_redirect(const char *path);
void pf_race_on_halt(void (*callback)(void));

/* After pf_options_init: opens the findings log, reads the suppressions. */
void pf_race_init(void);
/* At the end of the process: the summary line, the exit status wanted (0: leave it alone). Only the
 * first call does anything, and none in the child of vfork. */
int pf_race_summary(void);
/* Around execve: the log of this program ends, or goes on when the call came back. */
void pf_race_before_exec(void);
void pf_race_exec_failed(void);
/* In the child of fork: a findings file of its own. */
void pf_race_after_fork(void);

#endif
