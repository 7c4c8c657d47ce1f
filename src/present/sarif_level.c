/* sarif_level.c - see sarif_level.h. */
#include "sarif_level.h"

const char *pf_sarif_level(const struct pf_finding *f)
{
    enum pf_judge_class class = pf_finding_class(f);
    bool shown = f->verdict && class != PF_JUDGED_UNDECIDED;
    if (f->suspicious || class > PF_JUDGED_UNDECIDED)
        return "note";
    return f->status == PF_STATUS_PREDICTED && !shown ? "warning" : "error";
}

unsigned pf_sarif_rank(const struct pf_finding *f)
{
    static const unsigned of_class[PF_JUDGED_CLASSES] = {
        [PF_JUDGED_SPEC_VIOLATED] = 100, [PF_JUDGED_OUTPUT_DIFFERS] = 80,
        [PF_JUDGED_UNDECIDED] = 50,      [PF_JUDGED_K_WITNESS] = 10,
        [PF_JUDGED_SINGLE_ORDERING] = 5,
    };
    enum pf_judge_class class = pf_finding_class(f);
    if (f->suspicious)
        return 1;
    if (class != PF_JUDGED_UNDECIDED)
        return of_class[class];
    return f->status == PF_STATUS_CONFIRMED   ? 60
           : f->status == PF_STATUS_PREDICTED ? 30
                                              : of_class[class];
}
