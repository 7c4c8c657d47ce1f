/*
 * symbolic_body.c - adds labels to a copy of the event body: which values may have one, and the
 * order in which they are computed. The guards around them are in symbolic_group.c.
 *
 * The copy is finished before labels are added, so the symbolic body has the events of the event
 * body by construction. Only the instructions of the original function get labels, not those that
 * count events.
 */
#include "symbolic_body.h"
#include "llvm_shim.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

LLVMValueRef pf_label_number(const struct pf_labels *l, uint32_t n)
{
    return LLVMConstInt(l->u->i32, n, 0);
}

unsigned pf_label_bits(struct pf_unit *u, LLVMTypeRef type)
{
    unsigned bits = 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
        return LLVMGetPointerAddressSpace(type) ? 0 : 64;
    case LLVMIntegerTypeKind:
    case LLVMHalfTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
        bits = (unsigned)LLVMSizeOfTypeInBits(u->layout, type);
        return bits <= 64 ? bits : 0;
    default:
        return 0;
    }
}

LLVMTypeRef pf_label_field_type(LLVMTypeRef type, unsigned field)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMVectorTypeKind   ? LLVMGetElementType(type)
           : kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, field)
                                        : type;
}

unsigned pf_label_fields(struct pf_unit *u, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned n = kind == LLVMVectorTypeKind   ? LLVMGetVectorSize(type)
                 : kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type)
                                              : 1;
    if (n > PF_SYMBOLIC_FIELDS)
        return 0;
    for (unsigned i = 0; i < n; i++)
        if (!pf_label_bits(u, pf_label_field_type(type, i)))
            return 0;
    return n;
}

size_t pf_label_reserve(struct pf_labels *l, LLVMValueRef v)
{
    size_t at = l->nlabel;
    for (unsigned i = 0, n = pf_label_fields(l->u, LLVMTypeOf(v)); i < n; i++)
        PF_PUSH(l->label, l->nlabel, l->label_cap) = l->none;
    *pf_ptrmap_at(&l->first, v) = 1 + at;
    return at;
}

LLVMValueRef pf_label_get(const struct pf_labels *l, LLVMValueRef v, unsigned field)
{
    const uint64_t *at = pf_ptrmap_find(&l->first, v);
    return at ? l->label[*at - 1 + field] : l->none;
}

LLVMValueRef pf_label_field(struct pf_labels *l, LLVMValueRef v, unsigned field)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
    if (kind == LLVMVectorTypeKind)
        return LLVMBuildExtractElement(l->b, v, pf_label_number(l, field), "");
    return kind == LLVMStructTypeKind ? LLVMBuildExtractValue(l->b, v, field, "") : v;
}

LLVMValueRef pf_label_word(struct pf_labels *l, LLVMValueRef scalar)
{
    LLVMTypeRef type = LLVMTypeOf(scalar);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(l->b, scalar, l->u->i64, "");
    if (kind != LLVMIntegerTypeKind)
        scalar = LLVMBuildBitCast(
            l->b, scalar, LLVMIntTypeInContext(l->u->context, pf_label_bits(l->u, type)), "");
    return LLVMBuildIntCast2(l->b, scalar, l->u->i64, 0, "");
}

LLVMValueRef pf_label_call(struct pf_labels *l, enum pf_entry entry, LLVMValueRef *args)
{
    LLVMTypeRef type = l->u->entries[entry].type;
    LLVMValueRef call =
        LLVMBuildCall2(l->b, type, l->u->entries[entry].fn, args, LLVMCountParamTypes(type), "");
    LLVMSetInstructionCallConv(call, l->u->entries[entry].convention);
    return call;
}

/* --- which values may have a label --- */

static bool is_original(const struct pf_labels *l, LLVMValueRef inst)
{
    const uint64_t *old = pf_ptrmap_find(&l->e->originals, inst);
    return old && *old;
}

struct value_list {
    LLVMValueRef *at;
    size_t n, cap;
};

/* The labels of such a value are lost at its uses. If the load itself loses them, the uses need no
 * guard. */
static bool has_only_float_uses(const struct pf_labels *l, LLVMValueRef v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);
    if (!use)
        return false;
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user) || !is_original(l, user) ||
            !pf_label_is_float_operation(l->u, user))
            return false;
    }
    return true;
}

