/*
 * expected_deaths.h - which deaths of forked children a program expects, as a test harness does.
 *
 * Model:   a forked child died of a signal, its parent waited for it, and the first process of the
 *          program then ended with status 0: the program expects this death. It expects the same
 *          death in every other run, also if the program fails there for another reason. Two
 *          deaths are the same if the program, the number of the child in the order of the forks,
 *          and the stack are the same; where a stack is unknown, the signal.
 *          A death that is not expected in any run is a finding.
 * Memory:  from the pool of the findings.
 */
#ifndef PF_FINDINGS_EXPECTED_DEATHS_H
#define PF_FINDINGS_EXPECTED_DEATHS_H

#include "findings.h"

struct pf_expected_death {
    uint64_t group;     /* of the process (findings.h) */
    const char *child;  /* "2.1": the first child of the program's second child */
    int signal;         /* 0: unknown */
    uint64_t failure;   /* id of the crash, which depends on its stack; 0: unknown */
    const struct pf_process *program; /* its first process; NULL: any program of the group */
    struct pf_expected_death *next;
};

/* Notes that the program expects this death. */
void pf_findings_expect(struct pf_findings *f, const struct pf_expected_death *d);
/* True if the program expects this death. */
bool pf_findings_expects(const struct pf_findings *f, const struct pf_expected_death *d);
/* Finds the deaths that the processes read so far expected, and adds the other crashes as findings.
 * An expected death is neither a finding nor a loss. */
PF_MUST_USE pf_status pf_findings_settle_deaths(struct pf_findings *f, struct pf_error *e);
/* Adds to `to` the crashes of f that the same run expected, as findings. After
 * pf_findings_settle_deaths. */
PF_MUST_USE pf_status pf_findings_expected_crashes(const struct pf_findings *f,
                                                   struct pf_findings *to, struct pf_error *e);

#endif
