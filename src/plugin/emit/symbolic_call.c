/*
 * symbolic_call.c - labels of arguments and results. Between symbolic bodies they pass through
 * thread-local words (struct pf_tls). A function without a symbolic body has a model in the
 * runtime, or its result is concrete.
 */
#include "llvm_shim.h"
#include "symbolic_body.h"
#include <stdio.h>
#include <string.h>

#define TLS(l, field) pf_emit_tls((l)->e, offsetof(struct pf_tls, symbolic.field))

static LLVMValueRef tls_label(struct pf_labels *l, size_t base, unsigned i)
{
    return pf_emit_tls(l->e, base + i * sizeof(uint32_t));
}

/* The size of a parameter that is passed by value in memory; 0: it is not. */
static uint64_t by_value_size(struct pf_unit *u, LLVMValueRef fn, unsigned i)
{
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(fn, i + 1, u->kinds.byval);
    return a ? LLVMABISizeOfType(u->layout, LLVMGetTypeAttributeValue(a)) : 0;
}

/* Parameter i of the function, n bytes passed by value in memory: the caller's labels, if the call
 * is `ours`. */
static void take_by_value(struct pf_labels *l, unsigned i, unsigned slot, uint64_t n,
                          LLVMValueRef ours)
{
    struct pf_unit *u = l->u;
    LLVMValueRef to = LLVMGetParam(l->e->fn, i), size = LLVMConstInt(u->i64, n, 0);
    pf_label_call(l, PF_E___pf_symbolic_fill, (LLVMValueRef[]){to, l->none, size});
    if (slot >= PF_SYMBOLIC_BY_VALUE)
        return;
    size_t at = offsetof(struct pf_tls, symbolic.by_value) + slot * sizeof(void *);
    LLVMValueRef from = LLVMBuildLoad2(l->b, u->ptr, pf_emit_tls(l->e, at), "");
    size = LLVMBuildSelect(l->b, ours, size, LLVMConstInt(u->i64, 0, 0), "");
    pf_label_call(l, PF_E___pf_symbolic_copy, (LLVMValueRef[]){to, from, size});
}

/* The argument labels are taken if the caller has called exactly this function. */
void pf_label_enter(struct pf_labels *l, LLVMValueRef before)
{
    struct pf_unit *u = l->u;
    LLVMValueRef fn = l->e->fn; /* bare_entry.c moves the bodies, but this stays the entry */
    unsigned n = LLVMCountParams(l->e->fn);
    LLVMPositionBuilderBefore(l->b, before);
    LLVMValueRef callee = LLVMBuildLoad2(l->b, u->ptr, TLS(l, callee), "");
    LLVMValueRef ours = LLVMBuildICmp(l->b, LLVMIntEQ, callee, fn, "");
    for (unsigned i = 0, slot = 0; i < n; i++) {
        uint64_t size = by_value_size(u, l->e->fn, i);
        if (size)
            take_by_value(l, i, slot++, size, ours);
    }
    for (unsigned i = 0; i < n && i < PF_SYMBOLIC_ARGUMENTS; i++) {
        LLVMValueRef v = LLVMGetParam(l->e->fn, i);
        if (!pf_label_bits(u, LLVMTypeOf(v)))
            continue;
        size_t at = pf_label_reserve(l, v);
        LLVMValueRef label = LLVMBuildLoad2(
            l->b, u->i32, tls_label(l, offsetof(struct pf_tls, symbolic.argument), i), "");
        l->label[at] = LLVMBuildSelect(l->b, ours, label, l->none, "");
    }
    LLVMBuildStore(l->b, LLVMBuildSelect(l->b, ours, LLVMConstNull(u->ptr), callee, ""),
                   TLS(l, callee));
}

void pf_label_return(struct pf_labels *l, LLVMValueRef ret)
{
    LLVMValueRef v = LLVMGetNumOperands(ret) ? LLVMGetOperand(ret, 0) : NULL;
    unsigned n = v ? pf_label_fields(l->u, LLVMTypeOf(v)) : 0;
    LLVMPositionBuilderBefore(l->b, ret);
    for (unsigned k = 0; k < n; k++)
        LLVMBuildStore(l->b, pf_label_get(l, v, k),
                       tls_label(l, offsetof(struct pf_tls, symbolic.result), k));
    if (n)
        LLVMBuildStore(l->b, l->e->fn, TLS(l, returned));
}

static const char *const models[] = {
    "",
#define PF_MODEL(name, by) #name,
#define PF_MODEL_AS(name, by, symbol) symbol,
#include "pf_model.def"
#undef PF_MODEL
};