static void mark(struct pf_labels *l, struct value_list *work, LLVMValueRef v)
{
    uint64_t *may = pf_ptrmap_at(&l->may, v);
    if (*may)
        return;
    bool float_only = LLVMIsAInstruction(v) && (pf_label_is_float_operation(l->u, v) ||
                                                (LLVMIsALoadInst(v) && has_only_float_uses(l, v)));
    *may =
        !float_only && pf_label_fields(l->u, LLVMTypeOf(v)) ? PF_MAY_HAVE_LABEL : PF_MAY_LOSE_LABEL;
    if (*may == PF_MAY_HAVE_LABEL)
        PF_PUSH(work->at, work->n, work->cap) = v;
}

/* True if the value has a label that does not come from its operands. */
static bool is_seed(LLVMValueRef inst)
{
    LLVMValueRef fn;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMInvoke:
        return true;
    case LLVMCall:
        fn = pf_callee(inst);
        return !(fn && LLVMGetIntrinsicID(fn)) && !LLVMIsAInlineAsm(LLVMGetCalledValue(inst));
    default:
        return false;
    }
}

static bool carries_label(struct pf_labels *l, LLVMValueRef user)
{
    return LLVMIsAPHINode(user) || pf_label_is_computation(l->u, user);
}

static void find_labelled(struct pf_labels *l, const struct value_list *blocks)
{
    struct value_list work = {0};
    for (unsigned i = 0, n = LLVMCountParams(l->e->fn); i < n; i++)
        mark(l, &work, LLVMGetParam(l->e->fn, i));
    for (size_t b = 0; b < blocks->n; b++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(LLVMValueAsBasicBlock(blocks->at[b])); v;
             v = LLVMGetNextInstruction(v))
            if (is_original(l, v) && is_seed(v))
                mark(l, &work, v);
    while (work.n) {
        LLVMValueRef v = work.at[--work.n];
        for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (LLVMIsAInstruction(user) && is_original(l, user) && carries_label(l, user))
                mark(l, &work, user);
        }
    }
    free(work.at);
}

bool pf_label_may_have(const struct pf_labels *l, LLVMValueRef v)
{
    const uint64_t *may = pf_ptrmap_find(&l->may, v);
    return may && *may == PF_MAY_HAVE_LABEL;
}

/* --- the walk --- */

static bool is_intrinsic_copy(struct pf_unit *u, LLVMValueRef inst)
{
    unsigned id =
        LLVMIsACallInst(inst) && pf_callee(inst) ? LLVMGetIntrinsicID(pf_callee(inst)) : 0;
    return id && (id == u->kinds.memcpy || id == u->kinds.memmove || id == u->kinds.memset ||
                  id == u->kinds.memcpy_inline || id == u->kinds.memset_inline);
}

/* True for a copy or fill for which emit_event.c calls a function of the runtime. */
static bool is_runtime_copy(const struct pf_labels *l, LLVMValueRef inst)
{
    LLVMValueRef fn = LLVMIsACallInst(inst) ? pf_callee(inst) : NULL;
    return fn &&
           (fn == l->u->entries[PF_E___pf_memcpy].fn || fn == l->u->entries[PF_E___pf_memmove].fn ||
            fn == l->u->entries[PF_E___pf_memset].fn);
}

static bool is_musttail(LLVMValueRef inst)
{
    return LLVMIsACallInst(inst) && LLVMGetTailCallKind(inst) == LLVMTailCallKindMustTail;
}

/* Adds what the instruction needs to the current group of label computations, and ends the group at
 * an effect on memory or on the path. */
static void visit(struct pf_labels *l, LLVMValueRef v)
{
    LLVMValueRef next = LLVMGetNextInstruction(v);
    uint64_t size;
    bool write;
    if (is_runtime_copy(l, v)) {
        pf_label_add_member(l, v, PF_LABEL_STORE);
        pf_label_flush(l, next);
        return;
    }
    if (!is_original(l, v) && LLVMIsATerminatorInst(v) && !pf_ptrmap_find(&l->e->counting, v))
        pf_label_flush(l, v); /* a branch that the event body has added */
    if (!is_original(l, v) || LLVMIsAPHINode(v))
        return;
    if (pf_label_is_computation(l->u, v)) {
        if (pf_ptrmap_find(&l->may, v)) /* also if its type has no labels: the loss is counted */
            pf_label_add_member(l, v, PF_LABEL_VALUE);
        return;
    }
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
        pf_label_add_member(l, v, PF_LABEL_VALUE);
        pf_label_flush(l, next);
        return;
    case LLVMStore:
        pf_label_add_member(l, v, PF_LABEL_STORE);
        pf_label_flush(l, next);
        return;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        if (!pf_label_address(l->u, v, &size, &write))
            return;
        pf_label_add_member(l, v, PF_LABEL_OLD);
        pf_label_flush(l, v);
        pf_label_add_member(l, v, PF_LABEL_STORE);
        pf_label_flush(l, next);
        return;
    case LLVMBr:
        if (LLVMIsConditional(v) && pf_label_may_have(l, LLVMGetCondition(v)))
            pf_label_add_member(l, v, PF_LABEL_PATH);
        pf_label_flush(l, v);
        return;
    case LLVMSwitch:
    case LLVMIndirectBr:
        if (pf_label_may_have(l, LLVMGetOperand(v, 0)))
            pf_label_add_member(l, v, PF_LABEL_PATH);
        pf_label_flush(l, v);
        return;
    case LLVMRet:
        if (!LLVMGetPreviousInstruction(v) || !is_musttail(LLVMGetPreviousInstruction(v))) {
            pf_label_flush(l, v);
            pf_label_return(l, v);
        }
        return;
    case LLVMCall:
        if (is_intrinsic_copy(l->u, v)) {
            pf_label_add_member(l, v, PF_LABEL_STORE);
            pf_label_flush(l, next);
            return;
        }
        pf_label_make_call(l, v);
        return;
    case LLVMInvoke:
        pf_label_make_call(l, v);
        return;
    default:
        if (LLVMIsATerminatorInst(v))
            pf_label_flush(l, v);
    }
}

