/*
 * range_before_loop.c - replaces a check in every iteration of a loop by one range check before it.
 *
 * Model:   the loop is a single block B, entered by one edge, and left only when a counter reaches
 *          a value that is fixed before the loop; so its trip count T is known. Nothing in it
 *          synchronises or ends the thread, so all its accesses are in one epoch, and once the loop
 *          is entered all of them will happen. Addresses are affine (affine_address.h). Consider
 *          accesses from one source position whose addresses differ only in k and whose bytes are
 *          exactly [k, k + stride). In T iterations they access exactly the T * stride bytes from
 *          the lowest address of the first iteration on. If there are gaps, the checks stay in the
 *          loop: checking a byte that is not accessed could cause a false alarm. If the bytes of
 *          two such groups overlap, the group that reaches a byte first checks it, as in the loop.
 *
 *          The range check is in a block of its own on the edge into the loop's copy.
 *
 * Overflow: for addresses, see affine_address.h. If an index may wrap, the elements before the wrap
 *          and those after it are two ranges; the second one is nearly always empty. A
 *          counter that is compared for equality may wrap: the loop stops at the first of
 *          start + step, start + 2 * step, ... that equals limit modulo 2^bits. The quotient
 *          (limit - start) / step is the number of that iteration, or of an earlier one if step
 *          does not divide limit - start. A loop that runs while the counter is below limit needs a
 *          flag of the addition (nuw or nsw, or inbounds for pointers): then the counter reaches
 *          limit, or a value above it, without a wrap.
 */
#include "affine_address.h"
#include "control_flow.h"
#include "debuginfo.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

#define STRIDE_MAX 4096 /* bytes per iteration; checks with a larger stride stay in the loop */
#define ACCESSES 96 /* of one loop that are examined */

struct loop_access {
    struct pf_plan_step *step;
    size_t index;
    struct pf_affine affine;
    int64_t stride;
    bool emits_range; /* the lowest access of a group that gets a range check */
};

/* True for a loop of one block with one entry edge, from a br, and no exit but its end, that stays
 * in its epoch. */
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
        if (!pf_proceeds_in_epoch(v))
            return false;
    return true;
}

/* True if a loop with this comparison at its end continues while the counter is below the limit.
 * `swapped`: the limit is its first operand. */
static bool continues_while_below(LLVMIntPredicate p, bool back_if_true, bool swapped,
                                  bool *is_signed)
{
    if (!back_if_true)
        *is_signed = p == (swapped ? LLVMIntSLE : LLVMIntSGE);
    else
        *is_signed = p == (swapped ? LLVMIntSGT : LLVMIntSLT);
    return *is_signed || p == (!back_if_true ? swapped ? LLVMIntULE : LLVMIntUGE
                               : swapped     ? LLVMIntUGT
                                             : LLVMIntULT);
}

/* True if the counter cannot wrap while it is compared in this way. */
static bool cannot_wrap(const struct pf_induction *i, bool is_signed)
{
    if (i->step <= 0)
        return false;
    if (LLVMGetTypeKind(LLVMTypeOf(i->phi)) == LLVMPointerTypeKind)
        return !is_signed && LLVMIsAGetElementPtrInst(i->next) && LLVMIsInBounds(i->next);
    return is_signed ? i->nsw : i->nuw;
}

