/*
 * channel.h - the memory shared by `pf` and a directed target: settings, streams, outcome.
 *
 * Model:   one memfd. It begins with struct pf_channel, padded to whole pages; each stream then has
 *          its own part. A stream that the target writes is a ring of bytes: the target advances
 *          `head`, pf advances `tail`, and the bytes in between have not been taken yet. Because pf
 *          maps the same memory, every byte that the target has put survives even if the target is
 *          killed at the next instruction. A stream that the target reads is stored in full, from
 *          byte 0 to `head`.
 * Memory:  pf creates the memfd and passes its descriptor to the target (PF_CLIP is set). The
 *          target maps it at fixed addresses, so that addresses are the same in every run. A ring
 *          is mapped twice in a row, so that a piece that wraps around the end is still contiguous.
 * Threads: one writer (the target's only kernel thread), one reader (pf's recorder thread).
 * Errors:  a target without PF_CLIP runs in free mode. If pf dies, the target writes the bytes that
 *          are left to the clip itself and exits (src/rt/direct/orphan.h).
 *
 * The runtime includes this header, so nothing here may need a library.
 */
#ifndef PF_CLIP_CHANNEL_H
#define PF_CLIP_CHANNEL_H

#include <stdint.h>

#define PF_CHANNEL_ENV "PF_CLIP"
/* descriptor number in the target; high, so that programs do not use it */
#define PF_CHANNEL_FD 987
/* A program that is not linked with the runtime gets it as a shared object, passed on this
 * descriptor. */
#define PF_PRELOAD_FD 986
#define PF_PRELOAD_KEY "LD_PRELOAD="
#define PF_PRELOAD_PATH "/proc/self/fd/986"
#define PF_CHANNEL_MAGIC 0x6c656e6e61684350ull
/* CMakeLists.txt defines PF_CHANNEL_VERSION as a hash of this file, so that a target built with
 * another version of the layout is detected. */
#ifndef PF_CHANNEL_VERSION
#error "PF_CHANNEL_VERSION: to be defined by the build"
#endif

/* Where the target maps the channel: the header, then 128 GB of address space for each stream. */
#define PF_CHANNEL_BASE 0x162000000000ull
#define PF_CHANNEL_STRIDE (1ull << 37)

/* The streams of a recording: PF_STREAM(NAME, log2 of the ring size, chunk size in bytes). */
#define PF_STREAM_LIST(PF_STREAM)                                                                  \
    PF_STREAM(SCHEDULE, 20, 1 << 16)                                                               \
    PF_STREAM(INPUT, 22, 1 << 17)                                                                  \
    PF_STREAM(OUTPUT, 20, 1 << 16)                                                                 \
    PF_STREAM(EVENT, 22, 1 << 18)                                                                  \
    PF_STREAM(ADDRESS, 22, 1 << 18)                                                                \
    PF_STREAM(VALUE, 22, 1 << 18)                                                                  \
    PF_STREAM(NAME, 20, 1 << 16)                                                                   \
    PF_STREAM(ENVIRONMENT, 20, 1 << 16)                                                            \
    PF_STREAM(MEMORY, 20, 1 << 16)                                                                 \
    PF_STREAM(SYMBOLIC, 24, 1 << 20)

enum pf_stream {
#define PF_STREAM(name, bits, chunk) PF_STREAM_##name,
    PF_STREAM_LIST(PF_STREAM)
#undef PF_STREAM
        PF_STREAMS
};

/* The streams of a trace: every event with its value. A replay can produce them again. */
#define PF_STREAM_IS_EVENTS(s) ((s) >= PF_STREAM_EVENT && (s) <= PF_STREAM_NAME)

/* Where a clip has the value of an environment variable. A clip contains only values that a replay
 * may need; the others are replaced by filler of the same length, which keeps the stack in
 * place. */
enum pf_environment_value {
    PF_ENVIRONMENT_STORED, /* in the description of the run */
    PF_ENVIRONMENT_READ, /* in PF_STREAM_ENVIRONMENT, if the target read it */
    PF_ENVIRONMENT_WITHHELD, /* nowhere, even if the target read it: the user wants that */
    PF_ENVIRONMENT_UNKNOWN, /* of a run made from a clip: the clip does not contain it */
};
#define PF_ENVIRONMENT_WAS_READ 0x80 /* set by the target in pf_channel.environment */
#define PF_ENVIRONMENT_MAX 8192 /* variables that can be described */
/* An entry of PF_STREAM_ENVIRONMENT; `length` bytes follow: the value. */
struct pf_environment_entry {
    uint32_t variable; /* its position in the environment */
    uint32_t length;
};

