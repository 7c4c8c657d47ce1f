/*
 * sample.c - chooses the sampling policy and passes events on to it.
 */
#include "sample.h"
#include "hooks.h"
#include "limits.h"
#include "module.h"
#include "options.h"
#include "rt.h"
#include "sys.h"
#include "textbuf.h"

static const struct pf_sampling_policy *const policies[] = {
    &pf_sampling_literace, &pf_sampling_pacer, &pf_sampling_atexrace, &pf_sampling_atexrace_paper,
    &pf_sampling_cross};
static const struct pf_sampling_policy *policy;
static bool finished;

void pf_sample_init(void)
{
    const char *text = pf_options.sample;
    if (pf_str_same(text, "full"))
        return;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        const char *name = policies[i]->name;
        size_t n = pf_str_len(name);
        if (!pf_str_starts(text, name) || (text[n] && text[n] != ':'))
            continue;
        if (!policies[i]->configure(text + n + !!text[n]))
            break;
        policy = policies[i];
        pf_rt.sampling = !pf_rt.events && !pf_rt.plain; /* directed mode needs every access */
        if (pf_rt.sampling) {
            pf_hooks.choose_body = pf_sample_call;
            pf_hooks.sampling_finished = pf_sample_finish;
            pf_hooks.sampling_resumed = pf_sample_exec_failed;
        }
        return;
    }
    pf_options_refuse("sample", text);
}

void pf_sample_start(void)
{
    if (pf_rt.sampling && policy->start)
        policy->start();
}

void pf_sample_begin(struct pf_thread *t)
{
    int32_t *counts = pf_sys_map(NULL, PF_FUNCS_MAX * sizeof *counts);
    if (!counts) { /* then every call is watched */
        pf_limit_hit(PF_LIMIT_MEMORY);
        return;
    }
    __pf_tls.counts = counts;
    __pf_tls.dispatch = PF_DISPATCH_COUNT;
    policy->begin(t);
}

void pf_sample_end(struct pf_thread *t)
{
    if (!__pf_tls.counts)
        return;
    policy->end(t);
    pf_sys(SYS_munmap, __pf_tls.counts, PF_FUNCS_MAX * sizeof *__pf_tls.counts);
    __pf_tls.counts = NULL;
}

uint32_t pf_sample_call(struct pf_func *f)
{
    struct pf_thread *t = pf_self();
    if (!t)
        return PF_BODY_PLAIN;
    pf_nest();
    enum pf_body body = pf_func_number(f) ? policy->call(t, f) : PF_BODY_WATCH;
    pf_unnest();
    return body;
}

void pf_sample_burst_begins(struct pf_thread *t, uint32_t asked)
{
    if (policy->burst_begins)
        policy->burst_begins(t, asked);
}

uint32_t pf_sample_burst_left(struct pf_thread *t, struct pf_func *f, uint32_t iterations)
{
    return policy->burst_left ? policy->burst_left(t, f, iterations) : UINT32_MAX;
}

bool pf_sample_rare_block(struct pf_thread *t, struct pf_rare_block *block)
{
    if (policy->rare_block)
        return policy->rare_block(t, block);
    __atomic_store_n(&block->left, 0, __ATOMIC_RELAXED);
    return false;
}

void pf_sample_joined(struct pf_thread *child)
{
    if (policy->joined)
        policy->joined(child);
}

void pf_sample_suspend(struct pf_thread *t, struct pf_frame *top)
{
    if (pf_rt.sampling && policy->suspend)
        policy->suspend(t, top);
}

void pf_sample_resume(struct pf_thread *t)
{
    if (pf_rt.sampling && policy->resume)
        policy->resume(t);
}

void pf_sample_lock(void)
{
    if (pf_rt.sampling && policy->lock)
        policy->lock();
}

void pf_sample_unlock(void)
{
    if (pf_rt.sampling && policy->unlock)
        policy->unlock();
}

void pf_sample_forked(struct pf_thread *t)
{
    finished = false;
    if (pf_rt.sampling && policy->forked)
        policy->forked(t);
}

bool pf_sample_finish(struct pf_sample_numbers *out, bool exec)
{
    if (!pf_rt.sampling || !policy->finish || finished)
        return false;
    finished = true;
    policy->finish(out, exec);
    return true;
}

void pf_sample_exec_failed(void)
{
    if (!pf_rt.sampling || !finished)
        return;
    finished = false;
    if (policy->exec_failed)
        policy->exec_failed();
}