/* The blocks of the body, in an order in which definitions come before uses, except around loops:
 * reverse postorder. */
static void order_blocks(LLVMBasicBlockRef entry, struct value_list *out)
{
    struct value_list stack = {0};
    struct pf_ptrmap state = {0}; /* 1 + number of successors visited */
    PF_PUSH(stack.at, stack.n, stack.cap) = LLVMBasicBlockAsValue(entry);
    *pf_ptrmap_at(&state, entry) = 1;
    while (stack.n) {
        LLVMBasicBlockRef block = LLVMValueAsBasicBlock(stack.at[stack.n - 1]);
        LLVMValueRef term = LLVMGetBasicBlockTerminator(block);
        uint64_t *visited = pf_ptrmap_at(&state, block);
        if (*visited > LLVMGetNumSuccessors(term)) {
            PF_PUSH(out->at, out->n, out->cap) = stack.at[--stack.n];
            continue;
        }
        LLVMBasicBlockRef to = LLVMGetSuccessor(term, (unsigned)(*visited)++ - 1);
        if (!*pf_ptrmap_at(&state, to)) {
            *pf_ptrmap_at(&state, to) = 1;
            PF_PUSH(stack.at, stack.n, stack.cap) = LLVMBasicBlockAsValue(to);
        }
    }
    for (size_t i = 0; i < out->n / 2; i++) {
        LLVMValueRef other = out->at[i];
        out->at[i] = out->at[out->n - 1 - i];
        out->at[out->n - 1 - i] = other;
    }
    pf_ptrmap_release(&state);
    free(stack.at);
}

static void make_phis(struct pf_labels *l, const struct value_list *blocks)
{
    for (size_t b = 0; b < blocks->n; b++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(LLVMValueAsBasicBlock(blocks->at[b]));
             v && LLVMIsAPHINode(v); v = LLVMGetNextInstruction(v)) {
            if (!is_original(l, v) || !pf_label_may_have(l, v))
                continue;
            size_t at = pf_label_reserve(l, v);
            LLVMPositionBuilderBefore(l->b, v);
            for (unsigned k = 0, n = pf_label_fields(l->u, LLVMTypeOf(v)); k < n; k++) {
                l->label[at + k] = LLVMBuildPhi(l->b, l->u->i32, "");
                PF_PUSH(l->phis, l->nphis, l->phis_cap) = l->label[at + k];
            }
        }
}

static void fill_label_phis(struct pf_labels *l, const struct value_list *phis)
{
    for (size_t p = 0; p < phis->n; p++) {
        LLVMValueRef v = phis->at[p];
        size_t at = *pf_ptrmap_find(&l->first, v) - 1;
        for (unsigned k = 0, n = pf_label_fields(l->u, LLVMTypeOf(v)); k < n; k++)
            for (unsigned i = 0, m = LLVMCountIncoming(v); i < m; i++) {
                LLVMValueRef label = pf_label_get(l, LLVMGetIncomingValue(v, i), k);
                LLVMBasicBlockRef from = LLVMGetIncomingBlock(v, i);
                LLVMAddIncoming(l->label[at + k], &label, &from, 1);
            }
    }
}

