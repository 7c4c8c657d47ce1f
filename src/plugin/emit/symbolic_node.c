/*
 * symbolic_node.c - the slow side of labels: which calls of the runtime compute the labels of an
 * instruction.
 *
 * Operations on vectors are those of their lanes. The result of an operation that has no operator
 * in pf_symbolic.def has the label 0, and the loss is counted if an operand had a label.
 */
#include "llvm_shim.h"
#include "symbolic_body.h"
#include <string.h>

static const uint8_t binary_ops[] = {
    [LLVMAdd] = PF_EXPR_ADD,   [LLVMSub] = PF_EXPR_SUB,   [LLVMMul] = PF_EXPR_MUL,
    [LLVMUDiv] = PF_EXPR_UDIV, [LLVMSDiv] = PF_EXPR_SDIV, [LLVMURem] = PF_EXPR_UREM,
    [LLVMSRem] = PF_EXPR_SREM, [LLVMShl] = PF_EXPR_SHL,   [LLVMLShr] = PF_EXPR_LSHR,
    [LLVMAShr] = PF_EXPR_ASHR, [LLVMAnd] = PF_EXPR_AND,   [LLVMOr] = PF_EXPR_OR,
    [LLVMXor] = PF_EXPR_XOR,
};

static unsigned binary_op(LLVMOpcode code)
{
    return (size_t)code < sizeof binary_ops ? binary_ops[code] : 0;
}

static unsigned compare_op(LLVMIntPredicate p)
{
    switch (p) {
    case LLVMIntEQ:
        return PF_EXPR_EQ;
    case LLVMIntNE:
        return PF_EXPR_NE;
    case LLVMIntUGT:
        return PF_EXPR_UGT;
    case LLVMIntUGE:
        return PF_EXPR_UGE;
    case LLVMIntULT:
        return PF_EXPR_ULT;
    case LLVMIntULE:
        return PF_EXPR_ULE;
    case LLVMIntSGT:
        return PF_EXPR_SGT;
    case LLVMIntSGE:
        return PF_EXPR_SGE;
    case LLVMIntSLT:
        return PF_EXPR_SLT;
    case LLVMIntSLE:
        return PF_EXPR_SLE;
    }
    return 0;
}

/* True for a call of an intrinsic that only computes a value from its arguments. */
static bool is_pure_intrinsic(struct pf_unit *u, LLVMValueRef call)
{
    LLVMValueRef fn = pf_callee(call);
    return fn && LLVMGetIntrinsicID(fn) &&
           (pf_label_is_intrinsic(call) || pf_call_is_pure(u, call));
}

static bool is_float(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind;
}

bool pf_label_is_float_operation(struct pf_unit *u, LLVMValueRef inst)
{
    if (LLVMIsACallInst(inst))
        return is_pure_intrinsic(u, inst) && is_float(LLVMTypeOf(inst)) &&
               !pf_label_is_intrinsic(inst);
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMFNeg:
    case LLVMFCmp:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
        return true;
    default:
        return false;
    }
}

bool pf_label_is_computation(struct pf_unit *u, LLVMValueRef inst)
{
    if (LLVMIsACallInst(inst))
        return is_pure_intrinsic(u, inst);
    return LLVMIsABinaryOperator(inst) || LLVMIsACmpInst(inst) || LLVMIsACastInst(inst) ||
           LLVMIsASelectInst(inst) || LLVMIsAGetElementPtrInst(inst) || LLVMIsAFreezeInst(inst) ||
           LLVMIsAUnaryOperator(inst) || LLVMIsAExtractElementInst(inst) ||
           LLVMIsAInsertElementInst(inst) || LLVMIsAShuffleVectorInst(inst) ||
           LLVMIsAExtractValueInst(inst) || LLVMIsAInsertValueInst(inst);
}

LLVMValueRef pf_label_address(struct pf_unit *u, LLVMValueRef inst, uint64_t *size, bool *write)
{
    LLVMValueRef value = NULL, at = NULL;
    *write = true;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
        *write = false;
        value = inst;
        at = LLVMGetOperand(inst, 0);
        break;
    case LLVMStore:
        value = LLVMGetOperand(inst, 0);
        at = LLVMGetOperand(inst, 1);
        break;
    case LLVMAtomicRMW:
        value = inst;
        at = LLVMGetOperand(inst, 0);
        break;
    case LLVMAtomicCmpXchg:
        value = LLVMGetOperand(inst, 1);
        at = LLVMGetOperand(inst, 0);
        break;
    default:
        return NULL;
    }
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(at)))
        return NULL;
    *size = LLVMStoreSizeOfType(u->layout, LLVMTypeOf(value));
    return at;
}