/* Which values a read may return (docs/analysis/memory-models.md). */
enum pf_memory_model {
    PF_MEMORY_SC, /* the newest write */
    PF_MEMORY_TSO, /* each thread has a store buffer */
    PF_MEMORY_WEAK, /* any write that is not overwritten in happens-before */
    PF_MEMORY_MODELS
};
struct pf_memory_settings {
    uint32_t model; /* enum pf_memory_model */
    /* WEAK: a thread that reads a variable again gets the same value until the variable is written
     * (as in the paper that judge.h names, with --as-paper) */
    uint32_t bound;
    /* only reads of this memory may differ from sequential consistency; size 0: all */
    uint64_t address, size;
};
/* A record of PF_STREAM_MEMORY: one choice of a run. Choice 0 is what a sequentially consistent
 * run does. */
struct pf_memory_choice {
    uint32_t thread; /* in order of creation; 0 is main */
    uint16_t options, chosen;
    uint64_t event; /* number of events of the thread, including the one that chooses */
};
#define PF_MEMORY_CHOICES 256 /* most choices that a continuation is given */

enum pf_direct_mode { PF_DIRECT_OFF, PF_DIRECT_RECORD, PF_DIRECT_REPLAY };

enum pf_ring_use { PF_RING_OFF, PF_RING_WRITE, PF_RING_READ };

struct pf_ring {
    uint32_t use;
    uint32_t reserved;
    uint64_t offset; /* of the first byte in the memfd; a multiple of the page size */
    uint64_t size; /* of a written stream: a power of two; of a read stream: whole pages */
    uint64_t chunk; /* of a written stream: wake the reader once this many bytes are available */
    uint64_t head __attribute__((aligned(64))); /* bytes put so far */
    uint64_t tail __attribute__((aligned(64))); /* of a written stream: bytes taken so far */
};

/* How the run ended, as the runtime saw it. The exit status comes from the kernel instead. */
enum pf_outcome {
    PF_OUTCOME_NONE, /* nothing reported: the target exited by itself or was killed */
    PF_OUTCOME_DIVERGED, /* it did not follow its recording; `text` names the first difference */
    PF_OUTCOME_DEADLOCK, /* no thread can ever run again; `text` lists what each one waits for */
    PF_OUTCOME_HANG, /* no progress; `text` names the location of the spin loop */
    PF_OUTCOME_LOST, /* something could not be recorded, so a replay may diverge */
    PF_OUTCOME_STOPPED, /* it reached the requested position */
    PF_OUTCOME_INFEASIBLE, /* the requested order cannot happen; `text` gives the reason */
};

/* What a fuzzing policy (fuzz_policy_text.h) or a plan reached: the accesses of the first
 * occurrence, in the order in which they were performed. */
#define PF_REACHED_MAX 12
struct pf_reached_access {
    uint32_t thread; /* in order of creation; 0 is main */
    /* which location of the policy's text, or which of the events that the plan queries */
    uint8_t step;
    uint8_t write;
    uint16_t reserved;
    /* for a plan: the source position; `file` is a hash, see pf_reached_file */
    uint32_t line, file;
    uint64_t event; /* the event's number in its thread, from 1, as `pf dump` prints it */
    uint64_t address, size;
    uint64_t when; /* how many events of all threads came before it */
};
struct pf_reached {
    uint32_t asked; /* 0: neither a fuzzing policy nor a plan query is active */
    uint32_t times, n, reserved;
    struct pf_reached_access at[PF_REACHED_MAX];
};

static inline uint32_t pf_reached_file(const char *path)
{
    uint32_t h = 2166136261u;
    for (; path && *path; path++)
        h = (h ^ (unsigned char)*path) * 16777619u;
    return h;
}

