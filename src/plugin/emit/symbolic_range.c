/*
 * symbolic_range.c - loops of the symbolic body that need no test of the taint map: one test of all
 * bytes that the loop accesses, before it.
 *
 * Model:   the loop is a single block with a known trip count, and all its accesses are loads and
 *          stores at affine addresses with small strides. If, before the loop, no byte that it
 *          accesses has a label, and no value from outside that it uses has one, then all its
 *          labels are 0 until a byte of memory gets a label: by another thread, a signal handler,
 *          but not by the loop itself, which has none to store. The word at PF_LABEL_CHANGES counts
 *          how often a line of the taint map has become tainted. So each run of events in the loop
 *          (emit_event.c) compares this word with its value before the loop:
 *
 *              clean = labels from outside or taint in the ranges ? ~0 : *PF_LABEL_CHANGES
 *              in the loop: *PF_LABEL_CHANGES == clean ? a run as in the event body
 *                                                      : single events and guards
 *
 * Rejected: a copy of the loop without labels. A thread switch in the middle of it would have to
 * continue in the other copy.
 */
#include "affine_address.h"
#include "llvm_shim.h"
#include "symbolic_body.h"
#include <llvm-c/DebugInfo.h>

#define STRIDE_MAX 512 /* 8 bytes of the taint map in each iteration */
#define RANGES_MAX 8
#define ACCESS_MAX 64 /* larger ones have no guard (symbolic_group.c) */

/* The bytes from the access `low` on that accesses with the same affine address cover in one
 * iteration. */
struct label_range {
    LLVMValueRef low;
    struct pf_affine affine;
    int64_t stride, end; /* end: of the last byte, as affine.k */
};

static LLVMValueRef pointer_of(LLVMValueRef inst)
{
    return LLVMGetOperand(inst, LLVMIsAStoreInst(inst) ? 1 : 0);
}

/* Adds the access to the ranges. False: it cannot be part of one. */
static bool add_access(struct pf_unit *u, struct label_range *all, unsigned *n, LLVMValueRef inst,
                       const struct pf_loop *loop)
{
    struct label_range r = {.low = inst};
    uint64_t size;
    bool write;
    LLVMValueRef at = pf_label_address(u, inst, &size, &write);
    if (!at || !pf_affine_find(u, &r.affine, at, loop) || r.affine.narrow ||
        __builtin_mul_overflow(r.affine.coefficient, r.affine.step, &r.stride) || r.stride < 0 ||
        r.stride > STRIDE_MAX || size > ACCESS_MAX)
        return false;
    r.end = r.affine.k + (int64_t)size;
    for (unsigned i = 0; i < *n; i++) {
        struct label_range *old = &all[i];
        if (old->stride != r.stride || !pf_affine_differ_by_constant(&old->affine, &r.affine) ||
            llabs(old->affine.k - r.affine.k) > STRIDE_MAX)
            continue;
        int64_t end = old->end > r.end ? old->end : r.end;
        if (r.affine.k < old->affine.k)
            *old = r;
        old->end = end;
        return true;
    }
    if (*n == RANGES_MAX)
        return false;
    all[(*n)++] = r;
    return true;
}

/* Finds the ranges of a loop; 0: it accesses no memory, or its accesses are not all in ranges. */
static unsigned find_ranges(struct pf_unit *u, LLVMBasicBlockRef block, struct label_range *all)
{
    unsigned n = 0;
    for (LLVMValueRef v = LLVMGetFirstInstruction(block); v; v = LLVMGetNextInstruction(v)) {
        bool access = LLVMIsALoadInst(v) || LLVMIsAStoreInst(v);
        if (access ? !add_access(u, all, &n, v, PF_SINGLE_BLOCK_LOOP(block))
                   : LLVMIsACallInst(v) && !pf_label_is_computation(u, v))
            return 0;
    }
    return n;
}

/* Emits the test of one range; returns `clean`, or ~0 if a byte has a label. */
static LLVMValueRef emit_range(struct pf_emit *e, const struct label_range *r,
                               const struct pf_loop *loop, LLVMValueRef trips, LLVMValueRef clean)
{
    LLVMTypeRef i64 = e->u->i64;
    LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(r->low));
    LLVMValueRef start = pf_affine_value(e, pointer_of(r->low), loop, PF_ITERATION_FIRST);
    LLVMValueRef stride = LLVMConstInt(i64, (uint64_t)r->stride, 0);
    LLVMValueRef rest = LLVMConstInt(i64, (uint64_t)(r->end - r->affine.k - r->stride), 1);
    LLVMValueRef size = pf_emit_map_later(e, LLVMBuildMul(e->b, trips, stride, ""));
    size = pf_emit_map_later(e, LLVMBuildAdd(e->b, size, rest, ""));
    LLVMValueRef args[] = {start, size, clean};
    return pf_emit_call(e, PF_E___pf_symbolic_clean, args);
}