/* --- one scalar operation --- */

static bool is_none(const struct pf_labels *l, LLVMValueRef label) { return label == l->none; }

static LLVMValueRef two_labels(struct pf_labels *l, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef i64 = l->u->i64;
    LLVMValueRef low = LLVMBuildZExt(l->b, a, i64, ""), high = LLVMBuildZExt(l->b, b, i64, "");
    return LLVMBuildOr(l->b, low, LLVMBuildShl(l->b, high, LLVMConstInt(i64, 32, 0), ""), "");
}

LLVMValueRef pf_label_node(struct pf_labels *l, unsigned op, unsigned bits, unsigned c,
                           unsigned low, struct pf_labelled a, struct pf_labelled b)
{
    if (is_none(l, a.label) && is_none(l, b.label))
        return l->none;
    LLVMValueRef zero = LLVMConstInt(l->u->i64, 0, 0);
    LLVMValueRef args[] = {pf_label_number(l, op | bits << 8 | c << 16 | low << 24),
                           two_labels(l, a.label, b.label), pf_label_word(l, a.value),
                           b.value ? pf_label_word(l, b.value) : zero};
    return pf_label_call(l, PF_E___pf_symbolic_node, args);
}

struct pf_labelled pf_labelled_field(struct pf_labels *l, LLVMValueRef v, unsigned field)
{
    return (struct pf_labelled){pf_label_field(l, v, field), pf_label_get(l, v, field)};
}

LLVMValueRef pf_label_select(struct pf_labels *l, struct pf_labelled c, struct pf_labelled a,
                             struct pf_labelled b)
{
    if (is_none(l, c.label) && is_none(l, a.label) && is_none(l, b.label))
        return l->none;
    LLVMValueRef args[] = {pf_label_number(l, pf_labelled_bits(l, a)),
                           c.label,
                           LLVMBuildZExt(l->b, c.value, l->u->i32, ""),
                           two_labels(l, a.label, b.label),
                           pf_label_word(l, a.value),
                           pf_label_word(l, b.value)};
    return pf_label_call(l, PF_E___pf_symbolic_select, args);
}

void pf_label_lost(struct pf_labels *l, enum pf_symbolic_loss why, LLVMValueRef a, LLVMValueRef b)
{
    if (is_none(l, a) && is_none(l, b))
        return;
    LLVMValueRef args[] = {pf_label_number(l, why), two_labels(l, a, b)};
    pf_label_call(l, PF_E___pf_symbolic_lost, args);
}

/* Counts all labels of the operands as lost. */
static void lose_operands(struct pf_labels *l, LLVMValueRef inst, enum pf_symbolic_loss why)
{
    for (int i = 0, n = LLVMGetNumOperands(inst); i < n; i++) {
        LLVMValueRef v = LLVMGetOperand(inst, i);
        if (!v || LLVMValueIsBasicBlock(v) || !pf_ptrmap_find(&l->first, v))
            continue;
        for (unsigned k = 0, f = pf_label_fields(l->u, LLVMTypeOf(v)); k < f; k++)
            pf_label_lost(l, why, pf_label_get(l, v, k), l->none);
    }
}

/* The label of a scalar converted to another width. */
LLVMValueRef pf_label_resized(struct pf_labels *l, struct pf_labelled a, unsigned bits, bool sign)
{
    unsigned from = pf_labelled_bits(l, a);
    if (from == bits)
        return a.label;
    return pf_label_node(l,
                         from > bits ? PF_EXPR_EXTRACT
                         : sign      ? PF_EXPR_SEXT
                                     : PF_EXPR_ZEXT,
                         bits, from, 0, a, pf_labelled_none(l));
}

static LLVMValueRef cast_label(struct pf_labels *l, LLVMValueRef inst, struct pf_labelled a,
                               LLVMTypeRef to)
{
    unsigned bits = pf_label_bits(l->u, to);
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        return pf_label_resized(l, a, bits, false);
    case LLVMSExt:
        return pf_label_resized(l, a, bits, true);
    case LLVMBitCast:
        return a.label;
    default:
        pf_label_lost(l, PF_LOSS_FLOAT, a.label, l->none);
        return l->none;
    }
}

