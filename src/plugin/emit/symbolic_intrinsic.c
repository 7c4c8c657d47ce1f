/*
 * symbolic_intrinsic.c - the labels of LLVM's intrinsics that compute a value from values: counting
 * bits, minimum and maximum, funnel shifts, arithmetic with overflow, reductions of vectors.
 */
#include "symbolic_body.h"

static const struct {
    const char *prefix;
    /* the operation; MIN_MAX: the comparison that selects the first operand; 0: not used */
    uint8_t op;
    enum { UNARY, MIN_MAX, SAME, FUNNEL_LEFT, FUNNEL_RIGHT, OVERFLOWING, REDUCE, ABSOLUTE } how;
} intrinsics[] = {
    {"llvm.ctpop.", PF_EXPR_CTPOP, UNARY},
    {"llvm.ctlz.", PF_EXPR_CTLZ, UNARY},
    {"llvm.cttz.", PF_EXPR_CTTZ, UNARY},
    {"llvm.bswap.", PF_EXPR_BSWAP, UNARY},
    {"llvm.bitreverse.", PF_EXPR_BITREVERSE, UNARY},
    {"llvm.umin.", PF_EXPR_ULT, MIN_MAX},
    {"llvm.umax.", PF_EXPR_UGT, MIN_MAX},
    {"llvm.smin.", PF_EXPR_SLT, MIN_MAX},
    {"llvm.smax.", PF_EXPR_SGT, MIN_MAX},
    {"llvm.abs.", 0, ABSOLUTE},
    {"llvm.expect.", 0, SAME},
    {"llvm.launder.invariant.group", 0, SAME},
    {"llvm.strip.invariant.group", 0, SAME},
    {"llvm.ssa.copy", 0, SAME},
    {"llvm.fshl.", 0, FUNNEL_LEFT},
    {"llvm.fshr.", 0, FUNNEL_RIGHT},
    {"llvm.uadd.with.overflow.", PF_EXPR_ADD, OVERFLOWING},
    {"llvm.sadd.with.overflow.", PF_EXPR_ADD, OVERFLOWING},
    {"llvm.usub.with.overflow.", PF_EXPR_SUB, OVERFLOWING},
    {"llvm.ssub.with.overflow.", PF_EXPR_SUB, OVERFLOWING},
    {"llvm.umul.with.overflow.", PF_EXPR_MUL, OVERFLOWING},
    {"llvm.smul.with.overflow.", PF_EXPR_MUL, OVERFLOWING},
    {"llvm.vector.reduce.add.", PF_EXPR_ADD, REDUCE},
    {"llvm.vector.reduce.mul.", PF_EXPR_MUL, REDUCE},
    {"llvm.vector.reduce.and.", PF_EXPR_AND, REDUCE},
    {"llvm.vector.reduce.or.", PF_EXPR_OR, REDUCE},
    {"llvm.vector.reduce.xor.", PF_EXPR_XOR, REDUCE},
};

static int find_intrinsic(LLVMValueRef call)
{
    size_t n;
    LLVMValueRef fn = pf_callee(call);
    if (!fn || !LLVMGetIntrinsicID(fn))
        return -1;
    const char *name = LLVMGetValueName2(fn, &n);
    for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
        if (pf_name_starts(name, intrinsics[i].prefix))
            return (int)i;
    return -1;
}

/* fshl(a, b, n): the high half of (a:b) shifted left by n modulo the width; fshr: the low half of
 * (a:b) shifted right. */
