/*
 * affine.c - one range check before a loop instead of a check in every round of it.
 *
 * Model:   a loop that is one block B, entered by one edge, left only when a counter reaches a value
 *          fixed before the loop, makes a known number T of rounds. In it, nothing synchronises or
 *          ends the thread, so all its accesses are of one epoch, and once the loop is entered all
 *          of them will happen. Addresses are written as
 *
 *              base + sum(value * scale) + coefficient * induction + k        (mod 2^64)
 *
 *          with base and values from outside of the loop. Accesses of one source position that
 *          differ only in k, whose bytes are exactly [k, k + stride), touch in T rounds exactly the
 *          T * stride bytes from the address of the lowest in the first round. Where there are gaps
 *          the checks stay: a byte claimed too much would be a false alarm. Of two such groups whose
 *          bytes meet, the one that comes first to a byte checks it, as in the loop.
 *
 *          The range check stands in a block of its own on the edge into the loop's copy.
 *
 * Overflow: 64-bit arithmetic is linear as it is. A narrower induction must carry the flag (nuw for
 *          zext, nsw for sext) that makes it poison when it wraps; a poisoned address or branch is
 *          undefined behaviour, so it does not wrap. The counter never needs a flag: the loop
 *          stops at the first of S + C, S + 2C, ... equal to N modulo 2^bits, and the quotient taken
 *          here is that round, or an earlier one if C does not divide the distance.
 */
#include "debuginfo.h"
#include "emit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

#define STRIDE_MAX 4096
#define TERMS 4
#define DEPTH 8
#define ACCESSES 96

/* A phi of the loop that grows by a constant. */
struct induction {
    LLVMValueRef phi, start, next;
    int64_t step;
    bool nuw, nsw;
};

/* The address of an access. */
struct form {
    LLVMValueRef base, phi;
    LLVMOpcode widened; /* LLVMZExt or LLVMSExt of phi, or 0 */
    struct {
        LLVMValueRef value;
        int64_t scale;
    } terms[TERMS];
    unsigned nterms;
    int64_t coefficient, k, step;
};

struct access {
    struct pf_step *step;
    size_t index;
    struct form form;
    int64_t stride;
    bool hoisted; /* the lowest of a hoisted group */
};

static bool is_in(LLVMValueRef v, LLVMBasicBlockRef loop)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == loop;
}

/* The value of a constant, if it is not huge. */
static bool constant(LLVMValueRef v, int64_t *n)
{
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
        return false;
    *n = LLVMConstIntGetSExtValue(v);
    return *n > -(1ll << 40) && *n < 1ll << 40;
}

static bool find_induction(LLVMValueRef phi, LLVMBasicBlockRef loop, struct induction *i)
{
    if (!LLVMIsAPHINode(phi) || !is_in(phi, loop) || LLVMCountIncoming(phi) != 2)
        return false;
    unsigned back = LLVMGetIncomingBlock(phi, 1) == loop;
    *i = (struct induction){.phi = phi,
                            .next = LLVMGetIncomingValue(phi, back),
                            .start = LLVMGetIncomingValue(phi, !back)};
    if (LLVMGetIncomingBlock(phi, back) != loop || !is_in(i->next, loop))
        return false;
    if (LLVMGetInstructionOpcode(i->next) == LLVMAdd) {
        i->nuw = LLVMGetNUW(i->next);
        i->nsw = LLVMGetNSW(i->next);
        return LLVMGetOperand(i->next, 0) == phi && constant(LLVMGetOperand(i->next, 1), &i->step);
    }
    return LLVMIsAGetElementPtrInst(i->next) && LLVMGetOperand(i->next, 0) == phi &&
           LLVMGetNumOperands(i->next) == 2 &&
           LLVMGetTypeKind(LLVMGetGEPSourceElementType(i->next)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(i->next)) == 8 &&
           LLVMGetTypeKind(LLVMTypeOf(i->next)) == LLVMPointerTypeKind &&
           constant(LLVMGetOperand(i->next, 1), &i->step);
}

/* form += scale * (induction phi), of any width. */
static bool add_induction(struct form *f, LLVMValueRef phi, LLVMOpcode widened, int64_t scale,
                          LLVMBasicBlockRef loop)
{
    struct induction i;
    if (!find_induction(phi, loop, &i) || (widened == LLVMZExt && !i.nuw) ||
        (widened == LLVMSExt && !i.nsw) || (f->phi && (f->phi != phi || f->widened != widened)))
        return false;
    f->phi = phi;
    f->widened = widened;
    f->step = i.step;
    return !__builtin_add_overflow(f->coefficient, scale, &f->coefficient);
}

