/*
 * affine_address.c - recognises affine addresses; see affine_address.h.
 *
 * Each add_* function adds one part of the address to the sum and returns false if the part does
 * not fit the form.
 */
#include "affine_address.h"
#include "address.h"
#include <string.h>

#define DEPTH 8 /* nested operations of an address; deeper ones are not recognised */

bool pf_is_in_loop(LLVMValueRef v, const struct pf_loop *loop)
{
    if (!LLVMIsAInstruction(v))
        return false;
    LLVMBasicBlockRef at = LLVMGetInstructionParent(v);
    for (size_t i = 0; i < loop->n; i++)
        if (loop->blocks[i] == at)
            return true;
    return false;
}

bool pf_constant_value(LLVMValueRef v, int64_t *n)
{
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
        return false;
    *n = LLVMConstIntGetSExtValue(v);
    return *n > -(1ll << 40) && *n < 1ll << 40;
}

/* True for p + n with n in bytes. */
static bool is_byte_gep(LLVMValueRef v)
{
    return LLVMIsAGetElementPtrInst(v) && LLVMGetNumOperands(v) == 2 &&
           LLVMGetTypeKind(LLVMGetGEPSourceElementType(v)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(v)) == 8 &&
           LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

/* True if the pointer PHI equals p + n for another induction n of the loop, from the first
 * iteration on. It then grows by the same step. */
static bool is_parallel_pointer(struct pf_induction *i, const struct pf_loop *loop)
{
    LLVMValueRef base = LLVMGetOperand(i->next, 0), n = LLVMGetOperand(i->next, 1);
    if (pf_is_in_loop(base, loop) || !is_byte_gep(i->start) || LLVMGetOperand(i->start, 0) != base)
        return false;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(loop->head); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        struct pf_induction j;
        LLVMTypeRef type = LLVMTypeOf(phi);
        if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64 &&
            pf_induction_find(phi, loop, &j) && j.next == n &&
            j.start == LLVMGetOperand(i->start, 1)) {
            i->step = j.step;
            return true;
        }
    }
    return false;
}

bool pf_induction_find(LLVMValueRef phi, const struct pf_loop *loop, struct pf_induction *i)
{
    if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != loop->head ||
        LLVMCountIncoming(phi) != 2)
        return false;
    unsigned back = LLVMGetIncomingBlock(phi, 1) == loop->latch;
    *i = (struct pf_induction){.phi = phi,
                               .next = LLVMGetIncomingValue(phi, back),
                               .start = LLVMGetIncomingValue(phi, !back)};
    if (LLVMGetIncomingBlock(phi, back) != loop->latch || !pf_is_in_loop(i->next, loop))
        return false;
    if (LLVMGetInstructionOpcode(i->next) == LLVMAdd) {
        i->nuw = LLVMGetNUW(i->next);
        i->nsw = LLVMGetNSW(i->next);
        return LLVMGetOperand(i->next, 0) == phi &&
               pf_constant_value(LLVMGetOperand(i->next, 1), &i->step);
    }
    if (!is_byte_gep(i->next))
        return false;
    if (LLVMGetOperand(i->next, 0) == phi)
        return pf_constant_value(LLVMGetOperand(i->next, 1), &i->step);
    return is_parallel_pointer(i, loop);
}

/* affine += scale * (induction phi), of any width. */
static bool add_induction(struct pf_affine *f, LLVMValueRef phi, LLVMOpcode widened, int64_t scale,
                          const struct pf_loop *loop)
{
    struct pf_induction i;
    if (f->phi && f->narrow) /* such an index is the only part that changes */
        return false;
    if (!pf_induction_find(phi, loop, &i) || (widened == LLVMZExt && !i.nuw) ||
        (widened == LLVMSExt && !i.nsw) || (f->phi && (f->phi != phi || f->widened != widened)))
        return false;
    f->phi = phi;
    f->widened = widened;
    f->step = i.step;
    return !__builtin_add_overflow(f->coefficient, scale, &f->coefficient);
}

