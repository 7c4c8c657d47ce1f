/*
 * launch.h - the environment of a program that is run in free mode: PF_OPTIONS and the folder of
 * its logs.
 *
 * Model:   the user's own PF_OPTIONS are placed first and ours after them; the later one wins.
 * Memory:  strings belong to the caller.
 * Errors:  PF_IO and PF_BAD with a message that names the file.
 */
#ifndef PF_PROCESS_LAUNCH_H
#define PF_PROCESS_LAUNCH_H

#include "status.h"
#include <stdbool.h>

#define PF_DEFAULT_STATE ".photofinish"

struct pf_launch {
    const char *sample; /* the sampling policy; NULL: that of PF_OPTIONS, by default full */
    const char *overhead;     /* its share of time, "N" or "N%"; NULL: the default */
    /* folder for the state that policies keep between runs; NULL: PF_DEFAULT_STATE */
    const char *state;
    const char *suppressions; /* file; NULL: none */
    bool generate, strict, quiet;
    bool plain; /* check nothing: measures the cost of the build alone */
    bool own_status; /* keep the program's own exit status even when there are findings */
};

/* Checks that the suppressions file can be read and parsed, and that the policy is known. Call
 * it before anything is run. */
PF_MUST_USE pf_status pf_launch_check(const struct pf_launch *l, struct pf_error *e);
/* Sets the environment of this process so that programs started from now on write their logs
 * into `folder`, as part of the run named `run`. */
PF_MUST_USE pf_status pf_launch_environment(const struct pf_launch *l, const char *folder,
                                            const char *run, struct pf_error *e);
/* Sets the environment so that programs that need the shared runtime of ThreadSanitizer load ours,
 * which has the same file name. */
PF_MUST_USE pf_status pf_launch_instead_of_tsan(struct pf_error *e);

#endif
