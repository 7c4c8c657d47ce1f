/*
 * fleet_options.h - the options of verbs that can run on a fleet, and functions for these verbs.
 *
 * Errors:  prints messages, as verbs do.
 */
#ifndef PF_CLI_FLEET_OPTIONS_H
#define PF_CLI_FLEET_OPTIONS_H

#include "cli.h"
#include "fleet.h"

/* Rows of a verb's table of options; f is a struct pf_fleet_options. */
#define PF_FLEET_OPTIONS(f)                                                                        \
    {"on", "ENGINE",                                                                               \
     "run on a fleet: slurm[:PARTITION], ssh:HOST,HOST, local or script:FILE (see pf fleet)",      \
     &(f).on, NULL},                                                                               \
        {"tasks", "N", "with --on: at most N tasks wait or run at a time (default 16)",            \
         &(f).tasks, NULL},                                                                        \
        {"batch", "N", "with --on: N units of work in a task (default: about 60 s of work)",       \
         &(f).batch, NULL},                                                                        \
        {"node-time", "T", "with --on: the time limit of a task (default 10m)", &(f).node_time,    \
         NULL},                                                                                    \
        {"shared", "DIR",                                                                          \
         "with --on: a folder that all nodes share (default: in the state folder)", &(f).shared,   \
         NULL},                                                                                    \
        {"scratch", "DIR", "with --on: a folder of the node, %n is its name (default: $TMPDIR)",   \
         &(f).scratch, NULL},                                                                      \
        {"env", "NAMES", "with --on: environment variables that tasks get, separated by commas",   \
         &(f).env, NULL},                                                                          \
    {                                                                                              \
        "collect", NULL, "with --on: merge the results that are there, submit nothing", NULL,      \
            &(f).collect                                                                           \
    }
/* The option --continue, for verbs that do not define it themselves. */
#define PF_FLEET_CONTINUE(f)                                                                       \
    {"continue", NULL, "continue the last fleet of this verb", NULL, &(f).resume}

/* Returns an exit status; complains about the first option that has no effect without --on. */
int pf_fleet_options_check(const char *verb, const struct pf_fleet_options *f);
/* The command line of a task: argv without the options of the fleet and without those in `own`.
 * `own` lists options with values that the fleet sets itself, and ends with NULL. The caller frees
 * the returned list, but not its words. */
char **pf_fleet_strip(int argc, char **argv, const char *const *own, int *n);
/* Runs a verb with the command line of a fleet. `collect`: adds --collect. Returns the exit
 * status. */
int pf_fleet_rerun(const char *verb, const char *folder, bool collect);
/* The same for the last fleet of the verb that has not ended. */
int pf_fleet_resume(const char *verb, const char *state);
/* Ends the fleet if all its work is done. Otherwise prints what is left, and the command that
 * continues the fleet. Returns the exit status of the verb: 128 + the signal after a signal; an
 * error if work is left and `status` is 0; otherwise `status`. */
int pf_fleet_conclude(struct pf_fleet *f, const char *verb, bool finished, int status);

#endif
