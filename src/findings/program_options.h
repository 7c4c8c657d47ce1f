/*
 * program_options.h - the options of a program that decide what is reported: its suppressions,
 * report_bugs, report_atomic_races and exitcode.
 *
 * Model:   inside the program, the runtime reads PF_OPTIONS and the program's own
 *          __tsan_default_options and __tsan_default_suppressions. Free runs obey them; free runs
 *          and replays log them. All other findings are filtered here, with the options of their
 *          program.
 * Memory:  allocated in the pool given.
 */
#ifndef PF_FINDINGS_PROGRAM_OPTIONS_H
#define PF_FINDINGS_PROGRAM_OPTIONS_H

#include "findings.h"
#include "suppress.h"

struct pf_program_options {
    bool known; /* a run has logged them */
    bool report_bugs, report_atomic_races;
    int exitcode;
    struct pf_suppressions suppressions;
};

/* Reads the options that a process of the program has logged, unless they are known. */
PF_MUST_USE pf_status pf_program_options_take(struct pf_program_options *o, struct pf_pool *pool,
                                              const struct pf_process *p, struct pf_error *e);
/* True if the options of the program suppress this finding. */
bool pf_program_options_hide(struct pf_program_options *o, const struct pf_finding *f);

#endif