static unsigned model_of(LLVMValueRef call)
{
    LLVMValueRef fn = pf_callee(call);
    size_t n;
    if (!fn || !LLVMIsDeclaration(fn))
        return 0;
    const char *name = LLVMGetValueName2(fn, &n);
    if (pf_name_starts(name, "__isoc23_strto") || pf_name_starts(name, "__isoc23_sscanf") ||
        pf_name_starts(name, "__isoc99_sscanf")) /* names that newer standards give them */
        name += strlen("__isoc23_");
    for (unsigned i = 1; i < PF_MODELS; i++)
        if (!strcmp(name, models[i]))
            return i;
    /* a fortified function (__NAME_chk) that pf_model.def does not list has the arguments of NAME
     * and one more, the size of the destination */
    n = strlen(name);
    if (n < 7 || strncmp(name, "__", 2) || strcmp(name + n - 4, "_chk"))
        return 0;
    for (unsigned i = 1; i < PF_MODELS; i++)
        if (!strncmp(name + 2, models[i], n - 6) && !models[i][n - 6])
            return i;
    return 0;
}

static LLVMValueRef frame_field(struct pf_labels *l, size_t offset)
{
    LLVMValueRef at = LLVMConstInt(l->u->i64, offset, 0);
    return LLVMBuildInBoundsGEP2(l->b, l->u->i8, l->call_frame, &at, 1, "");
}

#define FIELD(member) offsetof(struct pf_symbolic_call, member)

/* Describes the call in the stack slot, for __pf_symbolic_called. */
static void fill_frame(struct pf_labels *l, LLVMValueRef call, unsigned model)
{
    struct pf_unit *u = l->u;
    unsigned n = LLVMGetNumArgOperands(call);
    LLVMValueRef dropped = l->none;
    l->e->flags = 0;
    uint32_t site = pf_emit_site(l->e, call, PF_SITE_BRANCH, 0, NULL);
    LLVMBuildStore(l->b, LLVMGetCalledValue(call), frame_field(l, FIELD(callee)));
    LLVMBuildStore(l->b, pf_label_number(l, model), frame_field(l, FIELD(model)));
    LLVMBuildStore(l->b, pf_label_number(l, n), frame_field(l, FIELD(n)));
    LLVMBuildStore(l->b, pf_label_number(l, site), frame_field(l, FIELD(site)));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v = LLVMGetOperand(call, i), label = pf_label_get(l, v, 0);
        bool scalar = pf_label_bits(u, LLVMTypeOf(v));
        if (i < PF_SYMBOLIC_WORDS) {
            LLVMBuildStore(l->b, scalar ? pf_label_word(l, v) : LLVMConstInt(u->i64, 0, 0),
                           frame_field(l, FIELD(word) + 8 * i));
            LLVMBuildStore(l->b, scalar ? label : l->none, frame_field(l, FIELD(label) + 4 * i));
        } else if (label != l->none) {
            dropped = dropped == l->none ? label : LLVMBuildOr(l->b, dropped, label, "");
        }
    }
    LLVMBuildStore(l->b, dropped, frame_field(l, FIELD(dropped)));
}

/* True if code can be placed after the call: not after a musttail call, and not if the block after
 * an invoke has other predecessors. */
static bool has_code_after(LLVMValueRef call)
{
    if (LLVMIsACallInst(call))
        return LLVMGetTailCallKind(call) != LLVMTailCallKindMustTail;
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(LLVMGetNormalDest(call)));
    for (; use; use = LLVMGetNextUse(use))
        if (LLVMIsAInstruction(LLVMGetUser(use)) && LLVMGetUser(use) != call &&
            !LLVMIsAPHINode(LLVMGetUser(use)))
            return false;
    return true;
}

static void pass_arguments(struct pf_labels *l, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMBuildStore(l->b, callee, TLS(l, callee));
    LLVMBuildStore(l->b, LLVMConstNull(l->u->ptr), TLS(l, returned));
    for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n && i < PF_SYMBOLIC_ARGUMENTS; i++)
        if (pf_label_bits(l->u, LLVMTypeOf(LLVMGetOperand(call, i))))
            LLVMBuildStore(l->b, pf_label_get(l, LLVMGetOperand(call, i), 0),
                           tls_label(l, offsetof(struct pf_tls, symbolic.argument), i));
    for (unsigned i = 0, slot = 0, n = LLVMGetNumArgOperands(call);
         i < n && slot < PF_SYMBOLIC_BY_VALUE; i++)
        if (pf_byval_size(l->u, call, i)) {
            size_t at = offsetof(struct pf_tls, symbolic.by_value) + slot++ * sizeof(void *);
            LLVMBuildStore(l->b, LLVMGetOperand(call, i), pf_emit_tls(l->e, at));
        }
    /* a callee with variable arguments reads them from memory, where they have no labels */
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    bool variable = LLVMIsFunctionVarArg(type) && !pf_call_may_be_external(l->u, call);
    for (unsigned i = LLVMCountParamTypes(type), n = LLVMGetNumArgOperands(call); variable && i < n;
         i++)
        pf_label_lost(l, PF_LOSS_OPERATION, pf_label_get(l, LLVMGetOperand(call, i), 0), l->none);
}