/* The label of an address: base + index * size + ... */
static LLVMValueRef address_label(struct pf_labels *l, LLVMValueRef gep)
{
    struct pf_unit *u = l->u;
    struct pf_labelled sum = pf_labelled_field(l, LLVMGetOperand(gep, 0), 0);
    sum.value = LLVMBuildPtrToInt(l->b, sum.value, u->i64, "");
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (int i = 1, n = LLVMGetNumOperands(gep); i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        struct pf_labelled step = {NULL, l->none};
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            step.value = LLVMConstInt(u->i64, LLVMOffsetOfElement(u->layout, type, field), 0);
            type = LLVMStructGetTypeAtIndex(type, field);
        } else {
            if (i > 1)
                type = LLVMGetElementType(type);
            struct pf_labelled at = pf_labelled_field(l, index, 0);
            at.label = pf_label_resized(l, at, 64, true);
            at.value = LLVMBuildIntCast2(l->b, at.value, u->i64, 1, "");
            struct pf_labelled size = {LLVMConstInt(u->i64, LLVMABISizeOfType(u->layout, type), 0),
                                       l->none};
            step.value = LLVMBuildMul(l->b, at.value, size.value, "");
            step.label = LLVMABISizeOfType(u->layout, type) == 1
                             ? at.label
                             : pf_label_node(l, PF_EXPR_MUL, 64, 0, 0, at, size);
        }
        sum.label = pf_label_node(l, PF_EXPR_ADD, 64, 0, 0, sum, step);
        sum.value = LLVMBuildAdd(l->b, sum.value, step.value, "");
    }
    return sum.label;
}

/* --- instructions --- */

static enum pf_symbolic_loss why_lost(struct pf_labels *l, LLVMValueRef inst)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVectorTypeKind)
        kind = LLVMGetTypeKind(type = LLVMGetElementType(type));
    if (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind ||
        LLVMIsAFCmpInst(inst))
        return PF_LOSS_FLOAT;
    if (kind == LLVMIntegerTypeKind && LLVMSizeOfTypeInBits(l->u->layout, type) > 64)
        return PF_LOSS_WIDE;
    return LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVectorTypeKind ? PF_LOSS_VECTOR
                                                                   : PF_LOSS_OPERATION;
}

/* The same operation on each lane. Returns false if the instruction is of another kind. */
static bool emit_lanes(struct pf_labels *l, LLVMValueRef inst, unsigned lanes, LLVMValueRef *out)
{
    LLVMTypeRef type = LLVMTypeOf(inst);
    unsigned op = LLVMIsABinaryOperator(inst) ? binary_op(LLVMGetInstructionOpcode(inst)) : 0;
    LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(inst, 0));
    bool same_shape = LLVMGetTypeKind(from) == LLVMGetTypeKind(type) ||
                      (LLVMGetTypeKind(from) != LLVMVectorTypeKind &&
                       LLVMGetTypeKind(type) != LLVMVectorTypeKind);
    if (pf_label_fields(l->u, from) != lanes)
        same_shape = false;
    for (unsigned k = 0; k < lanes; k++) {
        if (op) {
            struct pf_labelled a = pf_labelled_field(l, LLVMGetOperand(inst, 0), k);
            out[k] = pf_label_node(l, op, pf_labelled_bits(l, a), 0, 0, a,
                                   pf_labelled_field(l, LLVMGetOperand(inst, 1), k));
        } else if (LLVMIsAICmpInst(inst)) {
            if (!same_shape)
                return false;
            struct pf_labelled a = pf_labelled_field(l, LLVMGetOperand(inst, 0), k);
            out[k] =
                pf_label_node(l, compare_op(LLVMGetICmpPredicate(inst)), 1, pf_labelled_bits(l, a),
                              0, a, pf_labelled_field(l, LLVMGetOperand(inst, 1), k));
        } else if (LLVMIsACastInst(inst) && same_shape) {
            out[k] = cast_label(l, inst, pf_labelled_field(l, LLVMGetOperand(inst, 0), k),
                                pf_label_field_type(type, k));
        } else if (LLVMIsAFreezeInst(inst)) {
            out[k] = pf_label_get(l, LLVMGetOperand(inst, 0), k);
        } else if (LLVMIsASelectInst(inst)) {
            LLVMValueRef c = LLVMGetOperand(inst, 0);
            bool vector = LLVMGetTypeKind(LLVMTypeOf(c)) == LLVMVectorTypeKind;
            out[k] = pf_label_select(l, pf_labelled_field(l, c, vector ? k : 0),
                                     pf_labelled_field(l, LLVMGetOperand(inst, 1), k),
                                     pf_labelled_field(l, LLVMGetOperand(inst, 2), k));
        } else {
            return false;
        }
    }
    return true;
}