/* The trip count of the loop, if the condition at its end determines it. */
static bool find_trip_count(LLVMBasicBlockRef b, struct pf_trip_count *r)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b), test = LLVMGetCondition(end);
    const struct pf_loop *loop = PF_SINGLE_BLOCK_LOOP(b);
    bool back_if_true = LLVMGetSuccessor(end, 0) == b;
    if (!pf_is_in_loop(test, loop) || !LLVMIsAICmpInst(test))
        return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(test);
    for (unsigned side = 0; side < 2; side++) {
        LLVMValueRef v = LLVMGetOperand(test, side), limit = LLVMGetOperand(test, !side);
        bool is_signed, while_below = continues_while_below(p, back_if_true, side, &is_signed);
        if (!pf_is_in_loop(v, loop) || pf_is_in_loop(limit, loop) ||
            (!while_below && p != (back_if_true ? LLVMIntNE : LLVMIntEQ)))
            continue;
        for (LLVMValueRef phi = LLVMGetFirstInstruction(b); LLVMIsAPHINode(phi);
             phi = LLVMGetNextInstruction(phi)) {
            struct pf_induction i;
            LLVMTypeRef type = LLVMTypeOf(phi);
            bool whole = LLVMGetTypeKind(type) == LLVMIntegerTypeKind
                             ? LLVMGetIntTypeWidth(type) <= 64
                             : LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
                                   !LLVMGetPointerAddressSpace(type);
            if (!whole || !pf_induction_find(phi, loop, &i) || !i.step ||
                (v != phi && v != i.next) || (while_below && !cannot_wrap(&i, is_signed)))
                continue;
            *r = (struct pf_trip_count){.start = i.start,
                                        .limit = limit,
                                        .next = i.next,
                                        .step = i.step,
                                        .compared_before_step = v == phi,
                                        .while_below = while_below,
                                        .is_signed = is_signed};
            return true;
        }
    }
    return false;
}

/* True if m is one of the accesses that fill the stride from `low` on. */
static bool is_member(const struct loop_access *m, const struct loop_access *low)
{
    return m->step->what == PF_DO_ACCESS && m->step->write == low->step->write &&
           m->step->size == low->step->size &&
           pf_affine_differ_by_constant(&m->affine, &low->affine) && m->affine.k >= low->affine.k &&
           m->affine.k - low->affine.k + (int64_t)m->step->size <= low->stride &&
           pf_is_same_source_position(LLVMInstructionGetDebugLoc(m->step->inst),
                                      LLVMInstructionGetDebugLoc(low->step->inst));
}

/* True if the range check of a write covers the same bytes as the group of `low`. */
static bool is_covered_by_write(const struct loop_access *all, size_t n,
                                const struct loop_access *low)
{
    for (size_t i = 0; i < n; i++)
        if (all[i].emits_range && all[i].step->write && all[i].stride == low->stride &&
            all[i].affine.k == low->affine.k &&
            pf_affine_differ_by_constant(&all[i].affine, &low->affine))
            return true;
    return false;
}

/* True if the members leave no byte of the stride out. */
static bool has_no_gap(const struct loop_access *all, const bool *member, size_t n,
                       const struct loop_access *low)
{
    int64_t at = low->affine.k, before;
    do {
        before = at;
        for (size_t i = 0; i < n; i++)
            if (member[i] && all[i].affine.k <= at &&
                all[i].affine.k + (int64_t)all[i].step->size > at)
                at = all[i].affine.k + (int64_t)all[i].step->size;
    } while (at > before);
    return at == low->affine.k + low->stride;
}

static void replace_group(struct loop_access *all, size_t n, struct loop_access *low)
{
    bool member[ACCESSES];
    for (size_t i = 0; i < n; i++)
        member[i] = is_member(&all[i], low);
    if (!has_no_gap(all, member, n, low))
        return;
    for (size_t i = 0; i < n; i++)
        if (member[i])
            all[i].step->what = PF_DO_NOTHING;
    low->emits_range = !is_covered_by_write(all, n, low);
}

/* The range check of another group may cover the bytes of this one from some iteration on. Returns
 * how many bytes come before those, or 0 if there is no such group. The group that reaches a byte
 * first checks it, as in the loop. */
static uint64_t bytes_before_next(const struct loop_access *all, size_t n,
                                  const struct loop_access *low)
{
    int64_t least = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t more = all[i].affine.k - low->affine.k;
        if (all[i].emits_range && all[i].step->write == low->step->write &&
            all[i].stride == low->stride &&
            pf_affine_differ_by_constant(&all[i].affine, &low->affine) && more > 0 &&
            more <= STRIDE_MAX && (!least || more < least))
            least = more;
    }
    return (uint64_t)least;
}

