/*
 * check_step.h - one step of a check as a supervised program: its command line and environment.
 *
 * Model:   a free run is the program itself; every other step is this pf with another verb
 *          (docs/decision/check.md), because those verbs change the folder, the environment and the
 *          core of their process. A step in directed mode gets its own core among those that this
 *          process may use.
 * Memory:  the step owns its command line until release.
 * Errors:  PF_IO.
 */
#ifndef PF_CHECK_CHECK_STEP_H
#define PF_CHECK_CHECK_STEP_H

#include "check_folder.h"
#include "pool.h"
#include "supervisor.h"

struct pf_check_step {
    struct pf_check_line line;
    const struct pf_check_settings *settings;
    const struct pf_check_folder *folder;
    size_t slot; /* index of the job, from 0 */
    uint64_t limit_ms; /* SIGTERM after this time */
    bool by_budget; /* limit_ms is the rest of the time budget */
    /* all kinds except RUN, RECORD, DIRECT, LOOK: after this time the step ends by itself, with a
     * result */
    uint64_t own_limit_ms;
    uint64_t each_ms; /* BATCH: time limit of a schedule */
    uint64_t kill_at_ms; /* SIGKILL at this time (pf_now_ms) */
    struct pf_pool pool;
    struct pf_command command;
};

/* Fills in `command` from line, settings and folder. `pf` is the path of this program. */
PF_MUST_USE pf_status pf_check_step_init(struct pf_check_step *s, const char *pf,
                                         struct pf_error *e);
void pf_check_step_release(struct pf_check_step *s);

#endif
