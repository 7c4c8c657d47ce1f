/*
 * sample.h - sampling: which calls run the watch body, when not all of them do.
 *
 * Model:   a sampler answers, for a call of function f by thread t, "watch" or "plain". Plain bodies
 *          keep frames, atomics and fences, so happens-before is always complete and what is found
 *          is always true; only what is not looked at can be missed. Compiled code asks through
 *          __pf_ask, and not at every call: counts[f] calls of f go unasked (PF_DISPATCH_COUNT).
 * Memory:  a thread's part is made by _begin and goes with _end.
 * Threads: each asks for itself; what a sampler shares between threads it locks itself.
 */
#ifndef PF_RT_SAMPLE_H
#define PF_RT_SAMPLE_H

#include "thread.h"

struct pf_sample_numbers { /* for the log of the execution */
    uint64_t pairs, frequent;
};

/* Those without a comment are called in the thread itself, nested. NULL: there is nothing to do. */
struct pf_sampler {
    const char *name;
    /* Takes the text after "name:" ("" if there is none) apart; false: it makes no sense. */
    bool (*configure)(const char *parameters);
    void (*start)(void); /* of the process */
    void (*begin)(struct pf_thread *t);
    void (*end)(struct pf_thread *t);
    enum pf_body (*call)(struct pf_thread *t, struct pf_func *f);
    void (*joined)(struct pf_thread *child); /* in whoever knows all it did now */
    void (*finish)(struct pf_sample_numbers *out); /* the process ends; others may still run */
    void (*forked)(struct pf_thread *t); /* in the child */
};
extern const struct pf_sampler pf_sampler_literace, pf_sampler_pacer, pf_sampler_atexrace,
    pf_sampler_cross;

/* Reads the option `sample`; what is not known ends the process with status 2. */
void pf_sample_init(void);
/* When the log of the process is open: what is wrong with a state folder is told there. */
void pf_sample_start(void);
/* A call of f by t, which is about to be made. */
enum pf_body pf_sample_call(struct pf_thread *t, struct pf_func *f);
/* In the thread itself, nested; when pf_rt.sampling. */
void pf_sample_begin(struct pf_thread *t);
void pf_sample_end(struct pf_thread *t);
void pf_sample_joined(struct pf_thread *child);
void pf_sample_forked(struct pf_thread *t);
/* Once, at the end of the process. False: there is nothing to tell. */
bool pf_sample_finish(struct pf_sample_numbers *out);

#endif
