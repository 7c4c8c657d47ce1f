/*
 * check_settings.h - the settings of one `pf check`, parsed from its command line.
 *
 * Model:   the programs are a list of tests, as in pf suite; `pf check -- PROG ARG...` is a list of
 *          one. The command line is stored with the check, and --continue parses it again.
 * Memory:  owned by the settings, but options point into argv, which must live as long.
 * Errors:  PF_BAD and PF_IO with a message for the user.
 */
#ifndef PF_CHECK_CHECK_SETTINGS_H
#define PF_CHECK_CHECK_SETTINGS_H

#include "launch.h"
#include "suite_list.h"

/* The part of a check that a task of a fleet does; all 0: the whole check. */
struct pf_check_part {
    uint64_t first; /* the number of its first step; 0: it is not a task */
    uint64_t round; /* its first round */
    bool explores; /* it runs the systematic search, which must not run twice */
};

struct pf_check_settings {
    struct pf_suite_list tests;
    /* for free mode; the policy is set for each run unless `sample` is given */
    struct pf_launch launch;
    const char *sample, *state, *json, *suite, *server, *from, *atomic;
    const char *redact; /* environment variables that no clip contains, globs; NULL: none */
    const char *fail_on; /* as in pf report: any, confirmed or a class; NULL: any */
    bool require_full; /* code without checks is an error */
    bool allow_outside; /* runs from a checkpoint may use connections to other processes */
    bool hunt; /* also search for other inputs (pf hunt) */
    bool keep_env; /* clips contain all values of the environment */
    const char *time, *runs, *jobs, *grace, *run_for, *seed, *keep; /* as given; NULL: not given */
    uint64_t time_ms, rounds, njobs, grace_ms, for_ms; /* rounds 0: as many as fit into the time */
    uint64_t first_seed; /* of the schedules */
    uint64_t keep_bytes; /* size limit of the checks in the state folder */
    bool resume, any, quiet;
    char **words; /* PROG ARG..., or none */
    int nwords;
    char *input; /* file used as standard input; NULL: none */
    uint64_t build; /* hash of all the programs together */
    struct pf_check_part part;
};

/* Finds the programs and checks the numbers. Call it before anything is run. */
PF_MUST_USE pf_status pf_check_settings_resolve(struct pf_check_settings *p, struct pf_error *e);
void pf_check_settings_release(struct pf_check_settings *p);

#define PF_CHECK_JOBS_MAX 256
#define PF_CHECK_VERB "check"

#endif