static bool add_constant(struct form *f, int64_t n, int64_t scale)
{
    return !__builtin_mul_overflow(n, scale, &n) && !__builtin_add_overflow(f->k, n, &f->k);
}

static bool is_disjoint_or(LLVMValueRef v)
{
    return LLVMGetInstructionOpcode(v) == LLVMOr && LLVMGetIsDisjoint(v);
}

/* form += scale * zext or sext of (phi) or (phi + constant). */
static bool add_widened(struct form *f, LLVMValueRef v, LLVMOpcode widened, int64_t scale,
                        LLVMBasicBlockRef loop)
{
    if (!is_in(v, loop))
        return false;
    if (LLVMIsAPHINode(v))
        return add_induction(f, v, widened, scale, loop);
    int64_t n;
    bool adds = LLVMGetInstructionOpcode(v) == LLVMAdd &&
                (widened == LLVMZExt ? LLVMGetNUW(v) : LLVMGetNSW(v));
    return (adds || is_disjoint_or(v)) && constant(LLVMGetOperand(v, 1), &n) && n >= 0 &&
           add_constant(f, n, scale) &&
           add_induction(f, LLVMGetOperand(v, 0), widened, scale, loop);
}

/* form += scale * v, where v has 64 bits or is a constant. */
static bool add_index(struct form *f, LLVMValueRef v, int64_t scale, LLVMBasicBlockRef loop,
                      unsigned depth)
{
    int64_t n;
    if (LLVMIsAConstantInt(v))
        return constant(v, &n) && add_constant(f, n, scale);
    if (!depth || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 64)
        return false;
    if (!is_in(v, loop)) {
        if (f->nterms == TERMS)
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
    case LLVMSExt:
        return add_widened(f, left, opcode, scale, loop);
    case LLVMOr:
        return is_disjoint_or(v) && constant(LLVMGetOperand(v, 1), &n) &&
               add_constant(f, n, scale) && add_index(f, left, scale, loop, depth - 1);
    case LLVMAdd:
        return add_index(f, left, scale, loop, depth - 1) &&
               add_index(f, LLVMGetOperand(v, 1), scale, loop, depth - 1);
    case LLVMShl:
        return constant(LLVMGetOperand(v, 1), &n) && n >= 0 && n < 8 &&
               !__builtin_mul_overflow(scale, 1ll << n, &scale) &&
               add_index(f, left, scale, loop, depth - 1);
    default:
        return false;
    }
}

static bool add_gep(struct pf_unit *u, struct form *f, LLVMValueRef gep, LLVMBasicBlockRef loop)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (int i = 1, n = LLVMGetNumOperands(gep); i < n; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        int64_t member;
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            if (!constant(index, &member) ||
                !add_constant(f, (int64_t)LLVMOffsetOfElement(u->layout, type, member), 1))
                return false;
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (i > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind)
            return false;
        if (i > 1)
            type = LLVMGetElementType(type);
        if (!LLVMTypeIsSized(type) || LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind ||
            !add_index(f, index, (int64_t)LLVMABISizeOfType(u->layout, type), loop, DEPTH))
            return false;
    }
    return true;
}

static bool add_pointer(struct pf_unit *u, struct form *f, LLVMValueRef p, LLVMBasicBlockRef loop,
                        unsigned depth)
{
    if (LLVMGetTypeKind(LLVMTypeOf(p)) != LLVMPointerTypeKind || !depth)
        return false;
    if (!is_in(p, loop)) {
        f->base = p;
        return true;
    }
    if (LLVMIsAPHINode(p)) {
        f->base = p;
        return add_induction(f, p, 0, 1, loop);
    }
    return LLVMIsAGetElementPtrInst(p) &&
           add_pointer(u, f, LLVMGetOperand(p, 0), loop, depth - 1) && add_gep(u, f, p, loop);
}

/* Intrinsics that neither touch memory nor can keep the loop from going on. */
static const char *const harmless[] = {
    "llvm.dbg.",   "llvm.fmuladd.",
    "llvm.fma.",   "llvm.smin.",
    "llvm.smax.",  "llvm.umin.",
    "llvm.umax.",  "llvm.abs.",
    "llvm.fabs.",  "llvm.minnum.",
    "llvm.sqrt.",  "llvm.maxnum.",
    "llvm.ctpop.", "llvm.ctlz.",
    "llvm.cttz.",  "llvm.fshl.",
    "llvm.fshr.",  "llvm.bswap.",
    "llvm.floor.", "llvm.ceil.",
    "llvm.assume", "llvm.experimental.noalias.scope.decl",
};

