/*
 * record_again.h - records the program of a clip once more, with changes: other arguments, another
 * standard input, a schedule to follow, a symbolic run, or a lock operation removed.
 *
 * Model:   everything else is as in the clip: the folder, the environment, the policy, and the
 *          bytes that the program reads from standard input.
 * Memory:  the caller owns everything.
 * Threads: the caller must be single-threaded; the run happens in a process of its own, because
 *          directed runs change the process that starts them.
 * Errors:  PF_IO with the reason if there is no recording. How the run ended is in `end`: a run
 *          that could not follow its plan has the outcome PF_OUTCOME_DIVERGED.
 */
#ifndef PF_CONFIRM_RECORD_AGAIN_H
#define PF_CONFIRM_RECORD_AGAIN_H

#include "clip.h"

struct pf_record_again {
    const struct pf_clip *clip;
    const char *file; /* absolute path of the new recording */
    char **argv; /* NULL: those of the clip */
    const char *input; /* file for standard input; NULL: the bytes that the recording has read */
    const char *schedule; /* policy; NULL: that of the clip */
    const char *plan; /* absolute path of a schedule plan to follow first; NULL: none */
    bool traced; /* with its events, so that loading its trace needs no replay */
    bool symbolic; /* a symbolic run of its arguments, standard input and files */
    const char *without_lock; /* the lock operation to remove, FILE:LINE; NULL: none */
    const char *folder; /* a private run, as others of this folder (private_files.h); NULL: no */
    uint64_t limit_ms, fair_ms; /* as of a command (command.h); 0: none */
    bool (*should_stop)(void *arg); /* polled while it runs; NULL: never */
    void *arg;
    struct pf_clip_end end; /* filled in */
};

PF_MUST_USE pf_status pf_record_again(struct pf_record_again *r, struct pf_error *e);

#endif
