/*
 * finding.h - one finding: a race or another anomaly, with all that is known about its accesses.
 *
 * Model:   plain data, the same in the target (built from the shadow) and in the tools (read back
 *          from a findings log). Threads are identified by number; 0 is the main thread.
 * Memory:  a finding owns nothing; strings and arrays live in the builder's pool or in the site
 *          tables. A string is NULL where it is unknown.
 * Threads: immutable once built, except for `count`.
 */
#ifndef PF_REPORT_FINDING_H
#define PF_REPORT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_kind {
#define PF_KIND(name, json, title, suppression, option) PF_KIND_##name,
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

/* The classes of judged races, the worst first (docs/analysis/judge.md). */
enum pf_judge_class {
#define PF_VERDICT(name, json, words) PF_JUDGED_##name,
#include "finding.def"
#undef PF_VERDICT
    PF_JUDGED_CLASSES
};

/* One frame of a stack, with its source position. Functions of the C library have no file. */
struct pf_stack_frame {
    const char *function, *file;
    /* further lines, such as "41, 45", if the compiler merged accesses of several lines; or NULL */
    const char *merged_lines;
    const char *module; /* the object file that holds the function */
    uint32_t line, column;
    uint32_t first_line; /* first line of the function; 0: unknown */
    bool folded; /* deep recursion: this frame represents several repetitions of itself */
};

/* A stack, innermost frame first. n == 0: the stack was lost, which is counted as a loss. */
struct pf_backtrace {
    const struct pf_stack_frame *at;
    size_t n;
};

struct pf_lock {
    uintptr_t address;
    const char *name;
    bool shared; /* taken for reading */
    /* `taken` is the first acquisition of the lock by any thread; where this thread acquired it
     * was not stored */
    bool first;
    struct pf_backtrace taken;
};

struct pf_access {
    uint32_t thread;
    enum pf_op op;
    uint64_t size; /* bytes */
    uintptr_t address; /* of kind ERRNO_IN_SIGNAL: the number of the signal */
    const char *variable;
    /* It is part of an access to a larger range of bytes, such as a copy of a struct, or a call of
     * memcpy; address and size may then be those of the part. */
    bool range;
    struct pf_backtrace stack;
    const struct pf_lock *locks;
    size_t nlocks;
};

struct pf_thread_info {
    uint32_t number, parent;
    const char *name;
    int64_t tid; /* kernel thread id; 0: unknown */
    bool running;
    struct pf_backtrace created;
};

struct pf_location {
    enum pf_location_kind kind;
    const char *name; /* name of a global, or of a variable on the stack */
    const char *file; /* where the variable is declared */
    uint32_t line;
    bool freed; /* the heap block has been freed since */
    /* the thread that allocated the block or opened the descriptor, or that owns the stack or
     * thread-local storage */
    uint32_t thread;
    uintptr_t address; /* of a descriptor: its number */
    uint64_t size;
    /* Heap: the allocation. Descriptor: the call that opened it. Stack: the thread's current
     * stack; the memory is in the frame of one of these functions. */
    struct pf_backtrace stack;
};

/* How often, and in which tests, a suite has seen a finding. */
struct pf_sightings {
    uint64_t executions;
    const char *const *tests; /* their names, without duplicates */
    size_t ntests;
};

/* How one stage of `pf check` saw the finding. */
struct pf_stage {
    const char *stage; /* run, record, predict, hatch, racefuzzer, tsan, ... */
    const char *analysis;
    enum pf_finding_status status;
    uint64_t count;
    struct pf_stage *next;
};

/* One step of a schedule in which the finding happens. */
struct pf_schedule_step {
    uint32_t thread;
    const char *op; /* a word of pf_event.def, or "wants": waits for a lock that it never gets */
    const char *name; /* the variable, lock or thread that it operates on; NULL: none */
    const char *value; /* the value read or written; NULL: unknown */
    const char *file;
    uint32_t line;
    bool marked; /* this step is one of the finding's accesses */
    /* another access of the same memory, before or after those of the finding */
    bool related;
    /* `from` is valid: the thread that wrote the value read here, or that holds the wanted
     * lock */
    bool has_from;
    uint32_t from, from_line;
    const char *from_file; /* NULL: unknown */
};