static bool is_harmless(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMLoad:
    case LLVMStore:
        return !LLVMGetVolatile(inst) && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic;
    case LLVMCall: {
        LLVMValueRef fn = pf_callee(inst);
        size_t n;
        for (size_t i = 0; fn && i < sizeof harmless / sizeof *harmless; i++)
            if (LLVMGetIntrinsicID(fn) && pf_name_starts(LLVMGetValueName2(fn, &n), harmless[i]))
                return true;
        return false;
    }
    case LLVMPHI:
    case LLVMGetElementPtr:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMFreeze:
    case LLVMFNeg:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMBr:
        return true;
    default:
        return LLVMIsABinaryOperator(inst) || LLVMIsACastInst(inst);
    }
}

/* Is it a loop of one block with one way in, a br, and no way out but its end? */
static bool is_simple_loop(LLVMBasicBlockRef b)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(b), end = LLVMGetBasicBlockTerminator(b);
    if (!LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2 || !LLVMIsABranchInst(end) ||
        !LLVMIsConditional(end) ||
        (LLVMGetSuccessor(end, 0) == b) == (LLVMGetSuccessor(end, 1) == b))
        return false;
    LLVMBasicBlockRef before = LLVMGetIncomingBlock(phi, LLVMGetIncomingBlock(phi, 0) == b);
    if (before == b || !LLVMIsABranchInst(LLVMGetBasicBlockTerminator(before)))
        return false;
    for (LLVMValueRef v = phi; v; v = LLVMGetNextInstruction(v))
        if (!is_harmless(v))
            return false;
    return true;
}

/* How often the loop goes round, if its end says so. */
static bool find_rounds(LLVMBasicBlockRef b, struct pf_rounds *r)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b), test = LLVMGetCondition(end);
    bool back_if_true = LLVMGetSuccessor(end, 0) == b;
    if (!is_in(test, b) || !LLVMIsAICmpInst(test) ||
        LLVMGetICmpPredicate(test) != (back_if_true ? LLVMIntNE : LLVMIntEQ))
        return false;
    for (unsigned side = 0; side < 2; side++) {
        LLVMValueRef v = LLVMGetOperand(test, side), limit = LLVMGetOperand(test, !side);
        if (!is_in(v, b) || is_in(limit, b))
            continue;
        for (LLVMValueRef phi = LLVMGetFirstInstruction(b); LLVMIsAPHINode(phi);
             phi = LLVMGetNextInstruction(phi)) {
            struct induction i;
            LLVMTypeRef type = LLVMTypeOf(phi);
            bool whole = LLVMGetTypeKind(type) == LLVMIntegerTypeKind
                             ? LLVMGetIntTypeWidth(type) <= 64
                             : LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
                                   !LLVMGetPointerAddressSpace(type);
            if (!whole || !find_induction(phi, b, &i) || !i.step || (v != phi && v != i.next))
                continue;
            *r = (struct pf_rounds){i.start, limit, i.next, i.step, v == phi};
            return true;
        }
    }
    return false;
}

static bool is_same_place(const struct pf_step *a, const struct pf_step *b)
{
    LLVMMetadataRef x = LLVMInstructionGetDebugLoc(a->inst),
                    y = LLVMInstructionGetDebugLoc(b->inst);
    return x == y || (x && y && LLVMDILocationGetLine(x) == LLVMDILocationGetLine(y) &&
                      LLVMDILocationGetColumn(x) == LLVMDILocationGetColumn(y) &&
                      LLVMDILocationGetScope(x) == LLVMDILocationGetScope(y) &&
                      LLVMDILocationGetInlinedAt(x) == LLVMDILocationGetInlinedAt(y));
}

/* Do the addresses differ in a constant only? */
static bool is_same_line(const struct form *a, const struct form *b)
{
    return a->base == b->base && a->phi == b->phi && a->widened == b->widened &&
           a->coefficient == b->coefficient && a->nterms == b->nterms &&
           !memcmp(a->terms, b->terms, a->nterms * sizeof *a->terms);
}

/* Is m one of the accesses that fill the stride from `low` on? */
static bool is_member(const struct access *m, const struct access *low)
{
    return m->step->what == PF_DO_ACCESS && m->step->write == low->step->write &&
           m->step->size == low->step->size && is_same_line(&m->form, &low->form) &&
           m->form.k >= low->form.k &&
           m->form.k - low->form.k + (int64_t)m->step->size <= low->stride &&
           is_same_place(m->step, low->step);
}