/* The first difference between a run and the recording or the plan that it follows. */
#define PF_NO_THREAD 0xffffffffu
struct pf_divergence {
    uint32_t diverged; /* 0: it did not diverge, and the rest is unused */
    uint32_t thread; /* in order of creation; PF_NO_THREAD: unknown */
    uint64_t event; /* how many events the thread had performed */
    char what[96]; /* what differs */
    uint64_t expected, got;
    char expected_word[48], got_word[96]; /* instead of the numbers; empty: none */
    /* the thread's position in the source; line 0: unknown */
    char function[96], file[256];
    uint32_t line;
    uint32_t value_missing; /* it needs a value of the environment that the clip does not contain */
    uint32_t not_private; /* a private run cannot make the call */
};

/* The order of two accesses that a continuation enforces (src/rt/direct/schedule/access_order.h).
 * An access is named by its thread, its position in the source and its memory; not by its number,
 * which depends on how often a thread spins. */
struct pf_ordered_access {
    uint32_t thread; /* in order of creation; 0 is main */
    uint32_t file; /* pf_reached_file of its path */
    uint32_t line, column; /* column 0: any */
    uint64_t address, size;
    uint32_t write;
    uint32_t called; /* an interposed function makes the access: its memory is unknown before */
};
/* The file NUMBER.order in `folder`. */
struct pf_order_request {
    struct pf_ordered_access access[2]; /* in the wanted order */
    uint32_t hold_at_once; /* hold the thread of the second access from the start */
    /* not 0: both threads are held until both are about to perform their accesses; the value is 1 +
     * the index of the access that is reached last. 0: only the thread of the second access is
     * held. */
    uint32_t together;
    uint64_t patience; /* most events for which it is held */
    uint64_t limit; /* most events of the continuation; 0: no limit */
    uint64_t other_clock; /* not 0: its clocks are ahead and run faster; it cannot be replayed */
    /* the policy after the first access, from where the plan (NUMBER.plan) can no longer be
     * followed */
    char policy[64];
    /* its first choices of memory contents; the others are 0 */
    uint32_t nchoices, choices_reserved;
    uint8_t choice[PF_MEMORY_CHOICES];
};
/* Why the wanted order could not be enforced. */
enum pf_order_obstacle {
    PF_ORDER_FREE, /* nothing prevented it */
    PF_ORDER_LOCK, /* the thread of the first access waits for a lock of the held thread */
    PF_ORDER_WAIT, /* it waits for something else, and no other thread can run */
    PF_ORDER_EXTERNAL, /* it waits for something outside the program */
    PF_ORDER_SPIN, /* it can run, but does not arrive */
    PF_ORDER_ENDED, /* it has ended */
    PF_ORDER_EXIT, /* the program is about to end */
    PF_ORDER_UNBORN, /* it does not exist yet, and no thread that could create it can run */
};
struct pf_order_outcome {
    uint32_t obstacle; /* enum pf_order_obstacle */
    uint32_t reversed; /* the second access happened first */
    uint32_t limited; /* the continuation was ended after `limit` events */
    uint32_t left_plan; /* its schedule plan could not be followed to the end */
    /* numbers of the two accesses in their threads, from 1; 0: it did not happen */
    uint64_t happened[2];
    uint64_t lock; /* of obstacle LOCK: its address */
    /* when the held thread was released without success: how many events the thread of the first
     * access had performed */
    uint64_t released;
    uint64_t events; /* of all threads since the checkpoint */
};

/* How one of several continuations from a checkpoint ended. */
#define PF_CONTINUATIONS 256
/* What failed, and where: the innermost position in the source of the program. */
struct pf_failure_site {
    uint32_t kind; /* enum pf_finding_kind */
    uint32_t file; /* a hash, see pf_reached_file */
    uint32_t line, column; /* 0: unknown */
};

struct pf_continuation {
    uint32_t done; /* it was started and has ended */
    int32_t wait; /* status as from wait(2) */
    /* PF_OUTCOME_HANG if the process at the checkpoint ended it at its time limit, else NONE; what
     * the continuation itself reported is in `reported` */
    uint32_t outcome;
    uint32_t reported; /* the outcome in its log */
    uint32_t kept; /* its log was kept */
    /* it has memory mapped with MAP_SHARED, or descriptors other than files, which it shares with
     * the process it was copied from, and so with the other continuations */
    uint32_t shares;
    uint32_t behaviours; /* how many behaviours it was the first to show */
    uint32_t forgotten; /* how often the memory model has forgotten values */
    uint64_t events; /* of all threads, since the start of the run */
    uint64_t copied; /* nanoseconds that copying the process took */
    uint64_t took; /* nanoseconds until it ended */
    uint32_t errors; /* memory errors since the copy; `error` is the first one, as one line */
    char error[256];
    char failure[512]; /* where the program failed: a thread and its stack, as one line */
    struct pf_failure_site failed_at; /* of the first memory error; without one, of the failure */
    struct pf_reached reached;
    struct pf_divergence divergence;
    struct pf_order_outcome order;
};

