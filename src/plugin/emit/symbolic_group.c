/*
 * symbolic_group.c - groups of label computations: their guard, their code, and the PHIs after it
 * (see symbolic_body.h).
 *
 * Rejected: one guard for each operation. Three quarters of the code were guards, and the branch
 * predictor was full of branches that are never taken.
 */
#include "llvm_shim.h"
#include "pf_shadow.h"
#include "symbolic_body.h"
#include <llvm-c/DebugInfo.h>

static bool is_in_group(const struct pf_labels *l, LLVMValueRef v)
{
    for (size_t i = l->ngroup; i > 0; i--)
        if (l->group[i - 1].inst == v && l->group[i - 1].phase <= PF_LABEL_OLD)
            return true;
    return false;
}

static LLVMValueRef add_guard(struct pf_labels *l, LLVMValueRef guard, LLVMValueRef also)
{
    if (LLVMIsConstant(also) && LLVMIsNull(also))
        return guard;
    return guard ? LLVMBuildOr(l->b, guard, also, "") : also;
}

/* The byte of the taint map for this address, or this byte and the next one, as 32 bits. */
static LLVMValueRef taint_of(struct pf_labels *l, LLVMValueRef ptr, bool two)
{
    struct pf_unit *u = l->u;
    LLVMValueRef at = LLVMBuildPtrToInt(l->b, ptr, u->i64, "");
    LLVMTypeRef type = two ? LLVMInt16TypeInContext(u->context) : u->i8;
    at = LLVMBuildAnd(l->b, at, LLVMConstInt(u->i64, (1ull << PF_APP_BITS) - 1, 0), "");
    at = LLVMBuildLShr(l->b, at, LLVMConstInt(u->i64, PF_TAINT_SHIFT, 0), "");
    at = LLVMBuildAdd(l->b, at, LLVMConstInt(u->i64, PF_TAINT_MAP, 0), "");
    LLVMValueRef taint = LLVMBuildLoad2(l->b, type, LLVMBuildIntToPtr(l->b, at, u->ptr, ""), "");
    LLVMSetAlignment(taint, 1);
    return LLVMBuildZExt(l->b, taint, u->i32, "");
}

/* If the range may end in the next line of the taint map, the guard has both lines: one load is
 * cheaper than a second address. A label in the next line only makes the slow side run. */
static LLVMValueRef guard_range(struct pf_labels *l, LLVMValueRef guard, LLVMValueRef ptr,
                                uint64_t size, unsigned align)
{
    return add_guard(l, guard, taint_of(l, ptr, size > 1 && align < size));
}

/* Adds what the member needs to the guard. *always: it needs no guard. */
static LLVMValueRef guard_member(struct pf_labels *l, LLVMValueRef guard,
                                 const struct pf_label_member *m, bool *always)
{
    uint64_t size;
    bool write;
    LLVMValueRef at = pf_label_address(l->u, m->inst, &size, &write);
    if (m->phase != PF_LABEL_PATH && at) {
        bool memory =
            m->phase == PF_LABEL_STORE || m->phase == PF_LABEL_OLD || LLVMIsALoadInst(m->inst);
        if (memory && size > 64)
            *always = true;
        else if (memory)
            guard = guard_range(l, guard, at, size, LLVMGetAlignment(m->inst));
    } else if (LLVMIsACallInst(m->inst) && !pf_label_is_computation(l->u, m->inst)) {
        *always = true; /* a copy or fill of any size */
    }
    for (int i = 0, n = LLVMGetNumOperands(m->inst); i < n; i++) {
        LLVMValueRef v = LLVMGetOperand(m->inst, i);
        if (!v || LLVMValueIsBasicBlock(v) || is_in_group(l, v) || !pf_ptrmap_find(&l->first, v))
            continue;
        for (unsigned k = 0, f = pf_label_fields(l->u, LLVMTypeOf(v)); k < f; k++)
            guard = add_guard(l, guard, pf_label_get(l, v, k));
    }
    /* the old value of an atomic update */
    if (m->phase == PF_LABEL_STORE && pf_ptrmap_find(&l->first, m->inst))
        guard = add_guard(l, guard, pf_label_get(l, m->inst, 0));
    return guard;
}

