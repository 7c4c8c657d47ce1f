/*
 * sample.h - sampling: a policy decides which calls run the watch body.
 *
 * Model:   for a call of function f by thread t, a policy answers "watch" or "plain". Plain bodies
 *          keep frames, atomics and fences, so happens-before is always complete, and every
 *          reported race is real; only races of unwatched accesses can be missed. Compiled code
 *          asks through __pf_ask, but not at every call: counts[f] calls of f pass without asking
 *          (PF_DISPATCH_COUNT).
 * Memory:  a thread's state is created by _begin and freed by _end.
 * Threads: each thread asks for itself; a policy locks what its threads share. A thread may end
 *          while another one finishes the process.
 * Errors:  a thread without memory for its state watches every call, counted as PF_LIMIT_MEMORY.
 */
#ifndef PF_RT_SAMPLE_H
#define PF_RT_SAMPLE_H

#include "findings_log.h"
#include "thread.h"

/* Functions without a comment are called in the thread itself, nested. NULL: nothing to do. */
struct pf_sampling_policy {
    const char *name;
    /* Parses the text after "name:" ("" if there is none); returns false if it is invalid. */
    bool (*configure)(const char *parameters);
    void (*start)(void); /* at the start of the process */
    void (*begin)(struct pf_thread *t);
    void (*end)(struct pf_thread *t);
    enum pf_body (*call)(struct pf_thread *t, struct pf_func *f);
    /* The thread has switched to a watch body in the middle of a call. asked: the value that
     * tls.body_switch had then. */
    void (*burst_begins)(struct pf_thread *t, uint32_t asked);
    /* As __pf_burst_left (pf_abi.def). NULL: calls are watched to their end. */
    uint32_t (*burst_left)(struct pf_thread *t, struct pf_func *f, uint32_t iterations);
    /* As __pf_rare_block. NULL: never. */
    bool (*rare_block)(struct pf_thread *t, struct pf_rare_block *block);
    /* in the thread that has acquired all of the child's actions */
    void (*joined)(struct pf_thread *child);
    /* a fiber is switched out, with `top` on top of its shadow stack; or in, on the calling kernel
     * thread */
    void (*suspend)(struct pf_thread *t, struct pf_frame *top);
    void (*resume)(struct pf_thread *t);
    /* the process ends, or executes another program; other threads may still run */
    void (*finish)(struct pf_sample_numbers *out, bool exec);
    void (*exec_failed)(void); /* undoes finish(exec): the process goes on */
    void (*lock)(void); /* around fork */
    void (*unlock)(void);
    void (*forked)(struct pf_thread *t); /* in the child process */
};
extern const struct pf_sampling_policy pf_sampling_literace, pf_sampling_pacer,
    pf_sampling_atexrace, pf_sampling_atexrace_paper, pf_sampling_cross;

/* Reads the option `sample`; an unknown policy ends the process with status 2. */
void pf_sample_init(void);
/* Called when the findings log is open, because problems with the state folder are logged. */
void pf_sample_start(void);
/* Returns the body (enum pf_body) for the call of f that the calling thread is about to make. */
uint32_t pf_sample_call(struct pf_func *f);
/* Called in the thread itself, nested, while pf_rt.sampling. */
void pf_sample_burst_begins(struct pf_thread *t, uint32_t asked);
/* As __pf_rare_block. */
bool pf_sample_rare_block(struct pf_thread *t, struct pf_rare_block *block);
uint32_t pf_sample_burst_left(struct pf_thread *t, struct pf_func *f, uint32_t iterations);
void pf_sample_begin(struct pf_thread *t);
void pf_sample_end(struct pf_thread *t);
void pf_sample_joined(struct pf_thread *child);
/* A fiber is switched out; another one is switched in. Between the two calls the caller changes
 * __pf_tls, which no other thread uses then. */
void pf_sample_suspend(struct pf_thread *t, struct pf_frame *top);
void pf_sample_resume(struct pf_thread *t);
void pf_sample_forked(struct pf_thread *t);
void pf_sample_lock(void); /* around fork */
void pf_sample_unlock(void);
/* Once, at the end of the process, or before it executes another program (`exec`). Returns false if
 * there are no numbers to log. One caller at a time. */
bool pf_sample_finish(struct pf_sample_numbers *out, bool exec);
void pf_sample_exec_failed(void);

#endif
