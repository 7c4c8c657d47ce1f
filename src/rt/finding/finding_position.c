/*
 * finding_position.c - see finding_position.h.
 */
#include "finding_position.h"
#include "textbuf.h"

const char *pf_finding_stop(struct pf_pool *pool, const struct pf_finding *f)
{
    const struct pf_access *a = &f->accesses[0];
    struct pf_text t;
    pf_text_init(&t, pool);
    pf_text_add(&t, a->thread ? "thread T" : "main thread");
    if (a->thread)
        pf_text_u64(&t, a->thread);
    for (size_t i = 0; i < a->stack.n; i++) {
        const struct pf_stack_frame *p = &a->stack.at[i];
        pf_text_add(&t, i ? " < " : ": ");
        pf_text_name(&t, p->function ? p->function : "??");
        if (p->file) {
            pf_text_char(&t, ' ');
            pf_text_name(&t, pf_str_base(p->file));
            pf_text_char(&t, ':');
            pf_text_u64(&t, p->line);
        }
    }
    pf_text_char(&t, 0);
    return t.failed ? NULL : t.at;
}

const char *pf_finding_position(struct pf_pool *pool, const struct pf_finding *f)
{
    const struct pf_stack_frame *p = pf_backtrace_source(&f->accesses[f->naccesses - 1].stack);
    struct pf_text t;
    pf_text_init(&t, pool);
    pf_text_add(&t, pf_kind_title(f->kind));
    if (p && p->function) {
        pf_text_add(&t, " in ");
        pf_text_name(&t, p->function);
    }
    if (p && p->file) {
        pf_text_add(&t, " (");
        pf_text_name(&t, pf_str_base(p->file));
        pf_text_char(&t, ':');
        pf_text_u64(&t, p->line);
        pf_text_char(&t, ')');
    }
    pf_text_char(&t, 0);
    return t.failed ? NULL : t.at;
}
