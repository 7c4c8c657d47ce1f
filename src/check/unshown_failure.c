/* unshown_failure.c - see unshown_failure.h. */
#include "unshown_failure.h"
#include "allocation.h"
#include "failed_stack.h"
#include "fingerprint.h"
#include "fnv.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static char *text(struct pf_findings *f, const char *s)
{
    return pf_mem_checked(pf_pool_text(&f->pool, s, strlen(s)));
}

/* True if the stack of a recording may be that of a replay: it has the function in which the replay
 * failed, or it begins with the caller of that function. The stack of a recording comes from the
 * shadow stack, on which a function that calls nothing has no frame. */
static bool is_same_place(const char *recorded, const struct pf_backtrace *replayed,
                          const struct pf_stack_frame *at)
{
    if (pf_failed_stack_has(recorded, at->function))
        return true;
    const struct pf_stack_frame *caller = at + 1;
    return caller < replayed->at + replayed->n && caller->function &&
           pf_failed_stack_is_in(recorded, caller->function);
}

/* True if the finding, which a replay has shown, may be this failure: kind, signal and function are
 * the same as far as they are known. */
static bool shows(const struct pf_finding *it, const struct pf_unshown_failure *x)
{
    bool asserts = x->kind == PF_KIND_CRASH &&
                   (it->kind == PF_KIND_ASSERTION || it->kind == PF_KIND_DOUBLE_FREE);
    int signal = asserts ? SIGABRT : it->signal;
    if (!it->naccesses || (it->kind != x->kind && !asserts))
        return false;
    if (x->signal && signal && x->signal != signal)
        return false;
    bool is_known = false;
    for (size_t i = 0; i < it->naccesses; i++) {
        const struct pf_backtrace *stack = &it->accesses[i].stack;
        const struct pf_stack_frame *at = pf_backtrace_source(stack);
        if (at && at->function && is_same_place(x->stack, stack, at))
            return true;
        is_known |= at && at->function;
    }
    return !is_known || !x->stack[0];
}

bool pf_crash_is_double_free(const struct pf_findings *f, const struct pf_finding *crash)
{
    if (crash->kind != PF_KIND_CRASH || crash->signal != SIGABRT || crash->clip ||
        !crash->naccesses)
        return false;
    const struct pf_stack_frame *at = pf_backtrace_source(&crash->accesses[0].stack);
    for (size_t i = 0; at && at->file && i < f->n; i++) {
        const struct pf_finding *it = f->at[i];
        if (it->kind != PF_KIND_DOUBLE_FREE || it->status != PF_STATUS_CONFIRMED || !it->naccesses)
            continue;
        const struct pf_stack_frame *freed =
            pf_backtrace_source(&it->accesses[it->naccesses - 1].stack);
        if (freed && freed->file && freed->line == at->line && !strcmp(freed->file, at->file))
            return true;
    }
    return false;
}

static bool is_shown(const struct pf_findings *f, const struct pf_unshown_failure *x)
{
    for (size_t i = 0; i < f->n; i++)
        if (shows(f->at[i], x))
            return true;
    return false;
}

/* The finding of an earlier failure that may be the same one; NULL: none. */
static struct pf_finding *find_earlier(const struct pf_unshown_failure *list,
                                       const struct pf_unshown_failure *x)
{
    for (const struct pf_unshown_failure *k = list; k; k = k->next)
        if (k->kind == x->kind && k->signal == x->signal &&
            (!*k->stack || !*x->stack || !strcmp(k->stack, x->stack)))
            return k->finding;
    return NULL;
}

static struct pf_finding *add(struct pf_findings *f, struct pf_unshown_failure **list,
                              const struct pf_unshown_failure *x, const char *harm)
{
    struct pf_finding *it = pf_mem_checked(pf_pool_get(&f->pool, sizeof *it));
    struct pf_unshown_failure *k = pf_mem_checked(pf_pool_get(&f->pool, sizeof *k));
    char *why = pf_mem_format("%s%s",
                              x->clip ? "a recording that was not replayed ended like this: "
                                      : "no recording shows it",
                              x->clip ? x->clip : "");
    *it = (struct pf_finding){.kind = x->kind,
                              .analysis = "failure",
                              .harm = text(f, harm),
                              .signal = x->signal,
                              .unconfirmed = text(f, why)};
    free(why);
    it->id = pf_fnv_text(pf_fnv_number(pf_fingerprint(it), (uint64_t)x->signal), x->stack);
    pf_findings_push(f, it);
    *k = *x;
    k->stack = text(f, x->stack);
    k->finding = it;
    k->next = *list;
    *list = k;
    return it;
}

void pf_unshown_failure_add(struct pf_findings *f, struct pf_unshown_failure **list,
                            const struct pf_unshown_failure *x, const char *harm)
{
    if (is_shown(f, x))
        return;
    struct pf_finding *it = find_earlier(*list, x);
    if (!it)
        it = add(f, list, x, harm);
    it->count++;
    pf_findings_add_stage(f, it, x->clip ? "record" : "run", "failure", PF_STATUS_OBSERVED, 1);
}