/* Emits the members where the builder is, and makes their labels known. */
static void emit_members(struct pf_labels *l)
{
    for (size_t i = 0; i < l->ngroup; i++) {
        LLVMValueRef out[PF_SYMBOLIC_FIELDS];
        const struct pf_label_member *m = &l->group[i];
        unsigned n = pf_label_may_have(l, m->inst) ? pf_label_fields(l->u, LLVMTypeOf(m->inst)) : 0;
        for (unsigned k = 0; k < PF_SYMBOLIC_FIELDS; k++)
            out[k] = l->none;
        LLVMSetCurrentDebugLocation2(l->b, LLVMInstructionGetDebugLoc(m->inst));
        if (m->phase == PF_LABEL_STORE && n) /* keep the label of the old value */
            for (unsigned k = 0; k < n; k++)
                out[k] = pf_label_get(l, m->inst, k);
        pf_label_emit(l, m, out);
        if (!n) {
            for (unsigned k = 0; k < PF_SYMBOLIC_FIELDS && LLVMIsALoadInst(m->inst); k++)
                pf_label_lost(l, PF_LOSS_FLOAT, out[k], l->none);
            continue;
        }
        const uint64_t *known = pf_ptrmap_find(&l->first, m->inst);
        size_t at = known ? *known - 1 : pf_label_reserve(l, m->inst);
        for (unsigned k = 0; k < n; k++)
            l->label[at + k] = out[k];
    }
}

/* Replaces the labels that the group has computed by PHIs at the start of `after`. On the fast side
 * a PHI has the label from before the group. */
static void join_labels(struct pf_labels *l, LLVMBasicBlockRef fast, LLVMBasicBlockRef slow,
                        LLVMBasicBlockRef after, const LLVMValueRef *before)
{
    LLVMBasicBlockRef from[] = {fast, slow};
    LLVMPositionBuilderBefore(l->b, LLVMGetFirstInstruction(after));
    for (size_t i = 0; i < l->ngroup; i++) {
        const uint64_t *at = pf_ptrmap_find(&l->first, l->group[i].inst);
        for (unsigned k = 0, n = at ? pf_label_fields(l->u, LLVMTypeOf(l->group[i].inst)) : 0;
             k < n; k++) {
            LLVMValueRef *label = &l->label[*at - 1 + k];
            if (*label == l->none || *label == before[i * PF_SYMBOLIC_FIELDS + k])
                continue;
            LLVMValueRef phi = LLVMBuildPhi(l->b, l->u->i32, "");
            LLVMValueRef values[] = {before[i * PF_SYMBOLIC_FIELDS + k], *label};
            LLVMAddIncoming(phi, values, from, 2);
            PF_PUSH(l->phis, l->nphis, l->phis_cap) = phi;
            *label = phi;
        }
    }
}

void pf_label_flush(struct pf_labels *l, LLVMValueRef next)
{
    if (!l->ngroup)
        return;
    LLVMPositionBuilderBefore(l->b, next);
    LLVMSetCurrentDebugLocation2(l->b, LLVMInstructionGetDebugLoc(l->group[l->ngroup - 1].inst));
    LLVMValueRef guard = NULL;
    bool always = false;
    for (size_t i = 0; i < l->ngroup; i++)
        guard = guard_member(l, guard, &l->group[i], &always);
    if (always) {
        emit_members(l);
    } else if (guard) {
        LLVMValueRef *before = pf_grow(NULL, l->ngroup * PF_SYMBOLIC_FIELDS * sizeof *before);
        for (size_t i = 0; i < l->ngroup; i++)
            for (unsigned k = 0, n = pf_label_fields(l->u, LLVMTypeOf(l->group[i].inst));
                 k < PF_SYMBOLIC_FIELDS; k++)
                before[i * PF_SYMBOLIC_FIELDS + k] =
                    k < n ? pf_label_get(l, l->group[i].inst, k) : l->none;
        guard = LLVMBuildICmp(l->b, LLVMIntEQ, guard, pf_label_number(l, 0), "");
        LLVMBasicBlockRef fast = LLVMGetInsertBlock(l->b), after = pf_llvm_split_before(next);
        LLVMBasicBlockRef slow = pf_emit_block(l->e);
        LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(fast));
        LLVMPositionBuilderAtEnd(l->b, fast);
        pf_emit_branch(l->e, guard, after, slow, true);
        LLVMPositionBuilderAtEnd(l->b, slow);
        emit_members(l);
        LLVMBuildBr(l->b, after);
        join_labels(l, fast, slow, after, before);
        free(before);
    }
    l->ngroup = 0;
}

void pf_label_add_member(struct pf_labels *l, LLVMValueRef inst, enum pf_label_phase phase)
{
    PF_PUSH(l->group, l->ngroup, l->group_cap) = (struct pf_label_member){inst, phase};
}
