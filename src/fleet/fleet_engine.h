/*
 * fleet_engine.h - the batch systems that can run tasks.
 *
 * Model:   an engine starts `pf fleet task FOLDER N` for each number N on some node, lists which
 *          tasks it still knows (waiting or running), and cancels all tasks of a fleet. It does not
 *          report results: these are files. The name of a job contains the name of its fleet. So if
 *          the submitting process is killed, the next one finds the jobs again.
 * Errors:  PF_IO with the last line of what the command of the batch system printed.
 */
#ifndef PF_FLEET_ENGINE_H
#define PF_FLEET_ENGINE_H

#include "fleet.h"

struct pf_fleet_engine {
    const char *name;
    /* avoid: names of nodes, separated by commas; "": none. */
    pf_status (*submit)(struct pf_fleet *f, const uint64_t *ids, size_t n, const char *avoid,
                        struct pf_error *e);
    /* Adds the numbers of the tasks that wait or run. */
    pf_status (*list)(struct pf_fleet *f, pf_vec_u64 *ids, struct pf_error *e);
    pf_status (*cancel)(struct pf_fleet *f, struct pf_error *e);
};

extern const struct pf_fleet_engine pf_fleet_slurm, pf_fleet_ssh, pf_fleet_local, pf_fleet_script;

/* Finds the engine that `on` names; *where is the part after the colon, malloced. */
PF_MUST_USE pf_status pf_fleet_engine_find(const char *on, const struct pf_fleet_engine **engine,
                                           char **where, struct pf_error *e);

/* Returns the last line of the text that is not empty. *n: the length of the text; set to that of
 * the line. */
const char *pf_fleet_last_line(const char *text, size_t *n);
/* Runs a command to its end; *out is what it printed, malloced. env NULL: the environment of this
 * process. PF_IO if it cannot be started or its exit status is not 0. */
PF_MUST_USE pf_status pf_fleet_command(char *const *argv, char *const *env, char **out,
                                       struct pf_error *e);
#define PF_FLEET_VARIABLES "PATH,LANG,LC_ALL,TZ" /* that tasks always inherit */
/* The values of these variables, of those of --env, and of those in `more`, which ends with NULL. A
 * name in `more` that ends with an underscore is a prefix. A malloced, NULL-terminated list of
 * malloced strings; pf_fleet_free_words frees it. */
char **pf_fleet_environment(const struct pf_fleet *f, const char *const *more);
void pf_fleet_free_words(char **list);

#endif
