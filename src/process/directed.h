/*
 * directed.h - starts a program in directed mode, to record or to replay it.
 *
 * Model:   the program gets the channel (src/clip/channel_host.h), one core, no address
 *          randomisation, and exactly the recorded environment.
 * Errors:  PF_IO, PF_BAD with a message that names the program or the clip.
 */
#ifndef PF_PROCESS_DIRECTED_H
#define PF_PROCESS_DIRECTED_H

#include "channel_host.h"
#include "child.h"
#include "clip.h"
#include "forked_clips.h"
#include "textbuf.h"

struct pf_directed {
    const char *schedule, *exclude, *until; /* NULL: none */
    const char *without_lock; /* record: the lock operation to remove, FILE:LINE; NULL: none */
    /* record: the schedule plan to follow first, and the accesses to swap; see channel.h */
    const char *plan, *flip;
    const char *at, *tail, *folder;         /* record: continuations from a point */
    bool bare;                              /* record: the program is not instrumented */
    /* record: waits for descriptors whose other end the program has itself take no real time */
    bool inside;
    bool ordered; /* record: the continuations that the plan forks enforce an order of accesses */
    unsigned continuations, jobs;
    unsigned first; /* what '*' stands for in the tail of continuation 0 */
    bool only_news; /* keep only continuations that failed or have shown a new behaviour */
    const char *behaviours; /* file of the behaviours seen so far, which is updated; NULL: none */
    uint64_t each_ms, all_ms; /* limits: of one continuation, 0: the default; of all, 0: none */
    struct pf_text *list; /* gets the list of the continuations; NULL: not wanted */
    /* filled in: how the continuations that the plan forks ended; NULL: not wanted */
    struct pf_continuation *ends;
    /* record: forked children too. Filled in; the caller releases it. NULL: they run unrecorded. */
    struct pf_forked_clips *forked;
    const char *atomic; /* replay: functions that are atomic regions; NULL: none */
    struct pf_memory_settings memory; /* record: the memory model */
    const char *choices; /* record: choices of memory contents (channel.h); NULL: all are 0 */
    bool tracing; /* record events with their values */
    /* record: a symbolic run of these inputs, one SPEC per line; NULL: an ordinary run */
    const char *symbolic;
    /* record: new contents of sources, as lines SOURCE=HEX, may be ""; changes of files are then
     * private. NULL: they are not private */
    const char *served;
    bool watch; /* check every access for memory errors */
    const char *program; /* replay: the program, if not at the recorded path; NULL: search it */
    const char *findings; /* folder for the findings log; NULL: none */
    bool resident; /* the target serves copies of itself (resident_host.h) */
    /* copies of a resident target, and continuations with `only_news`, may use connections to other
     * processes; all other continuations may always do so */
    bool allow_outside;
    bool keep_env; /* the clip contains all values of the environment */
    const char *redact; /* variables whose values it never contains, globs; NULL: none */
    bool quiet; /* replay: do not show the program's output */
    /* replay: store the stack that writes this byte of a descriptor's output; NULL: not wanted */
    char *output_stack;
    size_t output_room; /* size of output_stack */
    char *output_bytes; /* what the same call writes from there on; 4096 bytes */
    size_t output_length; /* filled in: of output_bytes */
    int output_fd;
    uint64_t output_at;
    char **gdb; /* replay: start gdb at `until` with these arguments (debugger.h); NULL: do not */
    int tell; /* with `gdb`: do not start it, but tell this descriptor when it can attach; 0: no */
    int gdb_status; /* gdb's status from waitpid; -1: it was not started */
};

/* Creates the folder of --log and returns its absolute path, which the caller frees. NULL gives
 * NULL. */
PF_MUST_USE pf_status pf_directed_log(const char *folder, char **out, struct pf_error *e);
/* Prints the number of memory errors of a run and the first one, on standard error. */
void pf_directed_print_errors(const char *verb, const struct pf_clip_end *end);

/* Fills in the description of a run of `path` with argv in the current environment and folder. */
PF_MUST_USE pf_status pf_directed_describe(struct pf_clip_meta *m, const char *path, char **argv,
                                           const struct pf_directed *d, struct pf_error *e);
/* Runs what `m` describes and records it into the file. If `m` names a forked child, the recording
 * is that of the child, and `end` is how it ended. */
PF_MUST_USE pf_status pf_directed_record(const struct pf_clip_meta *m, const char *file,
                                         const struct pf_directed *d, struct pf_child_end *child,
                                         struct pf_clip_end *end, struct pf_error *e);
/* Starts what `m` describes and returns at once. Nothing reads the streams: they may not become
 * longer than their rings. The caller waits for the process and frees *h. */
PF_MUST_USE pf_status pf_directed_start(struct pf_channel_host **h, const struct pf_clip_meta *m,
                                        const struct pf_directed *d, pid_t *pid,
                                        struct pf_error *e);
/* Replays the clip. If `file` is not NULL, the event streams of the replay are written there. */
PF_MUST_USE pf_status pf_directed_replay(const struct pf_clip *clip, const char *file,
                                         struct pf_directed *d, struct pf_child_end *child,
                                         struct pf_clip_end *end, struct pf_error *e);

#endif