/* Does a hoisted write check the same bytes as the group of `low`? */
static bool is_written(const struct access *all, size_t n, const struct access *low)
{
    for (size_t i = 0; i < n; i++)
        if (all[i].hoisted && all[i].step->write && all[i].stride == low->stride &&
            all[i].form.k == low->form.k && is_same_line(&all[i].form, &low->form))
            return true;
    return false;
}

/* Do the members leave no byte of the stride out? */
static bool is_filled(const struct access *all, const bool *member, size_t n,
                      const struct access *low)
{
    int64_t at = low->form.k, before;
    do {
        before = at;
        for (size_t i = 0; i < n; i++)
            if (member[i] && all[i].form.k <= at && all[i].form.k + (int64_t)all[i].step->size > at)
                at = all[i].form.k + (int64_t)all[i].step->size;
    } while (at > before);
    return at == low->form.k + low->stride;
}

static void hoist_from(struct access *all, size_t n, struct access *low)
{
    bool member[ACCESSES];
    for (size_t i = 0; i < n; i++)
        member[i] = is_member(&all[i], low);
    if (!is_filled(all, member, n, low))
        return;
    for (size_t i = 0; i < n; i++)
        if (member[i])
            all[i].step->what = PF_DO_NOTHING;
    low->hoisted = !is_written(all, n, low);
}

/* Another group's check may cover the bytes of this one from some round on: then those before them are left, or all
 * if there are not so many. The group that comes first to a byte is the one that checks it, as in
 * the loop. */
static uint64_t bytes_before_next(const struct access *all, size_t n, const struct access *low)
{
    int64_t least = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t more = all[i].form.k - low->form.k;
        if (all[i].hoisted && all[i].step->write == low->step->write &&
            all[i].stride == low->stride && is_same_line(&all[i].form, &low->form) && more > 0 &&
            more <= STRIDE_MAX && (!least || more < least))
            least = more;
    }
    return (uint64_t)least;
}

static void look_at_loop(struct pf_unit *u, struct pf_plan *plan, size_t block,
                         const struct pf_rounds *rounds)
{
    struct access all[ACCESSES];
    size_t n = 0;
    for (size_t k = plan->first_step[block]; k < plan->first_step[block + 1]; k++) {
        struct access a = {.step = &plan->steps[k], .index = k};
        if (a.step->what == PF_DO_ACCESS && n < ACCESSES &&
            add_pointer(u, &a.form, a.step->ptr, plan->blocks[block], DEPTH) && a.form.step > 0 &&
            !__builtin_mul_overflow(a.form.coefficient, a.form.step, &a.stride) && a.stride > 0 &&
            a.stride <= STRIDE_MAX && a.step->size <= (uint64_t)a.stride)
            all[n++] = a;
    }
    for (int write = 1; write >= 0; write--)
        for (size_t i = 0; i < n; i++)
            if (all[i].step->what == PF_DO_ACCESS && all[i].step->write == write)
                hoist_from(all, n, &all[i]);
    for (size_t i = 0; i < n; i++)
        if (all[i].hoisted)
            PF_PUSH(plan->hoists, plan->nhoists, plan->hoists_cap) =
                (struct pf_hoist){.block = block,
                                  .step = all[i].index,
                                  .stride = (uint64_t)all[i].stride,
                                  .bytes = bytes_before_next(all, n, &all[i]),
                                  .rounds = *rounds};
}

void pf_plan_hoist(struct pf_unit *u, struct pf_plan *plan)
{
    struct pf_rounds rounds;
    for (size_t b = 0; plan->accesses && b < plan->nblocks; b++)
        if (plan->first_step[b] < plan->first_step[b + 1] && is_simple_loop(plan->blocks[b]) &&
            find_rounds(plan->blocks[b], &rounds))
            look_at_loop(u, plan, b, &rounds);
}

bool pf_loop_is_short(LLVMBasicBlockRef loop, uint64_t rounds)
{
    struct pf_rounds r;
    int64_t from, to;
    return is_simple_loop(loop) && find_rounds(loop, &r) && constant(r.start, &from) &&
           constant(r.limit, &to) && r.step && (uint64_t)((to - from) / r.step) < rounds;
}