static void replace_checks(struct pf_unit *u, struct pf_plan *plan, size_t block,
                           const struct pf_trip_count *trip_count)
{
    struct loop_access all[ACCESSES];
    size_t n = 0;
    for (size_t k = plan->first_step[block]; k < plan->first_step[block + 1]; k++) {
        struct loop_access a = {.step = &plan->steps[k], .index = k};
        if (a.step->what == PF_DO_ACCESS && n < ACCESSES &&
            pf_affine_find(u, &a.affine, a.step->ptr, PF_SINGLE_BLOCK_LOOP(plan->blocks[block])) &&
            a.affine.step > 0 &&
            !__builtin_mul_overflow(a.affine.coefficient, a.affine.step, &a.stride) &&
            a.stride > 0 && a.stride <= STRIDE_MAX && a.step->size <= (uint64_t)a.stride &&
            (!a.affine.narrow || a.step->size == (uint64_t)a.affine.coefficient))
            all[n++] = a;
    }
    for (int write = 1; write >= 0; write--)
        for (size_t i = 0; i < n; i++)
            if (all[i].step->what == PF_DO_ACCESS && all[i].step->write == write)
                replace_group(all, n, &all[i]);
    for (size_t i = 0; i < n; i++)
        if (all[i].emits_range)
            PF_PUSH(plan->ranges_before, plan->nranges_before, plan->ranges_before_cap) =
                (struct pf_range_before){.block = block,
                                         .step = all[i].index,
                                         .stride = (uint64_t)all[i].stride,
                                         .bytes = bytes_before_next(all, n, &all[i]),
                                         .trip_count = *trip_count};
}

void pf_plan_ranges_before_loops(struct pf_unit *u, struct pf_plan *plan)
{
    struct pf_trip_count trip_count;
    for (size_t b = 0; plan->accesses && b < plan->nblocks; b++)
        if (plan->first_step[b] < plan->first_step[b + 1] && is_simple_loop(plan->blocks[b]) &&
            find_trip_count(plan->blocks[b], &trip_count))
            replace_checks(u, plan, b, &trip_count);
}

bool pf_trip_count_find(LLVMBasicBlockRef loop, struct pf_trip_count *r)
{
    return is_simple_loop(loop) && find_trip_count(loop, r);
}

bool pf_loop_is_short(LLVMBasicBlockRef loop, uint64_t limit)
{
    struct pf_trip_count r;
    int64_t from, to;
    return pf_trip_count_find(loop, &r) && pf_constant_value(r.start, &from) &&
           pf_constant_value(r.limit, &to) && r.step && (uint64_t)((to - from) / r.step) < limit;
}

static LLVMValueRef as_integer(struct pf_emit *e, LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind
               ? pf_emit_map_later(e, LLVMBuildPtrToInt(e->b, v, e->u->i64, ""))
               : v;
}

/* How often the comparison finds the counter below `to`. */
static LLVMValueRef emit_times_below(struct pf_emit *e, const struct pf_trip_count *r,
                                     LLVMValueRef from, LLVMValueRef to, LLVMValueRef step)
{
    LLVMTypeRef type = LLVMTypeOf(from);
    LLVMValueRef one = LLVMConstInt(type, 1, 0);
    if (!r->compared_before_step)
        from = pf_emit_map_later(e, LLVMBuildAdd(e->b, from, step, ""));
    LLVMValueRef below = pf_emit_map_later(
        e, LLVMBuildICmp(e->b, r->is_signed ? LLVMIntSLT : LLVMIntULT, from, to, ""));
    LLVMValueRef n = pf_emit_map_later(e, LLVMBuildSub(e->b, to, from, ""));
    n = pf_emit_map_later(e, LLVMBuildSub(e->b, n, one, ""));
    n = pf_emit_map_later(e, LLVMBuildUDiv(e->b, n, step, ""));
    n = pf_emit_map_later(e, LLVMBuildAdd(e->b, n, one, ""));
    return pf_emit_map_later(e, LLVMBuildSelect(e->b, below, n, LLVMConstInt(type, 0, 0), ""));
}