static LLVMValueRef funnel_label(struct pf_labels *l, struct pf_labelled a, struct pf_labelled b,
                                 struct pf_labelled n, bool left)
{
    unsigned bits = pf_labelled_bits(l, a);
    LLVMTypeRef type = LLVMTypeOf(a.value);
    struct pf_labelled all = {LLVMConstInt(type, bits, 0), l->none};
    struct pf_labelled by = {LLVMBuildURem(l->b, n.value, all.value, ""),
                             pf_label_node(l, PF_EXPR_UREM, bits, 0, 0, n, all)};
    struct pf_labelled rest = {LLVMBuildSub(l->b, all.value, by.value, ""),
                               pf_label_node(l, PF_EXPR_SUB, bits, 0, 0, all, by)};
    /* a shift by the width gives 0, in SMT-LIB, so a funnel shift by 0 is right, too */
    struct pf_labelled up = {NULL, pf_label_node(l, PF_EXPR_SHL, bits, 0, 0, a, left ? by : rest)};
    struct pf_labelled down = {NULL,
                               pf_label_node(l, PF_EXPR_LSHR, bits, 0, 0, b, left ? rest : by)};
    LLVMValueRef zero = LLVMConstInt(type, 0, 0), high = left ? by.value : rest.value,
                 low = left ? rest.value : by.value;
    LLVMValueRef too_far = LLVMBuildICmp(l->b, LLVMIntEQ, high, all.value, "");
    up.value = LLVMBuildSelect(
        l->b, too_far, zero,
        LLVMBuildShl(l->b, a.value, LLVMBuildURem(l->b, high, all.value, ""), ""), "");
    too_far = LLVMBuildICmp(l->b, LLVMIntEQ, low, all.value, "");
    down.value = LLVMBuildSelect(
        l->b, too_far, zero,
        LLVMBuildLShr(l->b, b.value, LLVMBuildURem(l->b, low, all.value, ""), ""), "");
    return pf_label_node(l, PF_EXPR_OR, bits, 0, 0, up, down);
}

static LLVMValueRef intrinsic_label(struct pf_labels *l, LLVMValueRef call, unsigned lane)
{
    int which = find_intrinsic(call);
    struct pf_labelled a = pf_labelled_field(l, LLVMGetOperand(call, 0), lane), b;
    unsigned bits = pf_labelled_bits(l, a), op = intrinsics[which].op;
    switch (intrinsics[which].how) {
    case UNARY:
        return pf_label_node(l, op, bits, bits, 0, a, pf_labelled_none(l));
    case SAME:
        return a.label;
    case MIN_MAX: {
        b = pf_labelled_field(l, LLVMGetOperand(call, 1), lane);
        LLVMIntPredicate p = op == PF_EXPR_ULT   ? LLVMIntULT
                             : op == PF_EXPR_UGT ? LLVMIntUGT
                             : op == PF_EXPR_SLT ? LLVMIntSLT
                                                 : LLVMIntSGT;
        struct pf_labelled c = {LLVMBuildICmp(l->b, p, a.value, b.value, ""),
                                pf_label_node(l, op, 1, bits, 0, a, b)};
        return pf_label_select(l, c, a, b);
    }
    case ABSOLUTE: {
        struct pf_labelled zero = {LLVMConstInt(LLVMTypeOf(a.value), 0, 0), l->none};
        struct pf_labelled minus = {LLVMBuildNeg(l->b, a.value, ""),
                                    pf_label_node(l, PF_EXPR_SUB, bits, 0, 0, zero, a)};
        struct pf_labelled c = {LLVMBuildICmp(l->b, LLVMIntSLT, a.value, zero.value, ""),
                                pf_label_node(l, PF_EXPR_SLT, 1, bits, 0, a, zero)};
        return pf_label_select(l, c, minus, a);
    }
    case FUNNEL_LEFT:
    case FUNNEL_RIGHT:
        b = pf_labelled_field(l, LLVMGetOperand(call, 1), lane);
        return funnel_label(l, a, b, pf_labelled_field(l, LLVMGetOperand(call, 2), lane),
                            intrinsics[which].how == FUNNEL_LEFT);
    default:
        return l->none;
    }
}

