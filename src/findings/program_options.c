/* program_options.c - see program_options.h. */
#include "program_options.h"
#include <string.h>

pf_status pf_program_options_take(struct pf_program_options *o, struct pf_pool *pool,
                                  const struct pf_process *p, struct pf_error *e)
{
    if (o->known)
        return PF_OK;
    o->known = true;
    o->report_bugs = p->report_bugs;
    o->report_atomic_races = p->report_atomic_races;
    o->exitcode = p->exitcode;
    pf_suppressions_init(&o->suppressions);
    for (size_t i = 0; i < p->nsuppressions; i++) {
        struct pf_suppress_error bad = {0};
        const char *line = p->suppressions[i];
        if (!pf_suppressions_parse(&o->suppressions, pool, line, strlen(line), &bad))
            return pf_fail(e, PF_BAD, "%s: %s", bad.reason ? bad.reason : "suppression", line);
    }
    return PF_OK;
}

static bool is_atomic(enum pf_op op) { return op == PF_OP_ATOMIC_READ || op == PF_OP_ATOMIC_WRITE; }

bool pf_program_options_hide(struct pf_program_options *o, const struct pf_finding *f)
{
    bool by_name;
    if (!o->known)
        return false;
    if (!o->report_bugs)
        return true;
    if (!o->report_atomic_races && pf_finding_is_pair(f) &&
        (is_atomic(f->accesses[0].op) || is_atomic(f->accesses[1].op)))
        return true;
    return pf_suppressions_match(&o->suppressions, f, &by_name);
}
