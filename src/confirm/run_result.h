/*
 * run_result.h - the result of a run of two regions: the shared memory that the regions wrote, the
 * output, and how the run ended.
 *
 * Model:   memory is compared at the moment when both regions have ended: every byte that a region
 *          wrote in either of the two runs. A byte is unknown if no event shows its value; an
 *          unknown byte equals every value. Output is compared as a sorted list of lines.
 * Memory:  release frees everything.
 */
#ifndef PF_CONFIRM_RUN_RESULT_H
#define PF_CONFIRM_RUN_RESULT_H

#include "clip.h"
#include "region_end.h"

struct pf_run_result {
    bool ran; /* the order could be run, and everything below is valid */
    struct pf_trace now;
    struct pf_clip_end end;
    uint32_t begin[2], last[2]; /* first and last event of each region, in `now` */
    PF_VEC(char *) lines; /* the output, sorted */
};

void pf_run_result_init(struct pf_run_result *r);
void pf_run_result_release(struct pf_run_result *r);
/* Reads the output of the clip; false: it could not be read. */
bool pf_run_result_read_output(struct pf_run_result *r, const char *clip);
/* True if both runs failed, or succeeded, in the same way. */
bool pf_run_result_same_end(const struct pf_clip_end *a, const struct pf_clip_end *b);
/* True if no difference of the memory is known. */
bool pf_run_result_same_memory(const struct pf_run_result *a, const struct pf_run_result *b);
/* NULL: no difference is known. Otherwise what differs, as words: "the shared memory", ... */
const char *pf_run_result_difference(const struct pf_run_result *a, const struct pf_run_result *b);

#endif