/* Bits for the behaviours (rt/direct/trace/behaviour.h) that continuations have shown. */
#define PF_BEHAVIOURS (1u << 18)

/* Which continuations are kept. NEWS: those that failed or have shown a new behaviour. */
enum pf_keep { PF_KEEP_ALL, PF_KEEP_NEWS };

/* One step of a plan: `thread` runs until it has done `until` events. These values of `thread` have
 * another meaning:
 *     FORK   start a continuation with number `until`; it follows the file NUMBER.plan in `folder`
 *     LEAVE  wait for all continuations, then end the run
 *     ASK    only before all other steps: store event `until` of thread `asked` in pf_reached
 *     SERVE  stay here and run copies of the process on request (struct pf_resident)
 *     FIRST  thread `asked` is the next one that a signal of its condition variable wakes
 *     EXPIRE the wait of thread `asked` times out, if it has a time limit */
enum {
    PF_PLAN_FORK = 0xffffffffu,
    PF_PLAN_LEAVE = 0xfffffffeu,
    PF_PLAN_ASK = 0xfffffffdu,
    PF_PLAN_SERVE = 0xfffffffcu,
    PF_PLAN_FIRST = 0xfffffffbu,
    PF_PLAN_EXPIRE = 0xfffffffau
};
#define PF_PLAN_END UINT64_MAX /* until the thread has ended */
struct pf_schedule_plan_step {
    uint32_t thread; /* in order of creation; 0 is main */
    /* ASK, FIRST and EXPIRE: the thread. Of other steps: 1 if the thread then runs on up to its
     * next event, without performing it. It thereby ends a wait in the middle of an operation. */
    uint32_t asked;
    uint64_t until;
};

/* A continuation, or a forked child, writes its streams directly to a file: first, for each stream,
 * how many bytes the run had put before the process was copied (a u64 each); then pieces, each of
 * which is this header and n bytes. Stream number PF_STREAMS means the outcome: one byte (enum
 * pf_outcome), then its text. */
struct pf_piece {
    uint32_t stream, n;
};

/* A resident target stops at a checkpoint and runs a copy of itself whenever pf asks for one. For
 * parallel runs it first makes further resident processes, which are copies of it. Each resident
 * process has its own channel, the file `lane`, which is a copy of the first channel. pf makes
 * its requests there. A copy writes to the channel of its resident process, and follows the plan of
 * that process. */
#define PF_RESIDENT_MAX 16
#define PF_RESIDENT_STEPS (1u << 20) /* most steps of a plan */
#define PF_HOT_MAX 256
struct pf_page_range {
    uint64_t start, end;
};
struct pf_resident {
    char lane[PF_RESIDENT_MAX][48], plan[PF_RESIDENT_MAX][48]; /* paths of the files */
    char answers[48]; /* (answer_table.h) */
    uint32_t ready; /* the target has reached the checkpoint */
    uint32_t go; /* pf has made the files */
    uint32_t jobs; /* resident processes; pf may have asked for more */
    uint32_t steps; /* of the plan */
    int32_t pid; /* of the copy that runs; 0: none */
    int32_t wait; /* status of the last run, as from wait(2) */
    uint32_t copies, rewound; /* copies made so far; runs after which one was rewound (rewind.h) */
    uint32_t nhot;
    struct pf_page_range hot[PF_HOT_MAX]; /* pages that copies write (hot_pages.h) */
    uint32_t used_up; /* the last copy has changed what the copies share (shared_state.h) */
    uint32_t asked __attribute__((aligned(64))); /* runs requested so far; pf adds 1 */
    uint32_t taken; /* requests that a copy has taken */
    uint32_t ended; /* runs that have ended; the target adds 1 */
};
#define PF_RESIDENT_LEAVE UINT32_MAX /* as `asked`: end the target */