/* Erases PHIs of labels that only unused PHIs use. */
static void erase_unused(struct pf_labels *l)
{
    bool again = true;
    while (again) {
        again = false;
        for (size_t i = l->nphis; i > 0; i--) {
            LLVMValueRef phi = l->phis[i - 1];
            if (phi && !LLVMGetFirstUse(phi)) {
                LLVMInstructionEraseFromParent(phi);
                l->phis[i - 1] = NULL;
                again = true;
            }
        }
    }
}

static void find_events(struct pf_labels *l)
{
    const struct pf_plan *plan = l->e->plan;
    for (size_t i = 0; i < plan->n; i++)
        *pf_ptrmap_at(&l->is_event, plan->steps[i].inst) = plan->steps[i].what == PF_DO_ACCESS ||
                                                           plan->steps[i].what == PF_DO_VPTR ||
                                                           plan->steps[i].what == PF_DO_ATOMIC;
}

static void collect_phis(const struct pf_labels *l, const struct value_list *blocks,
                         struct value_list *out)
{
    for (size_t b = 0; b < blocks->n; b++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(LLVMValueAsBasicBlock(blocks->at[b]));
             v && LLVMIsAPHINode(v); v = LLVMGetNextInstruction(v))
            if (is_original(l, v) && pf_label_may_have(l, v))
                PF_PUSH(out->at, out->n, out->cap) = v;
}

static void visit_block(struct pf_labels *l, LLVMBasicBlockRef block)
{
    struct value_list all = {0}; /* new instructions are added while the block is visited */
    for (LLVMValueRef v = LLVMGetFirstInstruction(block); v; v = LLVMGetNextInstruction(v))
        PF_PUSH(all.at, all.n, all.cap) = v;
    size_t i = 0;
    pf_label_loop_enter(l, block);
    while (i < all.n && LLVMIsAPHINode(all.at[i]))
        i++;
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use;
         use = LLVMGetNextUse(use)) {
        LLVMValueRef invoke = LLVMIsAInvokeInst(LLVMGetUser(use));
        if (invoke && LLVMGetNormalDest(invoke) == block && is_original(l, invoke)) {
            pf_label_after_call(l, invoke, all.at[i]);
            break;
        }
    }
    for (; i < all.n; i++)
        visit(l, all.at[i]);
    free(all.at);
}

/* Undefined operands become 0. Otherwise a node of the log would have the value that a register
 * happens to have, which differs from build to build. */
static void define_operands(const struct pf_labels *l, const struct value_list *blocks)
{
    for (size_t b = 0; b < blocks->n; b++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(LLVMValueAsBasicBlock(blocks->at[b])); v;
             v = LLVMGetNextInstruction(v)) {
            bool chooses = LLVMIsAPHINode(v) || LLVMIsASelectInst(v) || LLVMIsAFreezeInst(v);
            for (unsigned i = 0, n = (unsigned)LLVMGetNumOperands(v);
                 i < n && chooses && is_original(l, v); i++)
                if (LLVMIsUndef(LLVMGetOperand(v, i)))
                    LLVMSetOperand(v, i, LLVMConstNull(LLVMTypeOf(LLVMGetOperand(v, i))));
        }
}

void pf_symbolic_add_labels(struct pf_emit *e, LLVMBasicBlockRef dispatch)
{
    struct pf_labels l = {.e = e, .u = e->u, .b = e->b, .none = LLVMConstInt(e->u->i32, 0, 0)};
    struct value_list blocks = {0}, phis = {0};
    order_blocks(e->first[0], &blocks);
    define_operands(&l, &blocks);
    find_labelled(&l, &blocks);
    find_events(&l);
    pf_label_loops_find(&l);
    LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(dispatch));
    LLVMSetCurrentDebugLocation2(e->b, NULL);
    l.call_frame =
        LLVMBuildAlloca(e->b, LLVMArrayType2(e->u->i64, sizeof(struct pf_symbolic_call) / 8), "");
    make_phis(&l, &blocks);
    collect_phis(&l, &blocks, &phis);
    LLVMValueRef start = LLVMGetFirstInstruction(e->first[0]);
    pf_label_enter(&l, start);
    for (size_t b = 0; b < blocks.n; b++)
        visit_block(&l, LLVMValueAsBasicBlock(blocks.at[b]));
    fill_label_phis(&l, &phis);
    erase_unused(&l);
    if (!LLVMGetFirstUse(l.call_frame))
        LLVMInstructionEraseFromParent(l.call_frame);
    pf_ptrmap_release(&l.may);
    pf_ptrmap_release(&l.first);
    pf_ptrmap_release(&l.is_event);
    pf_ptrmap_release(&l.loop);
    free(l.label);
    free(l.group);
    free(l.phis);
    free(blocks.at);
    free(phis.at);
}