/* How often the comparison finds the counter unequal to `to`. */
static LLVMValueRef emit_times_unequal(struct pf_emit *e, const struct pf_trip_count *r,
                                       LLVMValueRef from, LLVMValueRef to, LLVMValueRef step)
{
    LLVMValueRef n = pf_emit_map_later(e, r->step > 0 ? LLVMBuildSub(e->b, to, from, "")
                                                      : LLVMBuildSub(e->b, from, to, ""));
    if (!r->compared_before_step)
        n = pf_emit_map_later(e, LLVMBuildSub(e->b, n, step, ""));
    return pf_emit_map_later(e, LLVMBuildUDiv(e->b, n, step, ""));
}

/* The trip count, as an i64: 1 + how often the comparison at the end continues the loop. With
 * `next`, the trip count that remains after this iteration. */
static LLVMValueRef emit_trip_count(struct pf_emit *e, const struct pf_trip_count *r, bool next)
{
    LLVMValueRef from = as_integer(e, next ? r->next : r->start), to = as_integer(e, r->limit);
    LLVMTypeRef type = LLVMTypeOf(from), i64 = e->u->i64;
    LLVMValueRef step = LLVMConstInt(type, (uint64_t)llabs(r->step), 0);
    LLVMValueRef n = (r->while_below ? emit_times_below : emit_times_unequal)(e, r, from, to, step);
    if (type != i64)
        n = pf_emit_map_later(e, LLVMBuildZExt(e->b, n, i64, ""));
    return pf_emit_map_later(e, LLVMBuildAdd(e->b, n, LLVMConstInt(i64, 1, 0), ""));
}

LLVMValueRef pf_trip_count_emit(struct pf_emit *e, const struct pf_trip_count *r)
{
    return emit_trip_count(e, r, false);
}

static LLVMValueRef emit_smaller(struct pf_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef less = pf_emit_map_later(e, LLVMBuildICmp(e->b, LLVMIntULT, a, b, ""));
    return pf_emit_map_later(e, LLVMBuildSelect(e->b, less, a, b, ""));
}

/* Emits the check of `size` bytes from `start` on, where the index of elements may wrap. `next`: in
 * a block that must not be split, so that the second range is checked even if it is empty. */
static void emit_wrapping_range(struct pf_emit *e, const struct pf_affine *f,
                                const struct pf_loop *loop, enum pf_entry entry, LLVMValueRef start,
                                LLVMValueRef size, LLVMValueRef site, bool next)
{
    LLVMTypeRef i64 = e->u->i64;
    LLVMValueRef scale = LLVMConstInt(i64, (uint64_t)f->coefficient, 0);
    LLVMValueRef all = LLVMConstInt(i64, (uint64_t)f->coefficient << PF_NARROW_BITS, 0);
    LLVMValueRef index =
        pf_affine_value(e, f->narrow, loop, next ? PF_ITERATION_NEXT : PF_ITERATION_FIRST);
    index = pf_emit_map_later(e, LLVMBuildZExt(e->b, index, i64, ""));
    LLVMValueRef before = pf_emit_map_later(e, LLVMBuildMul(e->b, index, scale, ""));
    LLVMValueRef room = pf_emit_map_later(e, LLVMBuildSub(e->b, all, before, ""));
    LLVMValueRef first = emit_smaller(e, size, room);
    LLVMValueRef args[] = {start, first, site};
    pf_emit_call(e, entry, args);
    LLVMBasicBlockRef wrapped = next ? NULL : pf_emit_block(e),
                      done = next ? NULL : pf_emit_block(e);
    if (!next) {
        LLVMValueRef fits = LLVMBuildICmp(e->b, LLVMIntULE, size, room, "");
        pf_emit_branch(e, pf_emit_map_later(e, fits), done, wrapped, true);
        LLVMPositionBuilderAtEnd(e->b, wrapped);
    }
    LLVMValueRef rest = pf_emit_map_later(e, LLVMBuildSub(e->b, size, first, ""));
    LLVMValueRef back = pf_emit_map_later(e, LLVMBuildNeg(e->b, before, ""));
    args[0] = pf_emit_map_later(e, LLVMBuildGEP2(e->b, e->u->i8, start, &back, 1, ""));
    args[1] = emit_smaller(e, rest, before);
    pf_emit_call(e, entry, args);
    if (!next) {
        LLVMBuildBr(e->b, done);
        LLVMPositionBuilderAtEnd(e->b, done);
    }
}