/* What a verdict on a race rests on (docs/analysis/judge.md). */
struct pf_judged_evidence {
    /* primary, alternate: a clip, and the steps around the accesses as text; output, printed,
     * exit, failure, state, input: a text */
    const char *kind;
    const char *text, *clip; /* NULL: none */
};
struct pf_judged {
    uint64_t k; /* of k-witness-harmless: how many runs have shown it */
    uint64_t paths, schedules; /* inputs; runs of the alternate order */
    uint64_t ms, cpu_ms; /* how long it took; CPU time of pf and of all runs */
    const char *memory; /* the memory model: sc, tso or weak */
    const char *reason; /* one sentence */
    bool adhoc; /* one of the accesses tests ad hoc synchronisation */
    bool incomplete; /* planned runs were left out, because the time was up */
    const struct pf_judged_evidence *evidence;
    size_t nevidence;
};

struct pf_finding {
    uint64_t id; /* fingerprint.h */
    uint64_t group; /* equal for findings with the same cause; 0: not grouped (finding_group.h) */
    enum pf_kind kind;
    enum pf_finding_status status;
    const char *analysis;
    const char *verdict; /* JSON field "class", a word of finding.def; NULL until judged */
    const struct pf_judged *judged; /* NULL until judged */
    const char *clip;
    /* of a race that needs another input than the given one: the folder with that input, and the
     * command that uses it; NULL: none */
    const char *input, *command;
    const char *child; /* path of the forked child in which it happens, "2.1"; NULL: not known */
    const char *harm; /* what the program did wrong in the clip: crashed, hung; NULL: nothing */
    int signal; /* of a crash: the signal that the program died of; 0: unknown */
    /* why it does not count (JSON field "counts" is false): it affects no exit status, and is
     * reported after all others; NULL: it counts */
    const char *suspicious;
    /* why it is not confirmed although a run showed it; NULL: unknown, or it is confirmed */
    const char *unconfirmed;
    /* In the order in which they form the finding; of a pair (pf_finding_is_pair), the later one
     * first. There may be none. */
    struct pf_access *accesses;
    size_t naccesses;
    const struct pf_thread_info *threads;
    size_t nthreads;
    struct pf_location location;
    /* of a race: the call in which the thread of the first access slept last, if the other access
     * happened before that sleep ended. Then only the sleep seems to order the two. n == 0: none */
    struct pf_backtrace sleep;
    uint64_t count;
    const struct pf_sightings *seen; /* NULL: not from a suite */
    /* the last steps of a schedule up to the accesses, and later uses of the same memory */
    const struct pf_schedule_step *witness;
    size_t nwitness; /* 0: no schedule is known */
    const struct pf_schedule_step *recorded; /* the last steps in the order of the recording */
    size_t nrecorded; /* 0: unknown */
    const char *recording; /* path of that recording's clip; NULL: none */
    unsigned tries; /* number of schedules that were tried to make it happen */
    struct pf_stage *stages; /* NULL: unknown; used by the tools only */
};

const char *pf_kind_name(enum pf_kind k);
const char *pf_kind_title(enum pf_kind k); /* "data race" */
/* The same for a finding: a deadlock that no run has shown is a "lock-order-inversion", a race with
 * an earlier free is a "heap-use-after-free". */
const char *pf_finding_kind_title(const struct pf_finding *f);
const char *pf_finding_status_name(enum pf_finding_status s);
const char *pf_op_name(enum pf_op op);
const char *pf_location_name(enum pf_location_kind k);
const char *pf_judge_class_name(enum pf_judge_class c);
/* The reverse; -1 if the word is not in the table. */
int pf_judge_class_from(const char *word);
int pf_kind_from(const char *word);
int pf_finding_status_from(const char *word);
int pf_op_from(const char *word);
int pf_location_from(const char *word);

