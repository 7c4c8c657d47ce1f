/*
 * check_settings.h - what one `pf check` is asked to do: the command line, understood.
 *
 * Model:   the programs are a list of tests, as of pf suite; `pf check -- PROG ARG...` is a list of one. The
 *          words of the command line are kept with the check, and --continue reads them again.
 * Memory:  the plan's; options point into argv, which must live as long.
 * Errors:  PF_BAD and PF_IO with a message for the user.
 */
#ifndef PF_CLI_CHECK_PLAN_H
#define PF_CLI_CHECK_PLAN_H

#include "launch.h"
#include "suite_list.h"

struct pf_check_plan {
    struct pf_suite_list tests;
    struct pf_launch launch; /* free mode; its policy is set for each run unless `sample` is */
    const char *sample, *state, *json, *suite, *server, *from, *atomic;
    const char *time, *runs, *jobs, *grace, *period; /* as given; NULL: not */
    uint64_t time_ms, rounds, njobs, grace_ms, for_ms; /* rounds 0: as many as fit */
    bool going_on, any, quiet;
    char **words; /* PROG ARG..., or none */
    int nwords;
    char *input; /* standard input, when that is a file; NULL: nothing */
    uint64_t build; /* of all the programs together */
};

/* Reads the options. False: nothing more to do, *status is the exit status. */
bool pf_check_plan_parse(struct pf_check_plan *p, int argc, char **argv, int *status);
/* Finds the programs and checks the numbers: to be called before anything runs. */
PF_MUST_USE pf_status pf_check_plan_settle(struct pf_check_plan *p, struct pf_error *e);
void pf_check_plan_release(struct pf_check_plan *p);

#define PF_CHECK_JOBS_MAX 256
#define PF_CHECK_VERB "check"

#endif
