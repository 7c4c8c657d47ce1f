/*
 * thread_sample.h - the part of a thread's state that belongs to sampling.
 */
#ifndef PF_RT_THREAD_SAMPLE_H
#define PF_RT_THREAD_SAMPLE_H

#include <stdbool.h>

struct pf_cover;

struct pf_thread_sample {
    void *policy_state; /* owned by the sampling policy */
    struct pf_cover *cover; /* cover_sites.h; NULL: it covers nothing */
    bool expected; /* it is counted as created but not begun (running_functions.h) */
};

#endif