/* Emits the check of all iterations or, with `next`, of those after the current one. */
static void emit_range_before(struct pf_emit *e, const struct pf_range_before *h, bool next)
{
    LLVMTypeRef i64 = e->u->i64;
    const struct pf_plan_step *s = &e->plan->steps[h->step];
    const struct pf_loop *loop = PF_SINGLE_BLOCK_LOOP(e->plan->blocks[h->block]);
    struct pf_affine affine;
    e->flags = s->flags;
    LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(s->inst));
    LLVMValueRef start =
        pf_affine_value(e, s->ptr, loop, next ? PF_ITERATION_NEXT : PF_ITERATION_FIRST);
    LLVMValueRef size = LLVMConstInt(i64, h->bytes, 0);
    if (!h->bytes || h->bytes > h->stride) {
        LLVMValueRef stride = LLVMConstInt(i64, h->stride, 0), some = size;
        size = LLVMBuildMul(e->b, emit_trip_count(e, &h->trip_count, next), stride, "");
        pf_emit_map_later(e, size);
        if (h->bytes)
            size = emit_smaller(e, size, some);
    }
    uint32_t site = pf_emit_site(e, s->inst, s->write ? PF_SITE_WRITE : PF_SITE_READ, s->size,
                                 pf_di_variable(e->u, s->ptr));
    LLVMValueRef args[] = {start, size, pf_emit_number(e, site)};
    enum pf_entry entry = s->write ? PF_E___pf_write_range : PF_E___pf_read_range;
    if (pf_affine_find(e->u, &affine, s->ptr, loop) && affine.narrow)
        emit_wrapping_range(e, &affine, loop, entry, start, size, args[2], next);
    else
        pf_emit_call(e, entry, args);
}

void pf_range_before_emit(struct pf_emit *e)
{
    for (size_t i = 0; i < e->plan->nranges_before; i++) {
        const struct pf_range_before *h = &e->plan->ranges_before[i];
        LLVMBasicBlockRef loop = e->plan->blocks[h->block];
        if (!i || h[-1].block != h->block) {
            LLVMBasicBlockRef before = pf_emit_block(e);
            *pf_ptrmap_at(&e->map, loop) = (uint64_t)LLVMBasicBlockAsValue(before);
            LLVMPositionBuilderAtEnd(e->b, before);
        }
        emit_range_before(e, h, false);
        if (i + 1 == e->plan->nranges_before || h[1].block != h->block) {
            e->before[h->block] = LLVMGetInsertBlock(e->b);
            LLVMBuildBr(e->b, e->first[h->block]);
        }
    }
}

void pf_range_before_remaining(struct pf_emit *e, size_t block)
{
    for (size_t i = 0; i < e->plan->nranges_before; i++)
        if (e->plan->ranges_before[i].block == block)
            emit_range_before(e, &e->plan->ranges_before[i], true);
}

void pf_range_before_connect(struct pf_emit *e)
{
    for (size_t b = 0; b < e->plan->nblocks; b++) {
        if (!e->before[b])
            continue;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(e->last[b]);
        LLVMBasicBlockRef entry =
            LLVMValueAsBasicBlock((LLVMValueRef)*pf_ptrmap_find(&e->map, e->plan->blocks[b]));
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
            if (LLVMGetSuccessor(end, i) == entry)
                LLVMSetSuccessor(end, i, e->first[b]);
    }
}