/* The more certain one of two statuses: confirmed, then observed, then predicted. */
enum pf_finding_status pf_finding_surer(enum pf_finding_status a, enum pf_finding_status b);

/* True for races between accesses: to memory, to the vtable pointer of an object, to an object that
 * a library announces, or to a file descriptor. */
static inline bool pf_kind_is_race(enum pf_kind k)
{
    return k == PF_KIND_RACE || k == PF_KIND_VPTR_RACE || k == PF_KIND_EXTERNAL_RACE ||
           k == PF_KIND_DESCRIPTOR_RACE;
}
/* True for crash, failed assertion and hang: failures that are not about a piece of memory. */
static inline bool pf_kind_is_failure(enum pf_kind k)
{
    return k == PF_KIND_CRASH || k == PF_KIND_ASSERTION || k == PF_KIND_HANG;
}
/* True for wrong accesses to memory: the last access is the wrong one, the first explains it. */
static inline bool pf_kind_is_memory_error(enum pf_kind k)
{
    return k >= PF_KIND_HEAP_OVERFLOW && k <= PF_KIND_GLOBAL_OVERFLOW;
}
/* The option that pf replay needs to show a finding of this kind: only a watched replay checks
 * accesses. */
static inline const char *pf_kind_replay_option(enum pf_kind k)
{
    return pf_kind_is_memory_error(k) ? "--watch " : "";
}
/* True for the misuse of locks and threads: the first access is the wrong operation, the others are
 * earlier ones that explain it. */
static inline bool pf_kind_is_misuse(enum pf_kind k) { return k >= PF_KIND_MUTEX_DESTROY_LOCKED; }
/* True for a cycle in the order in which locks were taken in free mode: a deadlock that no run has
 * shown. Each access takes a lock while it holds one other, which the previous access takes. */
bool pf_finding_is_lock_order(const struct pf_finding *f);
/* True if it has a class, and more time would not have made a difference. */
bool pf_finding_is_judged(const struct pf_finding *f);
/* The class of a finding, for sorting and exit statuses. If it is not judged: findings with harm,
 * failures and memory errors count as spec-violated, all others as undecided. */
enum pf_judge_class pf_finding_class(const struct pf_finding *f);
/* True if the frame is in the user's sources: not in the C library (no file), and not in a
 * header of the system or of the C++ library (/usr/include, /usr/lib, include/c++). */
bool pf_stack_frame_is_user(const struct pf_stack_frame *p);
/* The frame to show for a stack: the innermost one in the user's sources, else the innermost one
 * that has a file, else the innermost one; NULL for an empty stack. */
const struct pf_stack_frame *pf_backtrace_source(const struct pf_backtrace *t);
/* True for a race between two accesses. They have no order of their own: reports and fingerprints
 * do not depend on which one came first. */
static inline bool pf_finding_is_pair(const struct pf_finding *f)
{
    return pf_kind_is_race(f->kind) && f->naccesses == 2;
}
/* Access number i in the order of the text report, where the later one of two accesses comes
 * first. */
static inline const struct pf_access *pf_finding_shown(const struct pf_finding *f, size_t i)
{
    return &f->accesses[pf_kind_is_memory_error(f->kind) ? f->naccesses - 1 - i : i];
}
/* The stack to show or match first: that of the first access that has one; NULL if none has. */
const struct pf_backtrace *pf_finding_stack(const struct pf_finding *f);
/* The index i under which this finding lists the lock at `address` as Mi. */
size_t pf_finding_lock_number(const struct pf_finding *f, uintptr_t address);
/* The name of a variable as in the source, for its symbol: n for the static variable "f.n" or
 * "f()::n" of the function f, and for "n.12". NULL if the symbol is NULL or memory runs out. */
struct pf_pool;
const char *pf_source_name(struct pf_pool *pool, const char *symbol);
/* The thread with this number; NULL if the finding does not list it. */
const struct pf_thread_info *pf_finding_thread(const struct pf_finding *f, uint32_t number);

#endif
