/*
 * check_step.h - one step of a check as a program under a keeper: what is run, with which words and
 * environment.
 *
 * Model:   a free run is the program itself; every other step is this pf with another verb (docs/decision/check.md):
 *          those verbs change folder, environment and core of their process, and end with it. A directed
 *          step gets a core of its own among those that this process may use.
 * Memory:  the step owns what its words point to, until release.
 * Errors:  PF_NOMEM, PF_IO.
 */
#ifndef PF_CLI_CHECK_STEP_H
#define PF_CLI_CHECK_STEP_H

#include "check_folder.h"
#include "keeper.h"
#include "pool.h"

struct pf_check_step {
    struct pf_check_line line;
    const struct pf_check_plan *plan;
    const struct pf_check_folder *folder;
    size_t slot; /* 0 ...: which of the jobs */
    uint64_t limit_ms;
    struct pf_pool pool;
    struct pf_keep keep;
};

/* Makes keep of line, plan and folder. `pf` is the path of this program. */
PF_MUST_USE pf_status pf_check_step_init(struct pf_check_step *s, const char *pf,
                                         struct pf_error *e);
void pf_check_step_release(struct pf_check_step *s);

#endif