static bool add_constant(struct pf_affine *f, int64_t n, int64_t scale)
{
    return !__builtin_mul_overflow(n, scale, &n) && !__builtin_add_overflow(f->k, n, &f->k);
}

static bool is_disjoint_or(LLVMValueRef v)
{
    return LLVMGetInstructionOpcode(v) == LLVMOr && LLVMGetIsDisjoint(v);
}

/* affine += scale * (zext or sext of phi, or of phi + constant). */
static bool add_widened(struct pf_affine *f, LLVMValueRef v, LLVMOpcode widened, int64_t scale,
                        const struct pf_loop *loop)
{
    if (!pf_is_in_loop(v, loop))
        return false;
    if (LLVMIsAPHINode(v))
        return add_induction(f, v, widened, scale, loop);
    int64_t n;
    bool adds = LLVMGetInstructionOpcode(v) == LLVMAdd &&
                (widened == LLVMZExt ? LLVMGetNUW(v) : LLVMGetNSW(v));
    return (adds || is_disjoint_or(v)) && pf_constant_value(LLVMGetOperand(v, 1), &n) && n >= 0 &&
           add_constant(f, n, scale) &&
           add_induction(f, LLVMGetOperand(v, 0), widened, scale, loop);
}

/* affine += scale * v, where v is a part of a narrow sum: the induction variable, a loop-invariant
 * value, a constant, or a sum of these. */
static bool add_narrow(struct pf_affine *f, LLVMValueRef v, int64_t scale,
                       const struct pf_loop *loop, unsigned depth)
{
    int64_t n;
    if (LLVMIsAConstantInt(v))
        return pf_constant_value(v, &n) && add_constant(f, n, scale);
    if (!pf_is_in_loop(v, loop)) {
        bool first = !f->narrow_value;
        f->narrow_value = v;
        return first;
    }
    if (!depth)
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
        return add_induction(f, v, 0, scale, loop);
    case LLVMTrunc:
        return LLVMIsAPHINode(LLVMGetOperand(v, 0)) &&
               add_induction(f, LLVMGetOperand(v, 0), 0, scale, loop);
    case LLVMOr:
        return is_disjoint_or(v) && add_narrow(f, LLVMGetOperand(v, 0), scale, loop, depth - 1) &&
               add_narrow(f, LLVMGetOperand(v, 1), scale, loop, depth - 1);
    case LLVMAdd:
        return add_narrow(f, LLVMGetOperand(v, 0), scale, loop, depth - 1) &&
               add_narrow(f, LLVMGetOperand(v, 1), scale, loop, depth - 1);
    default:
        return false;
    }
}

/* affine += scale * zext(v), where the sum v may wrap. */
static bool add_wrapping(struct pf_affine *f, LLVMValueRef v, int64_t scale,
                         const struct pf_loop *loop)
{
    if (f->phi || f->narrow || LLVMGetIntTypeWidth(LLVMTypeOf(v)) != PF_NARROW_BITS)
        return false;
    f->narrow = v;
    return add_narrow(f, v, scale, loop, DEPTH) && f->phi;
}

/* affine += scale * v, where v has 64 bits or is a constant. */
static bool add_index(struct pf_affine *f, LLVMValueRef v, int64_t scale,
                      const struct pf_loop *loop, unsigned depth)
{
    int64_t n;
    if (LLVMIsAConstantInt(v))
        return pf_constant_value(v, &n) && add_constant(f, n, scale);
    if (!depth || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 64)
        return false;
    if (!pf_is_in_loop(v, loop)) {
        if (f->nterms == PF_AFFINE_TERMS)
            return false;
        f->terms[f->nterms].value = v;
        f->terms[f->nterms++].scale = scale;
        return true;
    }
    LLVMValueRef left = LLVMGetOperand(v, 0);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    switch (opcode) {
    case LLVMPHI:
        return add_induction(f, v, 0, scale, loop);
    case LLVMZExt:
    case LLVMSExt: {
        struct pf_affine before = *f;
        if (add_widened(f, left, opcode, scale, loop))
            return true;
        *f = before;
        return opcode == LLVMZExt && add_wrapping(f, left, scale, loop);
    }
    case LLVMOr:
        return is_disjoint_or(v) && pf_constant_value(LLVMGetOperand(v, 1), &n) &&
               add_constant(f, n, scale) && add_index(f, left, scale, loop, depth - 1);
    case LLVMAdd:
        return add_index(f, left, scale, loop, depth - 1) &&
               add_index(f, LLVMGetOperand(v, 1), scale, loop, depth - 1);
    case LLVMShl:
        return pf_constant_value(LLVMGetOperand(v, 1), &n) && n >= 0 && n < 8 &&
               !__builtin_mul_overflow(scale, 1ll << n, &scale) &&
               add_index(f, left, scale, loop, depth - 1);
    default:
        return false;
    }
}

