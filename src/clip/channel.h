/*
 * channel.h - the memory that `pf` and a directed target share: settings, streams, outcome.
 *
 * Model:   one memfd. Its first page is struct pf_channel; behind it every stream has a part of its
 *          own. A stream that is written is a byte ring: the target moves `head`, pf moves `tail`,
 *          and what lies between is nobody's but theirs. Because the bytes are in memory that pf holds
 *          too, all that was put is kept even when the target is killed in the next instruction. A
 *          stream that is read lies there whole, from byte 0 to `head`.
 * Memory:  pf makes it and hands the descriptor down in PF_CLIP; the target maps it at fixed places,
 *          so that addresses are the same in every run. A ring is mapped twice in a row: a piece that
 *          passes the end is contiguous all the same.
 * Threads: one writer (the target's only kernel thread), one reader (pf's recorder).
 * Errors:  a target without PF_CLIP is in free mode. When pf dies the target writes what is left to the
 *          clip itself, and ends (src/rt/direct/orphan.h).
 *
 * Included by the runtime: nothing here may need a library.
 */
#ifndef PF_CLIP_CHANNEL_H
#define PF_CLIP_CHANNEL_H

#include <stdint.h>

#define PF_CHANNEL_ENV "PF_CLIP"
#define PF_CHANNEL_FD 987 /* where the descriptor is handed down, out of the way of programs */
/* A program without the runtime gets it as a shared object, handed down likewise. */
#define PF_PRELOAD_FD 986
#define PF_PRELOAD_KEY "LD_PRELOAD="
#define PF_PRELOAD_PATH "/proc/self/fd/986"
#define PF_CHANNEL_MAGIC 0x6c656e6e61684350ull
/* PF_CHANNEL_VERSION comes from CMakeLists.txt: a hash of this file, so that a target built with another
 * version of it is never misread. */
#ifndef PF_CHANNEL_VERSION
#error "PF_CHANNEL_VERSION: to be defined by the build"
#endif

/* Where the target maps it: the header, then 128 GB of addresses for each stream. */
#define PF_CHANNEL_BASE 0x162000000000ull
#define PF_CHANNEL_STRIDE (1ull << 37)

/* The streams of a recording: PF_STREAM(NAME, ring size as a power of two, bytes of a chunk). */
#define PF_STREAM_LIST(PF_STREAM)                                                                  \
    PF_STREAM(SCHEDULE, 20, 1 << 16)                                                               \
    PF_STREAM(INPUT, 22, 1 << 17)                                                                  \
    PF_STREAM(OUTPUT, 20, 1 << 16)                                                                 \
    PF_STREAM(EVENT, 22, 1 << 18)                                                                  \
    PF_STREAM(ADDRESS, 22, 1 << 18)                                                                \
    PF_STREAM(VALUE, 22, 1 << 18)                                                                  \
    PF_STREAM(NAME, 20, 1 << 16)

enum pf_stream {
#define PF_STREAM(name, bits, chunk) PF_STREAM_##name,
    PF_STREAM_LIST(PF_STREAM)
#undef PF_STREAM
        PF_STREAMS
};

enum pf_direct_mode { PF_DIRECT_OFF, PF_DIRECT_RECORD, PF_DIRECT_REPLAY };

enum pf_ring_use { PF_RING_OFF, PF_RING_WRITE, PF_RING_READ };

struct pf_ring {
    uint32_t use;
    uint32_t reserved;
    uint64_t offset; /* of its first byte in the memfd, a multiple of the page size */
    uint64_t size; /* written: a power of two; read: whole pages */
    uint64_t chunk; /* written: this much is worth waking the reader for */
    uint64_t head __attribute__((aligned(64))); /* bytes put so far */
    uint64_t tail __attribute__((aligned(64))); /* written: bytes taken so far */
};

/* How the run ended, as the runtime saw it; the exit status is what the kernel says. */
enum pf_outcome {
    PF_OUTCOME_NONE, /* it did not say: ended by itself, or was killed */
    PF_OUTCOME_DIVERGED, /* did not follow its recording: `text` names the first difference */
    PF_OUTCOME_DEADLOCK, /* nobody can ever run again: `text` has the waits */
    PF_OUTCOME_HANG, /* no progress: `text` has the spinning place */
    PF_OUTCOME_LOST, /* something could not be recorded: a replay may diverge */
    PF_OUTCOME_STOPPED, /* reached the point that was asked for */
    PF_OUTCOME_INFEASIBLE, /* the order that was asked for cannot come about: `text` says why */
};

/* What a policy that drives an anomaly out (fuzz_policy_text.h) has reached: the accesses of the first time, in
 * the order in which they were done. */
