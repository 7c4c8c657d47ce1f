/*
 * check_loop.h - does the steps of a check, several at a time, until the chain ends, the time is up, or somebody
 * stops it.
 *
 * Model:   the chain says what is next, a keeper runs it, what it left is taken into the findings, and only then its
 *          line goes into the journal. A step that was stopped gets no line unless it left something.
 * Errors:  PF_IO when the folder cannot be written: what runs is then ended.
 */
#ifndef PF_CLI_CHECK_LOOP_H
#define PF_CLI_CHECK_LOOP_H

#include "check_found.h"

struct pf_check_work {
    const struct pf_check_plan *plan;
    const struct pf_check_folder *folder;
    struct pf_chain chain;
    struct pf_check_found found;
    uint64_t steps; /* the highest number in use */
    int signal; /* that stopped it; 0: none */
    bool out_of_time;
};

PF_MUST_USE pf_status pf_check_loop(struct pf_check_work *w, struct pf_error *e);

#endif