static bool emit_moves(struct pf_labels *l, LLVMValueRef inst, unsigned n, LLVMValueRef *out)
{
    LLVMValueRef a = LLVMGetOperand(inst, 0);
    if (LLVMIsAExtractElementInst(inst) && LLVMIsAConstantInt(LLVMGetOperand(inst, 1))) {
        if (!pf_label_fields(l->u, LLVMTypeOf(a)))
            return false;
        out[0] = pf_label_get(l, a, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 1)));
    } else if (LLVMIsAInsertElementInst(inst) && LLVMIsAConstantInt(LLVMGetOperand(inst, 2))) {
        for (unsigned k = 0; k < n; k++)
            out[k] = pf_label_get(l, a, k);
        unsigned at = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 2));
        if (at < n)
            out[at] = pf_label_get(l, LLVMGetOperand(inst, 1), 0);
    } else if (LLVMIsAShuffleVectorInst(inst)) {
        LLVMValueRef b = LLVMGetOperand(inst, 1);
        unsigned lanes = pf_label_fields(l->u, LLVMTypeOf(a));
        if (!lanes)
            return false;
        for (unsigned k = 0; k < n; k++) {
            int from = pf_llvm_shuffle_lane(inst, k);
            if (from >= 0)
                out[k] = (unsigned)from < lanes ? pf_label_get(l, a, (unsigned)from)
                                                : pf_label_get(l, b, (unsigned)from - lanes);
        }
    } else if (LLVMIsAExtractValueInst(inst) && LLVMGetNumIndices(inst) == 1) {
        if (!pf_label_fields(l->u, LLVMTypeOf(a)))
            return false;
        out[0] = pf_label_get(l, a, LLVMGetIndices(inst)[0]);
    } else if (LLVMIsAInsertValueInst(inst) && LLVMGetNumIndices(inst) == 1) {
        for (unsigned k = 0; k < n; k++)
            out[k] = pf_label_get(l, a, k);
        out[LLVMGetIndices(inst)[0]] = pf_label_get(l, LLVMGetOperand(inst, 1), 0);
    } else {
        return false;
    }
    return true;
}

/* A bitcast between a vector and a scalar of up to 64 bits; lane 0 is the lowest part. */
static bool emit_bitcast(struct pf_labels *l, LLVMValueRef inst, unsigned n, LLVMValueRef *out)
{
    LLVMValueRef a = LLVMGetOperand(inst, 0);
    unsigned lanes = pf_label_fields(l->u, LLVMTypeOf(a));
    LLVMTypeRef i64 = l->u->i64;
    if (!lanes || LLVMSizeOfTypeInBits(l->u->layout, LLVMTypeOf(a)) > 64 || (lanes > 1) == (n > 1))
        return false;
    if (lanes > 1) {
        struct pf_labelled all = pf_labelled_field(l, a, 0);
        unsigned bits = pf_labelled_bits(l, all);
        all.value = pf_label_word(l, all.value);
        for (unsigned k = 1; k < lanes; k++) {
            struct pf_labelled high = pf_labelled_field(l, a, k);
            high.value = pf_label_word(l, high.value);
            all.label = pf_label_node(l, PF_EXPR_CONCAT, (k + 1) * bits, k * bits, 0, high, all);
            all.value =
                LLVMBuildOr(l->b, all.value,
                            LLVMBuildShl(l->b, high.value, LLVMConstInt(i64, k * bits, 0), ""), "");
        }
        out[0] = all.label;
        return true;
    }
    struct pf_labelled all = pf_labelled_field(l, a, 0);
    unsigned bits = pf_labelled_bits(l, all) / n;
    for (unsigned k = 0; k < n; k++)
        out[k] = pf_label_node(l, PF_EXPR_EXTRACT, bits, pf_labelled_bits(l, all), k * bits, all,
                               pf_labelled_none(l));
    return true;
}

static void emit_computation(struct pf_labels *l, LLVMValueRef inst, LLVMValueRef *out)
{
    unsigned n = pf_label_fields(l->u, LLVMTypeOf(inst));
    bool vector = LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVectorTypeKind;
    if (LLVMIsACallInst(inst) && pf_label_emit_intrinsic(l, inst, n, out))
        return;
    if (LLVMIsAGetElementPtrInst(inst) && !vector)
        out[0] = address_label(l, inst);
    else if (!n || !(emit_moves(l, inst, n, out) || emit_lanes(l, inst, n, out) ||
                     (LLVMIsABitCastInst(inst) && emit_bitcast(l, inst, n, out))))
        lose_operands(l, inst, why_lost(l, inst));
}

void pf_label_emit(struct pf_labels *l, const struct pf_label_member *m, LLVMValueRef *out)
{
    if (m->phase == PF_LABEL_VALUE && !LLVMIsALoadInst(m->inst))
        emit_computation(l, m->inst, out);
    else
        pf_label_emit_effect(l, m, out);
}
