/*
 * emit_scope.c - tells the runtime when the lifetimes of stack variables start and end, in watch
 * bodies that were compiled with -fpf-use-after-scope.
 *
 * Between a call of __pf_scope_ends and the next call of __pf_scope_begins, every use of the
 * variable is an error. Before the function is left, __pf_scope_begins is also called for each
 * variable with a call of __pf_scope_ends, because other functions may use the memory from then on.
 * For a variable that is never checked, only __pf_scope_begins is called: it may share stack memory
 * with a variable whose lifetime has ended.
 */
#include "debuginfo.h"
#include "emit.h"
#include "variable_bounds.h"

static uint64_t size_of(struct pf_emit *e, LLVMValueRef variable)
{
    return pf_bounds_size(e->u, variable, LLVMGetAllocatedType(variable)) *
           LLVMConstIntGetZExtValue(LLVMGetOperand(variable, 0));
}

static void emit_begin(struct pf_emit *e, LLVMValueRef variable)
{
    LLVMValueRef args[] = {variable, LLVMConstInt(e->u->i64, size_of(e, variable), 0)};
    pf_emit_call(e, PF_E___pf_scope_begins, args);
}

static bool has_end(struct pf_emit *e, const struct pf_plan_step *s)
{
    return s->what == PF_DO_LIFETIME && !s->write && !pf_memory_is_unchecked(e->u, s->ptr);
}

void pf_scope_lifetime(struct pf_emit *e, const struct pf_plan_step *s)
{
    if (s->write) {
        pf_emit_copy(e, s->inst);
        emit_begin(e, s->ptr);
        return;
    }
    if (has_end(e, s)) {
        uint64_t size = size_of(e, s->ptr);
        uint32_t site = pf_emit_site(e, s->inst, PF_SITE_NONE, size, pf_di_variable(e->u, s->ptr));
        LLVMValueRef args[] = {s->ptr, LLVMConstInt(e->u->i64, size, 0), pf_emit_number(e, site)};
        pf_emit_call(e, PF_E___pf_scope_ends, args);
    }
    pf_emit_copy(e, s->inst);
}

void pf_scope_leave(struct pf_emit *e)
{
    struct pf_ptrmap done = {0};
    for (size_t i = 0; i < e->plan->n; i++) {
        const struct pf_plan_step *s = &e->plan->steps[i];
        if (!has_end(e, s) || pf_ptrmap_find(&done, s->ptr))
            continue;
        *pf_ptrmap_at(&done, s->ptr) = 1;
        emit_begin(e, s->ptr);
    }
    pf_ptrmap_release(&done);
}