static void reduce_labels(struct pf_labels *l, LLVMValueRef call, LLVMValueRef *out)
{
    static const LLVMOpcode codes[] = {[PF_EXPR_ADD] = LLVMAdd,
                                       [PF_EXPR_MUL] = LLVMMul,
                                       [PF_EXPR_AND] = LLVMAnd,
                                       [PF_EXPR_OR] = LLVMOr,
                                       [PF_EXPR_XOR] = LLVMXor};
    LLVMValueRef v = LLVMGetOperand(call, 0);
    unsigned op = intrinsics[find_intrinsic(call)].op, n = pf_label_fields(l->u, LLVMTypeOf(v));
    if (!n)
        return;
    struct pf_labelled sum = pf_labelled_field(l, v, 0);
    for (unsigned k = 1; k < n; k++) {
        struct pf_labelled lane = pf_labelled_field(l, v, k);
        LLVMValueRef label = pf_label_node(l, op, pf_labelled_bits(l, sum), 0, 0, sum, lane);
        sum =
            (struct pf_labelled){LLVMBuildBinOp(l->b, codes[op], sum.value, lane.value, ""), label};
    }
    out[0] = sum.label;
}

/* The labels of the result and of the overflow bit. The overflow bit is computed at twice the
 * width; if that is more than 64 bits, its label is lost. */
static void overflow_labels(struct pf_labels *l, LLVMValueRef call, LLVMValueRef *out)
{
    size_t n;
    bool sign = LLVMGetValueName2(pf_callee(call), &n)[5] == 's';
    unsigned op = intrinsics[find_intrinsic(call)].op;
    struct pf_labelled a = pf_labelled_field(l, LLVMGetOperand(call, 0), 0),
                       b = pf_labelled_field(l, LLVMGetOperand(call, 1), 0);
    unsigned bits = pf_labelled_bits(l, a);
    out[0] = pf_label_node(l, op, bits, 0, 0, a, b);
    if (bits > 32) {
        pf_label_lost(l, PF_LOSS_WIDE, a.label, b.label);
        return;
    }
    LLVMTypeRef wide = LLVMIntTypeInContext(l->u->context, 2 * bits);
    static const LLVMOpcode codes[] = {
        [PF_EXPR_ADD] = LLVMAdd, [PF_EXPR_SUB] = LLVMSub, [PF_EXPR_MUL] = LLVMMul};
    struct pf_labelled wa = {LLVMBuildIntCast2(l->b, a.value, wide, sign, ""),
                             pf_label_resized(l, a, 2 * bits, sign)};
    struct pf_labelled wb = {LLVMBuildIntCast2(l->b, b.value, wide, sign, ""),
                             pf_label_resized(l, b, 2 * bits, sign)};
    struct pf_labelled full = {LLVMBuildBinOp(l->b, codes[op], wa.value, wb.value, ""),
                               pf_label_node(l, op, 2 * bits, 0, 0, wa, wb)};
    struct pf_labelled cut = {LLVMBuildIntCast2(l->b, full.value, LLVMTypeOf(a.value), 0, ""),
                              pf_label_resized(l, full, bits, false)};
    struct pf_labelled back = {LLVMBuildIntCast2(l->b, cut.value, wide, sign, ""),
                               pf_label_resized(l, cut, 2 * bits, sign)};
    out[1] = pf_label_node(l, PF_EXPR_NE, 1, 2 * bits, 0, back, full);
}

bool pf_label_is_intrinsic(LLVMValueRef call) { return find_intrinsic(call) >= 0; }

bool pf_label_emit_intrinsic(struct pf_labels *l, LLVMValueRef call, unsigned n, LLVMValueRef *out)
{
    int which = find_intrinsic(call);
    if (which < 0)
        return false;
    if (intrinsics[which].how == REDUCE) {
        reduce_labels(l, call, out);
        return true;
    }
    if (intrinsics[which].how == OVERFLOWING) {
        if (n == 2)
            overflow_labels(l, call, out);
        return n == 2;
    }
    for (unsigned k = 0; k < n; k++)
        out[k] = intrinsic_label(l, call, k);
    return n != 0;
}