struct affine_sum {
    struct pf_affine *f;
    const struct pf_loop *loop;
};

static bool add_part(void *arg, LLVMValueRef index, int64_t scale)
{
    struct affine_sum *s = arg;
    return index ? add_index(s->f, index, scale, s->loop, DEPTH) : add_constant(s->f, scale, 1);
}

static bool add_pointer(struct pf_unit *u, struct pf_affine *f, LLVMValueRef p,
                        const struct pf_loop *loop, unsigned depth)
{
    if (LLVMGetTypeKind(LLVMTypeOf(p)) != LLVMPointerTypeKind || !depth)
        return false;
    if (!pf_is_in_loop(p, loop)) {
        f->base = p;
        return true;
    }
    if (LLVMIsAPHINode(p)) {
        f->base = p;
        return add_induction(f, p, 0, 1, loop);
    }
    return LLVMIsAGetElementPtrInst(p) &&
           add_pointer(u, f, LLVMGetOperand(p, 0), loop, depth - 1) &&
           pf_gep_each(u, p, add_part, &(struct affine_sum){f, loop});
}

bool pf_affine_find(struct pf_unit *u, struct pf_affine *f, LLVMValueRef ptr,
                    const struct pf_loop *loop)
{
    *f = (struct pf_affine){0};
    return add_pointer(u, f, ptr, loop, DEPTH);
}

bool pf_affine_differ_by_constant(const struct pf_affine *a, const struct pf_affine *b)
{
    return a->base == b->base && a->phi == b->phi && a->widened == b->widened &&
           a->coefficient == b->coefficient && a->nterms == b->nterms && !a->narrow == !b->narrow &&
           a->narrow_value == b->narrow_value &&
           !memcmp(a->terms, b->terms, a->nterms * sizeof *a->terms);
}

/* If the loop is left before v is computed, the address may be one that the loop never computes;
 * flags that promise otherwise would make it poison. */
static void drop_flags(LLVMValueRef inst)
{
    if (LLVMIsAGetElementPtrInst(inst))
        LLVMSetIsInBounds(inst, 0);
    else if (LLVMGetInstructionOpcode(inst) == LLVMAdd ||
             LLVMGetInstructionOpcode(inst) == LLVMShl) {
        LLVMSetNUW(inst, 0);
        LLVMSetNSW(inst, 0);
    }
}

LLVMValueRef pf_affine_value(struct pf_emit *e, LLVMValueRef v, const struct pf_loop *loop,
                             enum pf_iteration iteration)
{
    if (!pf_is_in_loop(v, loop))
        return v;
    if (LLVMIsAPHINode(v)) {
        struct pf_induction i = {0};
        pf_induction_find(v, loop, &i);
        return iteration == PF_ITERATION_FIRST  ? i.start
               : iteration == PF_ITERATION_NEXT ? i.next
                                                : v;
    }
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        LLVMSetOperand(copy, i, pf_affine_value(e, LLVMGetOperand(v, i), loop, iteration));
    if (iteration == PF_ITERATION_THIS)
        drop_flags(copy);
    LLVMInsertIntoBuilder(e->b, copy);
    return pf_emit_map_later(e, copy);
}
