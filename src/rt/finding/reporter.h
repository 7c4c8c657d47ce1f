/*
 * reporter.h - reports each finding of the process once: races, invalid accesses, failures. Also
 * the summary at the end of the process, and the requests of the program about reports.
 *
 * Memory:  findings are built in a pool and released after they were written.
 * Threads: any; one lock, taken only to report. The caller is inside the runtime (pf_nest).
 * Errors:  a finding that cannot be written is counted (limits.h) and makes the result
 *          "incomplete".
 */
#ifndef PF_RT_REPORTER_H
#define PF_RT_REPORTER_H

#include "module.h"
#include "runtime_access.h"
#include "thread.h"

/* Reports a race. `now` is the access that t makes, `then` an earlier conflicting access that did
 * not happen before it, both as access records (pf_shadow.h) of the granule at `granule`. Both site
 * ids are plain and the masks overlap. Never kills the target unless the user asked for it
 * (halt_on_error). */
void pf_race_found(struct pf_thread *t, uintptr_t granule, uint64_t now, uint64_t then);

/* An access to memory outside every live object (direct/memory/memory_error.h). */
enum pf_bad_access_kind {
    PF_BAD_ACCESS_OVERFLOW,
    PF_BAD_ACCESS_AFTER_FREE,
    PF_BAD_ACCESS_FREED_TWICE,
    PF_BAD_ACCESS_STACK, /* outside a stack variable */
    PF_BAD_ACCESS_GLOBAL,
    PF_BAD_ACCESS_AFTER_SCOPE /* freed_at, owner: the end of the scope of `object` */
};
struct pf_bad_access {
    struct pf_thread *t;
    enum pf_bad_access_kind kind;
    uint32_t id;         /* site id of the access */
    uintptr_t addr;
    size_t size;
    uintptr_t byte;      /* the first invalid byte */
    bool write;
    struct pf_block block; /* size 0: unknown */
    uint32_t freed_at, freed_by; /* site id and thread number of the free */
    uint32_t lockset, freed_lockset; /* the locks held then (lockset.h); 0: none, or unknown */
    struct pf_global object; /* the variable */
    const char *function; /* the function that the variable belongs to; NULL: a global variable */
    uint32_t owner; /* number of the thread on whose stack the variable is */
};
void pf_bad_access_found(const struct pf_bad_access *e);
/* The access `now` of t to the granule, which has the mark `then` of freed memory
 * (memory_range.c). */
struct pf_bad_access pf_bad_access_of_mark(struct pf_thread *t, uintptr_t granule, uint64_t now,
                                           uint64_t then);
/* Sets the kind, the function and the object to a stack variable, which a site of f names. */
void pf_bad_access_set_variable(struct pf_bad_access *e, enum pf_bad_access_kind kind,
                                const struct pf_func *f, uint32_t site, uintptr_t addr,
                                uint64_t size);
/* The same if the address is in a variable whose scope has ended (ended_scope.h); else false. */
bool pf_bad_access_find_scope(struct pf_bad_access *e);

/* The program failed: it died of a signal, or its threads can never continue. */
enum pf_failure_kind {
    PF_FAILURE_CRASH,
    PF_FAILURE_ASSERTION,
    PF_FAILURE_DEADLOCK,
    PF_FAILURE_HANG
};
#define PF_FAILURE_THREADS 16 /* of a deadlock or hang that are reported */
struct pf_failure {
    enum pf_failure_kind kind;
    int signal;                /* of a crash or a failed assertion */
    const char *assertion;     /* the expression that was false; NULL: unknown */
    const char *suspicious; /* why it does not count (finding.h); NULL: it counts */
    bool early_limit; /* the schedule ended a wait before its time limit */
    const char *limit; /* of a deadlock: "the time limit of ... had passed"; NULL: none */
    const struct pf_source_line *line; /* where the first thread crashed; NULL: unknown */
    size_t n;
    struct pf_failed_thread {
        const struct pf_thread *t;
        /* 1 + the site of its innermost function where it stopped; 0: where it last called */
        uint32_t site;
        uintptr_t lock; /* the lock that it wants; 0: it does not wait for a lock */
    } at[PF_FAILURE_THREADS];
};
/* The expression of the assertion that has failed; NULL: none. Set by wrap_assert.c. */
extern const char *pf_failed_assertion;
/* Reports the failure, unless the thread failed while it was reporting. The process is about to
 * end. `quiet`: only tells pf where it failed. */
void pf_failure_found(const struct pf_failure *e, bool quiet);
/* The same in free mode, for a thread that has crashed: ends the log with the finding, and prints
 * nothing. Does nothing if the thread crashed while it was reporting. */
void pf_crash_found(const struct pf_failure *e);

/* Requests of the program: print the stack of a site id; print a line; redirect reports (a value of
 * the option log_path); call a function before a finding terminates the process. */
void pf_reporter_print_stack(uint32_t id);
void pf_reporter_print_line(const char *head, const char *rest);
void pf_reporter_redirect(const char *path);
void pf_reporter_on_halt(void (*callback)(void));

struct pf_finding;
/* The finding that __tsan_on_report, the program's hook, was called with; NULL: the hook does not
 * run now. */
const struct pf_finding *pf_reporter_current(void);

/* Called after pf_options_init: opens the findings log and reads the suppressions. */
void pf_reporter_init(void);
/* Called at the end of the process: prints the summary and returns the wanted exit status (0: keep
 * the program's). Only the first call has an effect; calls in the child of vfork have none. */
int pf_reporter_summary(void);
/* For the log: how long the process waited for other threads before its end; its exit status. */
void pf_reporter_waited(uint64_t ms);
void pf_reporter_exits(int status);
/* For the log: the program has waited for a child that died of a signal (0: unknown, and it may
 * have exited). The caller is nested. */
void pf_reporter_child_died(pid_t child, int signal);
/* Before execve: ends the log of this program. After a failed execve: resumes it. */
void pf_reporter_before_exec(void);
void pf_reporter_exec_failed(void);
/* dlclose may be about to unload an object: lists the objects in the log (object_log.h). */
void pf_reporter_before_unload(void);
/* In the child of fork: starts its own findings log. */
void pf_reporter_after_fork(void);

#endif
