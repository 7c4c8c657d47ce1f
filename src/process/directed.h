/*
 * directed.h - starts a program in directed mode, for record, replay and all that replays.
 *
 * Model:   the program gets the channel (src/clip/channel_host.h), one core, addresses that are the same in
 *          every run, and an environment that differs from the recorded one in nothing.
 * Errors:  PF_IO, PF_BAD with a message that names the program or the clip.
 */
#ifndef PF_CLI_DIRECTED_H
#define PF_CLI_DIRECTED_H

#include "child.h"
#include "clip.h"

struct pf_directed {
    const char *schedule, *exclude, *until; /* NULL: none */
    const char *plan, *flip;                /* record: what to do first; channel.h */
    const char *at, *tail, *folder;         /* record: continuations from a point */
    bool bare;                              /* record: the program is not instrumented */
    unsigned continuations, jobs;
    struct pf_continuation *ends; /* of those that the plan forks: filled in; NULL: none */
    const char *atomic; /* replay: functions that are regions, NULL: none */
    bool tracing;                           /* events with values are wanted */
    bool watch;                             /* every access is looked at for memory errors */
    const char *findings;                   /* the folder for the log of findings; NULL: none */
    bool quiet;                             /* replay: the output is not shown */
    char **gdb; /* replay: gdb is started at `until` with these arguments (debugger.h); NULL: not */
    int gdb_status; /* how it ended, as waitpid said; -1: it was not started */
};

/* The folder of --log, made and with its whole name, to be freed; NULL stays NULL. */
PF_MUST_USE pf_status pf_directed_log(const char *folder, char **out, struct pf_error *e);
/* The memory errors of a run, in a line on standard error. */
void pf_directed_tell_errors(const char *verb, const struct pf_clip_end *end);

/* What describes a run of `path` with argv in this environment and folder. */
PF_MUST_USE pf_status pf_directed_describe(struct pf_clip_meta *m, const char *path, char **argv,
                                           const struct pf_directed *d, struct pf_error *e);
/* Runs what `m` describes and records it into the file. */
PF_MUST_USE pf_status pf_directed_record(const struct pf_clip_meta *m, const char *file,
                                         const struct pf_directed *d, struct pf_child_end *child,
                                         struct pf_clip_end *end, struct pf_error *e);
/* Runs it again as recorded; with `file`, the streams of the trace go there. */
PF_MUST_USE pf_status pf_directed_replay(const struct pf_clip *clip, const char *file,
                                         struct pf_directed *d, struct pf_child_end *child,
                                         struct pf_clip_end *end, struct pf_error *e);

#endif
