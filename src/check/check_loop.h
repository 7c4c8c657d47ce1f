/*
 * check_loop.h - runs the steps of a check, several in parallel, until the chain ends, the time
 * limit is reached, or a signal stops it.
 *
 * Model:   the chain decides the next step, a supervisor runs it, its results are added to the
 *          findings, and only then its line is written to the journal. A step that was cut off gets
 *          a line only if it has a partial result: a findings document, or explored schedules.
 * Errors:  PF_IO when the folder cannot be written: running steps are then stopped.
 */
#ifndef PF_CHECK_CHECK_LOOP_H
#define PF_CHECK_CHECK_LOOP_H

#include "check_batch.h"
#include "check_found.h"

struct pf_check_work {
    const struct pf_check_settings *settings;
    const struct pf_check_folder *folder;
    struct pf_chain chain;
    struct pf_check_found found;
    uint64_t steps; /* the highest step number in use */
    struct pf_check_failures failures; /* those of batches and of the systematic search */
    uint64_t schedules; /* run so far: recordings, batches and tries */
    uint64_t behaviours; /* behaviours that batches were the first to show */
    uint64_t began_ms; /* as pf_now_ms */
    uint64_t earlier_ms; /* how long the check took before it was resumed */
    int signal; /* the signal that stopped it; 0: none */
    bool out_of_time;
};

/* Adds the recordings of forked children that this step made (N.clip.child-P) to the chain. */
void pf_check_add_children(struct pf_check_work *w, const struct pf_check_line *line);
PF_MUST_USE pf_status pf_check_loop(struct pf_check_work *w, struct pf_error *e);

#endif
