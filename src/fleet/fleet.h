/*
 * fleet.h - work that is spread over the nodes of a batch system (docs/fleet.md).
 *
 * Model:   a fleet is a folder that all nodes share (docs/format/fleet.md). A task is a file with
 *          one command line of pf and a name for its part of the work. The submitting pf writes
 *          tasks, gives their numbers to an engine (fleet_engine.h), and merges each result into
 *          the state folder. A result is a folder that gets its final name by one rename, so it is
 *          complete or absent. Merging it twice has the same effect as merging it once. A task that
 *          vanishes without a result is submitted again; it has at most PF_FLEET_ATTEMPTS attempts.
 *          The shared folder holds no database and no lock: the lock of a fleet is in the state
 *          folder, next to the file that names the shared folder.
 * Memory:  a fleet owns its strings and tasks until release.
 * Threads: one process submits and collects; tasks are processes on any node.
 * Errors:  PF_IO, PF_BAD with the path. A task that fails is not an error of the fleet: the
 *          report lists it as incomplete.
 */
#ifndef PF_FLEET_H
#define PF_FLEET_H

#include "json_field.h"
#include "status.h"
#include "vector.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define PF_FLEET_VERSION 1 /* of plans and tasks */
#define PF_FLEET_ATTEMPTS 3 /* how often a task is submitted at most, the first time included */
#define PF_FLEET_TARGET_MS 60000 /* how long a task should take, if times are known */
#define PF_FLEET_TASKS 16 /* default of --tasks */

/* The options of a verb that runs on a fleet, as given; NULL: not given. */
struct pf_fleet_options {
    const char *on; /* slurm[:PARTITION], ssh:HOST,HOST, local, script:FILE */
    const char *tasks, *batch, *node_time, *shared, *scratch, *env;
    uint64_t least_ms; /* a lower bound for the default of node_time */
    bool collect; /* merge the results returned so far, submit no task */
    bool resume; /* --continue: go on with the last fleet of this verb that has not ended */
};

enum pf_fleet_state {
    PF_FLEET_NEW, /* to be submitted */
    PF_FLEET_QUEUED,
    PF_FLEET_DONE, /* its result is merged */
    PF_FLEET_FAILED, /* it has no result and gets no further attempt */
};

struct pf_fleet_task {
    uint64_t id;
    enum pf_fleet_state state;
    unsigned attempts; /* how often it was submitted, by this process and earlier ones */
    bool given_up; /* by an earlier process */
    uint64_t missing_ms; /* since when the engine does not know it; 0: the engine knows it */
    uint64_t wave;
    char *what; /* for messages: "tests 12 to 19" */
    char *why; /* PF_FLEET_FAILED: the reason */
};

struct pf_fleet_engine;

struct pf_fleet {
    char *name, *folder; /* absolute path of the shared folder */
    char *state; /* absolute path of the state folder */
    char *verb, *pf, *cwd;
    char *scratch, *env; /* NULL: default, none */
    char *where; /* argument of the engine: partition, hosts, script; "": none */
    const struct pf_fleet_engine *engine;
    uint64_t build;
    uint64_t ntasks, batch; /* --tasks; --batch, 0: sized by measured times */
    uint64_t limit_ms; /* of a task */
    int lock;
    PF_VEC(struct pf_fleet_task) tasks; /* by id, from 1 */
    uint64_t know; /* the newest folder of knowledge; 0: none */
    bool continued;
    int signal; /* the signal that stopped the loop; 0: none */
    bool cancelled; /* pf fleet cancel stopped the loop */
};

/* What a verb adds to a fleet. */
struct pf_fleet_work {
    void *arg;
    /* Adds at most `room` tasks for the remaining work. *more: further work has to wait until
     * running tasks have ended. */
    pf_status (*next)(void *arg, struct pf_fleet *f, uint64_t room, bool *more, struct pf_error *e);
    /* Merges a result. `head` is the first line of its journal. If the rest of a task that was cut
     * off gets no further attempt, sets the task's state to PF_FLEET_FAILED. */
    pf_status (*merge)(void *arg, struct pf_fleet *f, struct pf_fleet_task *t, const json_t *head,
                       const char *result, struct pf_error *e);
    /* Called before and after a group of merges, to make them permanent together; NULL: each merge
     * is permanent. */
    pf_status (*begin)(void *arg, struct pf_error *e);
    pf_status (*commit)(void *arg, struct pf_error *e);
    /* Called when a task becomes PF_FLEET_FAILED. NULL: nothing to do. */
    void (*failed)(void *arg, struct pf_fleet *f, const struct pf_fleet_task *t);
};

/* --- fleet_folder.c --- */

/* Opens the fleet of this command line that has not ended, or creates one. */
PF_MUST_USE pf_status pf_fleet_open(struct pf_fleet *f, const char *verb, const char *state,
                                    const struct pf_fleet_options *o, int argc, char **argv,
                                    uint64_t build, struct pf_error *e);