void pf_label_ranges_emit(struct pf_emit *e)
{
    struct pf_trip_count trip_count;
    struct label_range all[RANGES_MAX];
    e->clean = pf_zeroed(e->plan->nblocks, sizeof *e->clean);
    for (size_t b = 0; b < e->plan->nblocks; b++) {
        LLVMBasicBlockRef loop = e->plan->blocks[b];
        bool known = e->plan->hot[b] && pf_trip_count_find(loop, &trip_count);
        unsigned n = known ? find_ranges(e->u, loop, all) : 0;
        if (!n)
            continue;
        e->before[b] = pf_emit_block(e);
        *pf_ptrmap_at(&e->map, loop) = (uint64_t)LLVMBasicBlockAsValue(e->before[b]);
        LLVMPositionBuilderAtEnd(e->b, e->before[b]);
        LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(all[0].low));
        LLVMValueRef trips = pf_trip_count_emit(e, &trip_count);
        LLVMValueRef clean = LLVMConstInt(e->u->i64, 0, 0);
        for (unsigned i = 0; i < n; i++)
            clean = emit_range(e, &all[i], PF_SINGLE_BLOCK_LOOP(loop), trips, clean);
        e->clean[b] = LLVMBuildFreeze(e->b, clean, ""); /* finish_clean changes its operand */
        LLVMBuildBr(e->b, e->first[b]);
    }
}

LLVMValueRef pf_label_is_clean(struct pf_emit *e, LLVMValueRef clean)
{
    LLVMTypeRef i64 = e->u->i64;
    LLVMValueRef at = LLVMConstIntToPtr(LLVMConstInt(i64, PF_LABEL_CHANGES, 0), e->u->ptr);
    LLVMValueRef now = LLVMBuildLoad2(e->b, i64, at, "");
    return LLVMBuildICmp(e->b, LLVMIntEQ, now, clean, "");
}

/* --- while labels are added --- */

/* Adds the blocks of the loop's copy, from its first to its last one. */
static void add_blocks(struct pf_labels *l, LLVMBasicBlockRef block, LLVMBasicBlockRef last,
                       size_t loop)
{
    uint64_t *known = pf_ptrmap_at(&l->loop, block);
    if (*known)
        return;
    *known = 1 + loop;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned i = 0, n = LLVMGetNumSuccessors(end); block != last && i < n; i++)
        add_blocks(l, LLVMGetSuccessor(end, i), last, loop);
}

void pf_label_loops_find(struct pf_labels *l)
{
    const struct pf_emit *e = l->e;
    for (size_t b = 0; b < e->plan->nblocks; b++)
        if (e->clean[b])
            add_blocks(l, e->first[b], e->last[b], b);
}

static const uint64_t *loop_of(const struct pf_labels *l, LLVMBasicBlockRef block)
{
    return pf_ptrmap_find(&l->loop, block);
}

/* Combines the labels of v, if it is from outside the loop, with `sum`. NULL: none so far. */
static LLVMValueRef add_outside(struct pf_labels *l, LLVMValueRef sum, LLVMValueRef v, size_t loop)
{
    const uint64_t *in = NULL;
    if (!v || LLVMValueIsBasicBlock(v) || !pf_ptrmap_find(&l->first, v))
        return sum;
    if (LLVMIsAInstruction(v))
        in = loop_of(l, LLVMGetInstructionParent(v));
    if (in && *in == 1 + loop)
        return sum;
    for (unsigned k = 0, n = pf_label_fields(l->u, LLVMTypeOf(v)); k < n; k++) {
        LLVMValueRef label = pf_label_get(l, v, k);
        if (label != l->none)
            sum = sum ? LLVMBuildOr(l->b, sum, label, "") : label;
    }
    return sum;
}

/* Adds the labels from outside to the value of `clean`, in the block before the loop. */
static void finish_clean(struct pf_labels *l, LLVMBasicBlockRef first, size_t loop)
{
    struct pf_emit *e = l->e;
    LLVMValueRef sum = NULL;
    LLVMPositionBuilderBefore(l->b, e->clean[loop]);
    LLVMSetCurrentDebugLocation2(l->b, LLVMInstructionGetDebugLoc(e->clean[loop]));
    for (LLVMBasicBlockRef block = first; block; block = LLVMGetNextBasicBlock(block)) {
        const uint64_t *in = loop_of(l, block);
        for (LLVMValueRef v = in && *in == 1 + loop ? LLVMGetFirstInstruction(block) : NULL; v;
             v = LLVMGetNextInstruction(v)) {
            bool phi = LLVMIsAPHINode(v);
            if (!pf_ptrmap_find(&e->originals, v))
                continue;
            for (unsigned i = 0, n = phi ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v);
                 i < n; i++)
                sum = add_outside(l, sum, phi ? LLVMGetIncomingValue(v, i) : LLVMGetOperand(v, i),
                                  loop);
        }
    }
    if (!sum)
        return;
    LLVMValueRef none = LLVMBuildICmp(l->b, LLVMIntEQ, sum, l->none, "");
    LLVMValueRef clean = LLVMGetOperand(e->clean[loop], 0);
    clean = LLVMBuildSelect(l->b, none, clean, LLVMConstAllOnes(l->u->i64), "");
    LLVMSetOperand(e->clean[loop], 0, clean);
}

void pf_label_loop_enter(struct pf_labels *l, LLVMBasicBlockRef block)
{
    const uint64_t *in = loop_of(l, block);
    if (in && block == l->e->first[*in - 1])
        finish_clean(l, block, *in - 1);
}