#define PF_REACHED_MAX 12
struct pf_reached_access {
    uint32_t thread; /* by creation, 0 is main */
    uint8_t step; /* which location of the policy's text, which event that a plan asked about */
    uint8_t write;
    uint16_t reserved;
    uint32_t line, file; /* of a plan: where it is; the file as pf_reached_file has it */
    uint64_t event; /* its number in the thread, from 1, as in a dump */
    uint64_t address, size;
    uint64_t when; /* events of all threads before it */
};
struct pf_reached {
    uint32_t asked; /* 0: the policy is none of these */
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

/* How one of several continuations from a checkpoint ended. */
#define PF_CONTINUATIONS 256
struct pf_continuation {
    uint32_t done; /* it was made, and it ended */
    int32_t wait; /* as wait(2) says */
    uint32_t outcome; /* enum pf_outcome */
    uint64_t copied; /* nanoseconds that the copy took */
    uint32_t errors; /* memory errors from the copy on, and the first in a line */
    char error[256];
    struct pf_reached reached;
};

/* A step of a plan: the thread runs until it has done so many events. Or, with one of these numbers:
 *     FORK   a continuation is made here, number `until`; it follows the file NUMBER.plan of the folder
 *     LEAVE  all continuations are waited for, and the run ends
 *     ASK    before all other steps: what event `until` of thread `asked` is, is put into pf_reached */
enum { PF_PLAN_FORK = 0xffffffffu, PF_PLAN_LEAVE = 0xfffffffeu, PF_PLAN_ASK = 0xfffffffdu };
#define PF_PLAN_END UINT64_MAX /* until the thread is over */
struct pf_plan_step {
    uint32_t thread; /* by creation, 0 is main */
    uint32_t asked;
    uint64_t until;
};

/* A continuation writes its streams straight to a file: first, for each stream, how much the run had
 * put before (u64 each), then pieces: this, and n bytes. The stream PF_STREAMS stands for the outcome: a
 * byte of enum pf_outcome, and its text. */
struct pf_piece {
    uint32_t stream, n;
};

struct pf_channel {
    uint64_t magic;
    uint32_t version, mode; /* mode: enum pf_direct_mode */
    uint32_t abi; /* PF_ABI_VERSION of pf */
    uint32_t tracing; /* events are wanted with their values */
    uint32_t pf; /* pid of pf, the parent */
    uint32_t owner; /* pid of the target, once it has attached */
    uint32_t watch; /* every access is looked at for memory that is nobody's */
    uint32_t errors; /* findings of that kind, and the first in a line */
    char error[256];
    char findings[512]; /* the folder for the log of findings, or empty */
    uint32_t quiet; /* replay: the output is compared, not shown */
    uint32_t unshown; /* replay: the errno of the first output that could not be shown */
    uint32_t outcome; /* enum pf_outcome */
    uint32_t
        children; /* processes that the program started, which are neither recorded nor run again */
    uint32_t executed; /* the program became another one, which is not recorded */
    uint32_t debug; /* replay: at `until`, become real threads and wait for a debugger */
    uint32_t
        stopped; /* the target: it is there, this is the tid of the thread that is at the point */
    uint32_t go; /* the debugger: the target may go on */
    uint32_t affinity_bytes; /* what sched_getaffinity said before pf chose one core */
    unsigned char affinity[128];
    char schedule[2048]; /* the policy, "rr:1000", "random:7" */
    char until[256]; /* replay: the point to stop at, or empty; while debugging, empty: the end */
    char file[4096]; /* record: the clip, its absolute path */
    char plan[512]; /* record: a file of steps to follow first, or empty */
    char flip[256]; /* record: one point before another, "T1:137<T2:40", or "T1:137<T2:40@31" */
    char at[256]; /* record: the point to go on from several times, or empty */
    uint32_t continuations; /* how often */
    uint32_t jobs; /* plans that fork: so many at a time */
    char tail[2048]; /* the policy of each; a star stands for its number */
    char folder[512]; /* where each puts what it records, under its number */
    struct pf_continuation continuation[PF_CONTINUATIONS];
    char exclude[8192]; /* function names not watched, globs with commas between */
    char atomic[512]; /* replay with tracing: functions that are regions, likewise */
    char text[2048]; /* of the outcome */
    struct pf_reached reached;
    /* pf sleeps on `called` while it has nothing to write, the target on `drained` while a ring is
     * full. The counters change with every call; `asleep` and `stuck` say whether anybody cares. */
    uint32_t called __attribute__((aligned(64)));
    uint32_t asleep;
    uint32_t drained __attribute__((aligned(64)));
    uint32_t stuck;
    struct pf_ring ring[PF_STREAMS];
};

#endif