/* A thread that had not ended when the run of a copy ended. */
#define PF_BLOCKED_MAX 64
enum pf_blocked_how { PF_BLOCKED_RUNS, PF_BLOCKED_WAITS, PF_BLOCKED_ENDS /* the process */ };
struct pf_blocked {
    uint32_t thread; /* in order of creation; 0 is main */
    uint32_t waits; /* enum pf_blocked_how */
    uint64_t event; /* number of its events, including the one in which it waits */
    uint64_t object; /* address of the futex that it waits for; 0: it waits for something else */
    char function[32]; /* the interposed function that it is in; empty: none */
    uint64_t expired; /* 1: it waited for a condition variable, and the wait has timed out */
};
/* Interposed functions that a copy called and that are not explored (pf_explored.def). */
#define PF_UNEXPLORED_MAX 16
/* System calls of a copy: those whose answers came from outside and may differ in other copies, and
 * those in which the copy waited for something outside (PF_LIVE_WAITS is added to the number). */
#define PF_LIVE_MAX 16
#define PF_LIVE_WAITS 0x8000

/* A process that the program forked, or that such a process forked. Its path is the list of fork
 * numbers that lead to it: 2.1 is the first process that the program's second child forked. */
#define PF_FORKED_MAX 4096 /* processes of one recording; later ones are not recorded */
#define PF_FORKED_DEPTH 16 /* length of a path */
#define PF_FORKED_SUFFIX ".child-" /* the clip of process 2.1 of FILE is FILE.child-2.1 */
#define PF_FORKED_PIECES ".pieces-" /* while it runs, entry N records into FILE.pieces-N */
struct pf_forked {
    uint32_t pid; /* 0: the entry is not used */
    uint32_t parent; /* 1 + its parent's entry; 0: the process that pf started */
    uint32_t number; /* counts the forks of its parent, from 1 */
    uint32_t attached; /* it records; otherwise it runs undirected */
    uint32_t executed; /* it executed another program */
    uint32_t ended; /* `wait` is its status as from wait(2) */
    int32_t wait;
    uint32_t errors; /* memory errors */
    uint32_t threads; /* threads that it has created */
};

/* The state of a thread outside of shared memory when it performed an event (local_state.h). */
#define PF_LOCAL_STATES 8192
struct pf_local_state {
    uint32_t thread, event;
    uint64_t hash;
};

