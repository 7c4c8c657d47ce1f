/*
 * finding.h - one finding: accesses that should not meet as they do, and all that is known about them.
 *
 * Model:   plain data, the same in the target (built from the shadow) and in the tools (read back
 *          from a findings log). Threads are named by number, 0 is the main thread.
 * Memory:  nothing is owned; strings and arrays live in the builder's pool or in the site tables.
 *          A string may be NULL where it is not known.
 * Threads: immutable once built, but for `count`.
 */
#ifndef PF_REPORT_FINDING_H
#define PF_REPORT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_kind {
#define PF_KIND(name, json, title) PF_KIND_##name,
#include "finding.def"
#undef PF_KIND
    PF_KINDS
};
enum pf_finding_status {
#define PF_STATUS(name, json) PF_STATUS_##name,
#include "finding.def"
#undef PF_STATUS
    PF_STATUSES
};
enum pf_op {
#define PF_OP(name, json, text) PF_OP_##name,
#include "finding.def"
#undef PF_OP
    PF_OPS
};
enum pf_location_kind {
#define PF_LOCATION(name, json) PF_LOCATION_##name,
#include "finding.def"
#undef PF_LOCATION
    PF_LOCATIONS
};

/* A source position on a stack. Functions of the C library have no file. */
struct pf_place {
    const char *function, *file;
    const char *module;  /* the object file it was loaded from */
    uint32_t line, column;
    uint32_t first_line; /* where the function begins; 0: not known */
    bool folded;         /* deep recursion: this position stands for repetitions of itself too */
};

/* A stack, innermost position first. n == 0: it was lost, which the limits count. */
struct pf_trail {
    const struct pf_place *at;
    size_t n;
};

struct pf_lock {
    uintptr_t address;
    const char *name;
    bool shared; /* taken for reading */
    bool
        first; /* `taken` is where anybody took it first: where this access's thread did is not kept */
    struct pf_trail taken;
};

struct pf_access {
    uint32_t thread;
    enum pf_op op;
    uint64_t size; /* bytes */
    uintptr_t address;
    const char *variable;
    struct pf_trail trail;
    const struct pf_lock *locks;
    size_t nlocks;
};

struct pf_actor {
    uint32_t number, parent;
    const char *name;
    int64_t tid; /* of the kernel; 0: not known */
    bool running;
    struct pf_trail created;
};

struct pf_location {
    enum pf_location_kind kind;
    const char *name; /* a global's */
    const char *file; /* where a global is declared */
    uint32_t line;
    bool freed; /* the heap block is gone by now */
    uint32_t thread; /* who allocated the block, or whose stack or thread-local storage it is */
    uintptr_t address;
    uint64_t size;
    struct pf_trail trail; /* heap: the allocation; stack: where the thread is now, the memory is in
                            * the frame of one of these functions */
};

/* Where a suite has seen a finding. */
struct pf_sightings {
    uint64_t executions;
    const char *const *tests; /* their names, each once */
    size_t ntests;
};

/* How a stage of the chain saw it: free-mode runs, predictions, tries. */
struct pf_stage {
    const char *stage; /* run, record, predict, hatch, racefuzzer, tsan, ... */
    const char *analysis;
    enum pf_finding_status status;
    uint64_t count;
    struct pf_stage *next;
};

/* One step of a schedule that brings the finding about. */
struct pf_moment {
    uint32_t thread;
    const char *op; /* a word of pf_event.def, or "wants": waits for a lock for ever */
    const char *name; /* the variable, lock, thread it is about; NULL: none */
    const char *value; /* read or written there; NULL: not known */
    const char *file;
    uint32_t line;
    bool marked; /* an access of the finding */
    bool
        handed; /* from is known: the thread that wrote what is read here, or holds what is wanted */
    uint32_t from, from_line;
    const char *from_file; /* NULL: not known */
};

struct pf_finding {
    uint64_t id; /* fingerprint.h */
    enum pf_kind kind;
    enum pf_finding_status status;
    const char *analysis;
    const char *verdict; /* "class" of the contract; NULL until judged */
    const char *clip;
    const char *harm; /* what the program did wrong in the clip: died, hung; NULL: nothing */
    struct pf_access access[2]; /* of a race; the later one first */
    const struct pf_access *steps; /* of any other anomaly, in the order that makes it one */
    size_t nsteps; /* 0: a race */
    const struct pf_actor *actors;
    size_t nactors;
    struct pf_location location;
    uint64_t count;
    const struct pf_sightings *seen; /* NULL: not in a suite */
    const struct pf_moment
        *witness; /* the last steps of a schedule; the accesses come at its end */
    size_t nwitness; /* 0: none is known */
    const struct pf_moment *recorded; /* the same in the order of a recording */
    size_t nrecorded; /* 0: none is known */
    const char *recording; /* its clip; NULL: none */
    unsigned tries; /* schedules that were directed at it */
    struct pf_stage *stages; /* NULL: nobody has asked; the tools' alone */
};

const char *pf_kind_name(enum pf_kind k);
const char *pf_kind_title(enum pf_kind k); /* "data race" */
const char *pf_status_name(enum pf_finding_status s);
const char *pf_op_name(enum pf_op op);
const char *pf_location_name(enum pf_location_kind k);
/* The reverse; -1 for a word that is not in the table. */
int pf_kind_from(const char *word);
int pf_status_from(const char *word);
int pf_op_from(const char *word);
int pf_location_from(const char *word);

/* Is it in the user's sources? Not: functions of the C library (no file), and what headers of the
 * system bring in (/usr/include, /usr/lib, C++ library). */
bool pf_place_own(const struct pf_place *p);
/* The innermost own position; without one the innermost in any file, then the innermost; NULL without
 * a stack. */
const struct pf_place *pf_trail_source(const struct pf_trail *t);
static inline size_t pf_finding_naccesses(const struct pf_finding *f)
{
    return f->nsteps ? f->nsteps : 2;
}
static inline const struct pf_access *pf_finding_access(const struct pf_finding *f, size_t i)
{
    return f->nsteps ? &f->steps[i] : &f->access[i];
}
/* The number in M0, M1, ... under which this finding lists the lock at `address`. */
size_t pf_finding_lock_number(const struct pf_finding *f, uintptr_t address);
/* By number; NULL if not listed. */
const struct pf_actor *pf_finding_actor(const struct pf_finding *f, uint32_t number);

#endif
