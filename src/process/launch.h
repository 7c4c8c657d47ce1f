/*
 * launch.h - what a program that is watched is told: PF_OPTIONS and the folder of its logs.
 *
 * Model:   the user's own PF_OPTIONS come first, ours after them; the later one wins.
 * Memory:  strings are the caller's.
 * Errors:  PF_IO and PF_BAD with a message that names the file.
 */
#ifndef PF_CLI_LAUNCH_H
#define PF_CLI_LAUNCH_H

#include "status.h"
#include <stdbool.h>

#define PF_STATE_FOLDER ".photofinish"

struct pf_launch {
    const char *sample;       /* the policy */
    const char *state; /* folder in which policies remember earlier runs; NULL: PF_STATE_FOLDER */
    const char *suppressions; /* file; NULL: none */
    bool generate, strict, quiet;
    bool plain; /* watch nothing: what the build alone costs */
    bool own_status; /* the program's own exit status, also when something was found */
};

/* The suppressions can be read and understood, the policy is known: to be called before anything
 * runs. */
PF_MUST_USE pf_status pf_launch_check(const struct pf_launch *l, struct pf_error *e);
/* Sets the environment of this process: a program started now writes its logs into `folder`, as part
 * of the run with the name `run`. */
PF_MUST_USE pf_status pf_launch_environment(const struct pf_launch *l, const char *folder,
                                            const char *run, struct pf_error *e);

#endif
