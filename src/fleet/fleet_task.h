/*
 * fleet_task.h - runs one task of a fleet on a node.
 *
 * Model:   the task gets a private folder on a disk of the node (scratch): `state` is the state
 *          folder of its pf command, `result` becomes its result. When the command has ended, the
 *          result is copied to the shared folder under a temporary name and renamed. If a result is
 *          there already, an earlier attempt has ended after all, and the new one is dropped.
 *          A task that is terminated, or reaches its own time limit, ends its command and returns
 *          the work that the command has finished.
 * Errors:  PF_IO, PF_BAD; the reason is also in FOLDER/failed, for the submitting process.
 */
#ifndef PF_FLEET_TASK_H
#define PF_FLEET_TASK_H

#include "fleet.h"
#include "supervisor.h"
#include <stdio.h>

/* How the command of a task ended: the member "ended" of its journal. */
#define PF_TASK_DONE "done"
#define PF_TASK_LIMIT "limit" /* cut off at its time limit */
#define PF_TASK_STOPPED "stopped" /* cut off by a signal */
/* A member of the journal's first line: why the command failed. Its work until then is returned. */
#define PF_TASK_FAILURE "failure"

struct pf_task_run {
    const char *folder; /* the shared folder */
    const json_t *task;
    uint64_t id;
    char *scratch, *state, *result, *node;
    FILE *journal; /* of the result; its first line is written */
    struct pf_supervisor_result end; /* of the command */
};

/* What a verb adds to the run of a task. */
struct pf_task_kind {
    const char *verb;
    /* Fills the state folder before the command starts. NULL: nothing to do. */
    pf_status (*prepare)(struct pf_task_run *r, struct pf_error *e);
    /* Fills the folder `result`. `findings.json` and the journal must be there afterwards. */
    pf_status (*pack)(struct pf_task_run *r, struct pf_error *e);
};
extern const struct pf_task_kind pf_task_suite, pf_task_check, pf_task_hunt, pf_task_judge;

/* PF_BAD: the command did no work, with the beginning of what it printed. */
PF_MUST_USE pf_status pf_task_did_nothing(const struct pf_task_run *r, const char *what,
                                          struct pf_error *e);
/* Copies an input of a hunt's corpus between two folders of hunts. */
PF_MUST_USE pf_status pf_task_copy_input(const char *from, const char *to, uint64_t input,
                                         struct pf_error *e);
/* Runs the task with this number. */
PF_MUST_USE pf_status pf_fleet_task_run(const char *folder, uint64_t id, struct pf_error *e);

/* Adds the file of a program, with the hash of its contents, to the object `programs` of a task. A
 * node where the file has other contents refuses the task. No path is added twice. */
PF_MUST_USE pf_status pf_task_add_program(json_t *programs, const char *path, struct pf_error *e);

#endif
