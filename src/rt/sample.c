#include "sample.h"
#include "limits.h"
#include "module.h"
#include "options.h"
#include "rt.h"
#include "sys.h"
#include "textbuf.h"

static const struct pf_policy *const policies[] = {&pf_policy_literace};
static const struct pf_policy *policy;

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
        pf_rt.sampling = true;
        return;
    }
    pf_options_refuse("sample", text);
}

void pf_sample_begin(struct pf_thread *t)
{
    int32_t *counts = pf_sys_map(NULL, PF_FUNCS_MAX * sizeof *counts);
    if (!counts) { /* it watches everything, then */
        pf_limit_hit(PF_LIMIT_MEMORY);
        return;
    }
    __pf_tls.counts = counts;
    policy->begin(t);
    __pf_tls.dispatch = PF_DISPATCH_COUNT;
}

void pf_sample_end(struct pf_thread *t)
{
    if (!__pf_tls.counts)
        return;
    policy->end(t);
    pf_sys(SYS_munmap, __pf_tls.counts, PF_FUNCS_MAX * sizeof *__pf_tls.counts);
    __pf_tls.counts = NULL;
}

enum pf_body pf_sample_call(struct pf_thread *t, struct pf_func *f)
{
    pf_nest();
    enum pf_body body = pf_func_number(f) ? policy->call(t, f) : PF_BODY_WATCH;
    pf_unnest();
    return body;
}