struct pf_channel {
    uint64_t magic;
    uint32_t version, mode; /* mode: enum pf_direct_mode */
    uint32_t abi; /* PF_ABI_VERSION of pf */
    uint32_t tracing; /* record every event with its value */
    uint32_t pf; /* pid of pf, the parent process */
    uint32_t owner; /* pid of the target once it has attached; 0 before */
    uint32_t watch; /* check every access for memory errors */
    uint32_t symbolic; /* record: write the expression log (pf_symbolic.h) */
    char inputs[8192]; /* of a symbolic run: one SPEC of --input per line */
    uint32_t errors; /* memory errors found; `error` is the first one, as one line */
    char error[256];
    char failure[512]; /* where the program failed: a thread and its stack, as one line */
    char findings[512]; /* folder for the findings log; empty: none */
    /* where compiled event bodies are cached, and the program that compiles them */
    char bodies_folder[512], bodies_tool[512];
    uint32_t quiet; /* replay: compare the target's output, but do not show it */
    uint32_t unshown; /* replay: errno of the first output that could not be shown; 0: none */
    /* replay: if `output_wanted`, the stack that writes byte number `output_at` to descriptor
     * `output_fd` is stored in `output_stack`, one line for each function, and what the same call
     * writes from there on in `output_bytes` */
    uint32_t output_wanted;
    int32_t output_fd;
    uint64_t output_at;
    char output_stack[2048];
    uint32_t output_length; /* of output_bytes */
    char output_bytes[4096];
    uint32_t outcome; /* enum pf_outcome */
    uint64_t events; /* of all threads so far */
    uint32_t threads; /* how many threads there were so far */
    uint32_t unused;
    /* how many processes the program and its children started */
    uint32_t children;
    /* of these, how many run as copies of the program, do not execute another program, and are not
     * recorded */
    uint32_t copies;
    uint32_t unwatched; /* the runtime could not map its memory, and ended the program */
    char refused[512]; /* why the runtime ended the program before it began, as one line; else "" */
    /* enum pf_environment_value of each variable, in the order of the environment */
    unsigned char environment[PF_ENVIRONMENT_MAX];
    uint32_t
        environment_passed; /* the program executed another one, perhaps with its environment */
    uint32_t executed; /* the program executed another program, which is not recorded */
    /* replay: at `until`, turn the contexts into kernel threads and wait for a debugger */
    uint32_t debug;
    /* set by the target once it has stopped for the debugger: tid of the thread that is at the
     * position */
    uint32_t stopped;
    uint32_t go; /* set by the debugger: the target may continue */
    /* the result of sched_getaffinity before pf restricted the target to one core */
    uint32_t affinity_bytes;
    unsigned char affinity[128];
    char schedule[2048]; /* the scheduling policy, such as "rr:1000" or "random:7" */
    char until[256]; /* replay: position to stop at; empty: none, or the end when debugging */
    char file[4096]; /* record: absolute path of the clip */
    char plan[512]; /* record: file of plan steps to follow first; empty: none */
    /* record: force one event before another, "T1:137<T2:40" or "T1:137<T2:40@31" */
    char flip[256];
    char at[256]; /* record: position at which continuations start; empty: none */
    uint32_t continuations; /* how many continuations */
    uint32_t jobs; /* with a plan that forks: how many continuations run in parallel */
    /* the policy of each continuation; '*' stands for `first` plus its number */
    char tail[2048];
    uint32_t first;
    uint32_t keep; /* enum pf_keep */
    uint32_t covers; /* count the behaviours of continuations */
    uint32_t allow_outside; /* continuations may use connections to other processes */
    uint64_t each_ns; /* time limit of a continuation; 0: the default */
    uint64_t all_ns; /* after this time no further continuation starts; 0: no limit */
    struct pf_memory_settings memory;
    uint32_t forgotten; /* how often the memory model has forgotten values */
    /* record: the first choices of memory contents, "0,1"; or all of them, "random:SEED" */
    char choices[2048];
    /* continuations enforce the order of two accesses (struct pf_order_request) */
    uint32_t ordered;
    uint32_t inside; /* record: waits inside the process take no real time (inside_waits.h) */
    /* each continuation records into this folder, in files named after its number */
    char folder[512];
    struct pf_continuation continuation[PF_CONTINUATIONS];
    unsigned char behaviour[PF_BEHAVIOURS / 8];
    /* record: forked children record too, each into a file of its own next to `file` */
    uint32_t record_forked;
    /* record: the path of the process to record instead of the one that pf starts; its ancestors
     * record until they fork it. 0 numbers: none. */
    uint32_t npath;
    uint32_t path[PF_FORKED_DEPTH];
    uint32_t followed; /* 1 + the entry of that process; 0: it was not forked yet */
    uint32_t nforked; /* entries in use; may exceed PF_FORKED_MAX */
    struct pf_forked forked[PF_FORKED_MAX];
    char exclude[8192]; /* functions to leave out: globs separated by commas */
    char without_lock[512]; /* FILE:LINE of the lock operation to remove; "": none */
    uint32_t removed_locks; /* how often it was removed */
    /* record: changes to files are private (served_input.h); `served` is a file with the new
     * contents of sources, lines SOURCE=HEX */
    uint32_t private_files;
    char served[64];
    /* replay with a trace: functions that are regions; globs separated by commas */
    char atomic[512];
    char text[2048]; /* explains the outcome */
    struct pf_reached reached;
    struct pf_divergence divergence;
    struct pf_resident resident;
    uint32_t exploring; /* the run is a copy of a resident target */
    /* it has performed an atomic operation that is not sequentially consistent */
    uint32_t not_seq_cst;
    uint32_t limit_passed_early; /* the schedule ended a wait before its time limit */
    uint32_t far_limit_passed; /* that limit was more than a day away */
    uint32_t nblocked, nunexplored, nstates, nlive;
    uint16_t live[PF_LIVE_MAX]; /* numbers of system calls */
    struct pf_blocked blocked[PF_BLOCKED_MAX];
    char unexplored[PF_UNEXPLORED_MAX][32];
    struct pf_local_state states[PF_LOCAL_STATES];
    /* pf sleeps on `called` while there is nothing to write; the target sleeps on `drained` while a
     * ring is full. The counters change with every call; `asleep` and `stuck` tell the other side
     * whether a wake-up is needed. */
    uint32_t called __attribute__((aligned(64)));
    uint32_t asleep;
    uint32_t drained __attribute__((aligned(64)));
    uint32_t stuck;
    struct pf_ring ring[PF_STREAMS];
};

#endif