/* The argument of a new thread: as if this function called the start routine. */
static void pass_to_thread(struct pf_labels *l, LLVMValueRef call)
{
    LLVMBuildStore(l->b, LLVMGetOperand(call, 2), TLS(l, callee));
    LLVMBuildStore(l->b, pf_label_get(l, LLVMGetOperand(call, 3), 0),
                   tls_label(l, offsetof(struct pf_tls, symbolic.argument), 0));
}

/* The label of the result, if the callee has a symbolic body; `foreign` for field 0 if not. */
static void take_result(struct pf_labels *l, LLVMValueRef call, LLVMValueRef foreign)
{
    struct pf_unit *u = l->u;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMValueRef returned = LLVMBuildLoad2(l->b, u->ptr, TLS(l, returned), "");
    LLVMValueRef theirs = LLVMBuildICmp(l->b, LLVMIntEQ, returned, callee, "");
    size_t at = pf_label_reserve(l, call);
    for (unsigned k = 0, n = pf_label_fields(u, LLVMTypeOf(call)); k < n; k++) {
        LLVMValueRef label = LLVMBuildLoad2(
            l->b, u->i32, tls_label(l, offsetof(struct pf_tls, symbolic.result), k), "");
        l->label[at + k] =
            LLVMBuildSelect(l->b, theirs, label, k || !foreign ? l->none : foreign, "");
    }
}

/* After the call: if the callee has not taken the labels of its arguments, it has no symbolic body,
 * and the runtime computes the label of the result. Leaves the builder before `next`. */
static LLVMValueRef emit_called(struct pf_labels *l, LLVMValueRef call, LLVMValueRef next,
                                bool modelled)
{
    struct pf_unit *u = l->u;
    LLVMTypeRef type = LLVMTypeOf(call);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b), after = NULL, foreign = NULL;
    if (!modelled) {
        LLVMValueRef left = LLVMBuildLoad2(l->b, u->ptr, TLS(l, callee), "");
        LLVMValueRef taken = LLVMBuildICmp(l->b, LLVMIntNE, left, LLVMGetCalledValue(call), "");
        after = pf_llvm_split_before(next);
        foreign = pf_emit_block(l->e);
        LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(here));
        LLVMPositionBuilderAtEnd(l->b, here);
        pf_emit_branch(l->e, taken, after, foreign, false);
        LLVMPositionBuilderAtEnd(l->b, foreign);
    }
    if (pf_label_bits(u, type))
        LLVMBuildStore(l->b, pf_label_word(l, call), frame_field(l, FIELD(result)));
    LLVMValueRef label = pf_label_call(l, PF_E___pf_symbolic_called, &l->call_frame);
    if (modelled)
        return label;
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderBefore(l->b, LLVMGetFirstInstruction(after));
    LLVMValueRef phi = LLVMBuildPhi(l->b, u->i32, ""), values[] = {l->none, label};
    LLVMBasicBlockRef from[] = {here, foreign};
    LLVMAddIncoming(phi, values, from, 2);
    PF_PUSH(l->phis, l->nphis, l->phis_cap) = phi;
    LLVMPositionBuilderBefore(l->b, next);
    return phi;
}

/* True for calls that neither take nor return labels. */
static bool is_neutral(LLVMValueRef call)
{
    LLVMValueRef fn = pf_callee(call);
    return fn && LLVMGetIntrinsicID(fn);
}

void pf_label_make_call(struct pf_labels *l, LLVMValueRef call)
{
    if (is_neutral(call))
        return;
    pf_label_flush(l, call);
    LLVMPositionBuilderBefore(l->b, call);
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(call))) {
        for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++)
            pf_label_lost(l, PF_LOSS_OPERATION, pf_label_get(l, LLVMGetOperand(call, i), 0),
                          l->none);
        return;
    }
    if (has_code_after(call) && pf_call_may_be_external(l->u, call))
        fill_frame(l, call, model_of(call));
    if (!model_of(call))
        pass_arguments(l, call);
    else if (model_of(call) == PF_MODEL_pthread_create)
        pass_to_thread(l, call);
    if (LLVMIsACallInst(call) && has_code_after(call))
        pf_label_after_call(l, call, LLVMGetNextInstruction(call));
    else if (LLVMIsACallInst(call)) /* a musttail call: the result has no label */
        for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++)
            pf_label_lost(l, PF_LOSS_TAIL, pf_label_get(l, LLVMGetOperand(call, i), 0), l->none);
}

void pf_label_after_call(struct pf_labels *l, LLVMValueRef call, LLVMValueRef next)
{
    if (!has_code_after(call))
        return;
    LLVMPositionBuilderBefore(l->b, next);
    bool model = model_of(call), external = pf_call_may_be_external(l->u, call);
    LLVMValueRef foreign = external ? emit_called(l, call, next, model) : NULL;
    if (!pf_label_fields(l->u, LLVMTypeOf(call)))
        return;
    if (model) {
        size_t at = pf_label_reserve(l, call); /* may move the array */
        l->label[at] = foreign;
    } else {
        take_result(l, call, foreign);
    }
}