/* Opens an existing fleet without its lock, to look at it; `folder` is the shared folder. */
PF_MUST_USE pf_status pf_fleet_view(struct pf_fleet *f, const char *folder, struct pf_error *e);
void pf_fleet_release(struct pf_fleet *f);
/* Marks the fleet as ended and removes what its tasks no longer need. */
PF_MUST_USE pf_status pf_fleet_end(struct pf_fleet *f, struct pf_error *e);
bool pf_fleet_has_ended(const struct pf_fleet *f);
bool pf_fleet_folder_has_ended(const char *folder);
/* Ends all tasks, and lets the submitting process stop. */
PF_MUST_USE pf_status pf_fleet_cancel(struct pf_fleet *f, struct pf_error *e);
bool pf_fleet_is_cancelled(const struct pf_fleet *f);
/* The shared folders of the fleets of a state folder, oldest first; a NULL-terminated, malloced
 * array of malloced strings. */
char **pf_fleet_list(const char *state);
/* FOLDER/PART/ID.SUFFIX, malloced; without the id if it is 0. */
char *pf_fleet_path(const struct pf_fleet *f, const char *part, uint64_t id, const char *suffix);

/* The task with this number; NULL: there is none. */
struct pf_fleet_task *pf_fleet_task_find(const struct pf_fleet *f, uint64_t id);
/* Writes the task file and adds the task. Takes the reference to `task`, an object with at least
 * `argv`; the fleet adds the fields that all tasks have. */
PF_MUST_USE pf_status pf_fleet_task_new(struct pf_fleet *f, json_t *task, const char *what,
                                        uint64_t wave, struct pf_error *e);
PF_MUST_USE pf_status pf_fleet_task_read(const struct pf_fleet *f, uint64_t id, json_t **out,
                                         struct pf_error *e);
/* Words of `argv` that depend on the node: a file in the task's state folder, in its result, or in
 * the shared folder. */
json_t *pf_fleet_word(const char *base, const char *path);
#define PF_FLEET_IN_STATE "state"
#define PF_FLEET_IN_RESULT "result"
#define PF_FLEET_IN_FLEET "fleet"

/* --- fleet_plan.c --- */

/* Fails if the command line is not UTF-8: plans and tasks are JSON. */
PF_MUST_USE pf_status pf_fleet_plan_check(int argc, char **argv, struct pf_error *e);
PF_MUST_USE pf_status pf_fleet_plan_write(const struct pf_fleet *f, const char *on, int argc,
                                          char **argv, struct pf_error *e);
PF_MUST_USE pf_status pf_fleet_plan_read(const char *folder, json_t **plan, struct pf_error *e);
/* True if the plan is that of this command line, in the same working folder. */
bool pf_fleet_plan_is(const struct pf_fleet *f, const json_t *plan, int argc, char **argv);
/* The command line of a fleet and its working folder; all malloced. */
PF_MUST_USE pf_status pf_fleet_plan_words(const char *folder, int *argc, char ***argv, char **cwd,
                                          struct pf_error *e);
/* The shared folder of the last fleet of this verb that has not ended. PF_BAD if there is none. */
PF_MUST_USE pf_status pf_fleet_last(const char *state, const char *verb, char **folder,
                                    struct pf_error *e);
/* A command for a shell that continues the fleet, malloced. */
char *pf_fleet_command_text(const struct pf_fleet *f);

/* --- fleet_attempts.c --- */

PF_MUST_USE pf_status pf_fleet_attempts_submitted(const struct pf_fleet *f, const uint64_t *ids,
                                                  size_t n, struct pf_error *e);
/* Takes back the last attempt of these tasks: the engine has refused them. */
PF_MUST_USE pf_status pf_fleet_attempts_refused(const struct pf_fleet *f, const uint64_t *ids,
                                                size_t n, struct pf_error *e);
PF_MUST_USE pf_status pf_fleet_attempts_given_up(const struct pf_fleet *f, uint64_t id,
                                                 struct pf_error *e);
/* Counts the attempts of all tasks. Tasks that were never submitted, or were not submitted again
 * after they had been given up, have no attempts and become PF_FLEET_NEW. */
void pf_fleet_attempts_load(struct pf_fleet *f);

/* --- fleet_loop.c --- */

/* True if a task waits for its submission or its result. */
bool pf_fleet_has_open_tasks(const struct pf_fleet *f);
/* Gives up a task: sets its state and its reason, and prints both. */
void pf_fleet_give_up(const struct pf_fleet *f, struct pf_fleet_task *t, const char *why);

/* Submits and collects until no work is left, a signal arrives, or the fleet is cancelled. */
PF_MUST_USE pf_status pf_fleet_run(struct pf_fleet *f, const struct pf_fleet_work *work,
                                   struct pf_error *e);
/* Merges the results that are there, and returns. */
PF_MUST_USE pf_status pf_fleet_collect(struct pf_fleet *f, const struct pf_fleet_work *work,
                                       uint64_t *merged, struct pf_error *e);
/* Prints a line for each task that did not end. Returns how many there are. */
size_t pf_fleet_incomplete(const struct pf_fleet *f);

/* --- fleet_json.c --- */

/* Writes the value under a temporary name, with mode 0600, and renames it. It is not flushed to
 * disk: if the machine crashes, a later run writes the file again. */
PF_MUST_USE pf_status pf_json_file_write(const char *path, const json_t *value, struct pf_error *e);
json_t *pf_json_hex(uint64_t v); /* "0x..." */
uint64_t pf_json_from_hex(const json_t *o, const char *key);

#endif
