/* crash_merge.c - see crash_merge.h. */
#include "crash_merge.h"
#include "textbuf.h"
#include <signal.h>

/* True if the functions of `outer` are the outermost ones of `whole`. */
static bool is_outer_part(const struct pf_backtrace *outer, const struct pf_backtrace *whole)
{
    if (outer->n > whole->n)
        return false;
    size_t skip = whole->n - outer->n;
    for (size_t i = 0; i < outer->n; i++)
        if (!pf_str_same(outer->at[i].function, whole->at[skip + i].function))
            return false;
    return true;
}

static bool is_free_crash(const struct pf_finding *it)
{
    return it->kind == PF_KIND_CRASH && it->status == PF_STATUS_OBSERVED && !it->clip &&
           it->naccesses == 1;
}

static struct pf_finding *find_confirmed(const struct pf_findings *f, const struct pf_finding *it)
{
    for (size_t i = 0; i < f->n; i++) {
        struct pf_finding *c = f->at[i];
        if (c->kind == PF_KIND_CRASH && c->status == PF_STATUS_CONFIRMED && c->naccesses == 1 &&
            pf_str_same(c->harm, it->harm) &&
            is_outer_part(&it->accesses[0].stack, &c->accesses[0].stack))
            return c;
    }
    return NULL;
}

/* The confirmed memory error that explains an invalid access of a free run: the same functions use
 * memory that the program has freed, say. A replay does not die there, because heap blocks stay
 * mapped. */
static struct pf_finding *find_memory_error(const struct pf_findings *f,
                                            const struct pf_finding *it)
{
    if (it->signal != SIGSEGV && it->signal != SIGBUS)
        return NULL;
    for (size_t i = 0; i < f->n; i++) {
        struct pf_finding *c = f->at[i];
        if (!pf_kind_is_memory_error(c->kind) || c->status != PF_STATUS_CONFIRMED)
            continue;
        for (size_t k = 0; k < c->naccesses; k++)
            if ((c->accesses[k].op == PF_OP_READ || c->accesses[k].op == PF_OP_WRITE) &&
                is_outer_part(&it->accesses[0].stack, &c->accesses[k].stack))
                return c;
    }
    return NULL;
}

void pf_findings_merge_crashes(struct pf_findings *f)
{
    size_t keep = 0, n = f->n;
    for (size_t i = 0; i < n; i++) {
        struct pf_finding *it = f->at[i];
        struct pf_finding *same = is_free_crash(it) ? find_confirmed(f, it) : NULL;
        if (!same && is_free_crash(it))
            same = find_memory_error(f, it);
        if (!same) {
            f->at[keep++] = it;
            continue;
        }
        same->count += it->count;
        for (const struct pf_stage *s = it->stages; s; s = s->next)
            pf_findings_add_stage(f, same, s->stage, s->analysis, s->status, s->count);
    }
    f->n = keep;
}