/* The value that v, an address or a part of one, has in the first round, or the `next` one. */
static LLVMValueRef value_in_round(struct pf_emit *e, LLVMValueRef v, LLVMBasicBlockRef loop,
                                   bool next)
{
    if (!is_in(v, loop))
        return v;
    if (LLVMIsAPHINode(v)) {
        struct induction i = {0};
        find_induction(v, loop, &i);
        return next ? i.next : i.start;
    }
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        LLVMSetOperand(copy, i, value_in_round(e, LLVMGetOperand(v, i), loop, next));
    LLVMInsertIntoBuilder(e->b, copy);
    return pf_emit_fresh(e, copy);
}

static LLVMValueRef as_number(struct pf_emit *e, LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind
               ? pf_emit_fresh(e, LLVMBuildPtrToInt(e->b, v, e->u->i64, ""))
               : v;
}

/* Rounds of the loop, as an i64: 1 + the distance the counter goes before the last / its step. */
static LLVMValueRef emit_rounds(struct pf_emit *e, const struct pf_rounds *r, bool next)
{
    LLVMValueRef from = as_number(e, next ? r->next : r->start), to = as_number(e, r->limit);
    LLVMTypeRef type = LLVMTypeOf(from), i64 = e->u->i64;
    LLVMValueRef step = LLVMConstInt(type, (uint64_t)llabs(r->step), 0);
    LLVMValueRef n = pf_emit_fresh(e, r->step > 0 ? LLVMBuildSub(e->b, to, from, "")
                                                  : LLVMBuildSub(e->b, from, to, ""));
    if (!r->before_step)
        n = pf_emit_fresh(e, LLVMBuildSub(e->b, n, step, ""));
    n = pf_emit_fresh(e, LLVMBuildUDiv(e->b, n, step, ""));
    if (type != i64)
        n = pf_emit_fresh(e, LLVMBuildZExt(e->b, n, i64, ""));
    return pf_emit_fresh(e, LLVMBuildAdd(e->b, n, LLVMConstInt(i64, 1, 0), ""));
}

/* The check of all rounds, or of those that come after this one. */
static void emit_hoist(struct pf_emit *e, const struct pf_hoist *h, bool next)
{
    LLVMTypeRef i64 = e->u->i64;
    const struct pf_step *s = &e->plan->steps[h->step];
    LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(s->inst));
    LLVMValueRef start = value_in_round(e, s->ptr, e->plan->blocks[h->block], next);
    LLVMValueRef size = LLVMConstInt(i64, h->bytes, 0);
    if (!h->bytes || h->bytes > h->stride) {
        LLVMValueRef stride = LLVMConstInt(i64, h->stride, 0), some = size;
        size = LLVMBuildMul(e->b, emit_rounds(e, &h->rounds, next), stride, "");
        pf_emit_fresh(e, size);
        if (h->bytes) {
            LLVMValueRef less = LLVMBuildICmp(e->b, LLVMIntULT, size, some, "");
            size = pf_emit_fresh(e, LLVMBuildSelect(e->b, pf_emit_fresh(e, less), size, some, ""));
        }
    }
    uint32_t site = pf_emit_site(e, s->inst, s->write ? PF_SITE_WRITE : PF_SITE_READ, s->size,
                                 pf_di_variable(e->u, s->ptr));
    LLVMValueRef args[] = {start, size, pf_emit_number(e, site)};
    pf_emit_call(e, s->write ? PF_E___pf_write_range : PF_E___pf_read_range, args);
}

void pf_hoist_emit(struct pf_emit *e)
{
    for (size_t i = 0; i < e->plan->nhoists; i++) {
        const struct pf_hoist *h = &e->plan->hoists[i];
        LLVMBasicBlockRef loop = e->plan->blocks[h->block];
        if (!i || h[-1].block != h->block) {
            e->before[h->block] = pf_emit_block(e);
            *pf_ptrmap_at(&e->map, loop) = (uint64_t)LLVMBasicBlockAsValue(e->before[h->block]);
            LLVMPositionBuilderAtEnd(e->b, e->before[h->block]);
        }
        emit_hoist(e, h, false);
        if (i + 1 == e->plan->nhoists || h[1].block != h->block)
            LLVMBuildBr(e->b, e->first[h->block]);
    }
}

void pf_hoist_rest(struct pf_emit *e, size_t block)
{
    for (size_t i = 0; i < e->plan->nhoists; i++)
        if (e->plan->hoists[i].block == block)
            emit_hoist(e, &e->plan->hoists[i], true);
}

void pf_hoist_enter(struct pf_emit *e)
{
    for (size_t b = 0; b < e->plan->nblocks; b++) {
        if (!e->before[b])
            continue;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(e->last[b]);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
            if (LLVMGetSuccessor(end, i) == e->before[b])
                LLVMSetSuccessor(end, i, e->first[b]);
    }
}
