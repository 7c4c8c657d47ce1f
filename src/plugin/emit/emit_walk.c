/*
 * emit_walk.c - the walk over the blocks and instructions of a function that all bodies share:
 * copies the old blocks into new ones (or works in place), and maps the operands of the copies.
 *
 * What a body does at an instruction is in its emitter's callbacks (struct pf_body_walk):
 * emit_watch.c, emit_event.c, emit_plain.c.
 */
#include "control_flow.h"
#include "emit.h"
#include <llvm-c/DebugInfo.h>

LLVMValueRef pf_emit_copy(struct pf_emit *e, LLVMValueRef inst)
{
    if (e->in_place) {
        LLVMValueRef next = LLVMGetNextInstruction(inst);
        if (next)
            LLVMPositionBuilderBefore(e->b, next);
        return inst;
    }
    LLVMValueRef copy = LLVMInstructionClone(inst);
    LLVMInsertIntoBuilder(e->b, copy);
    *pf_ptrmap_at(&e->map, inst) = (uint64_t)copy;
    if (e->symbolic && !e->unlabelled)
        *pf_ptrmap_at(&e->originals, copy) = (uint64_t)inst;
    return pf_emit_map_later(e, copy);
}

void pf_emit_phi(struct pf_emit *e, LLVMValueRef phi)
{
    LLVMValueRef copy = LLVMBuildPhi(e->b, LLVMTypeOf(phi), "");
    if (LLVMCanValueUseFastMathFlags(phi))
        LLVMSetFastMathFlags(copy, LLVMGetFastMathFlags(phi));
    if (e->symbolic)
        *pf_ptrmap_at(&e->originals, copy) = (uint64_t)phi;
    *pf_ptrmap_at(&e->map, phi) = (uint64_t)copy;
}

static LLVMValueRef mapped(struct pf_emit *e, LLVMValueRef v)
{
    uint64_t *to = pf_ptrmap_find(&e->map, v);
    return to ? (LLVMValueRef)*to : v;
}

/* Pops the frame before the function ends. Nothing may come between a musttail call and its ret. A
 * musttail call with a step has already popped it (e->popped); one without a step, whose callee
 * never reports, gets the pop before it. */
static void leave(struct pf_emit *e, LLVMValueRef end)
{
    LLVMValueRef call = LLVMGetPreviousInstruction(end);
    bool tail =
        call && LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
    if (!tail) {
        pf_frame_pop(e);
        return;
    }
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilderBefore(e->b, e->in_place ? call : mapped(e, call));
    pf_frame_pop(e);
    if (e->in_place)
        LLVMPositionBuilderBefore(e->b, end);
    else
        LLVMPositionBuilderAtEnd(e->b, here);
}

/* Copies the block or, in place, adds to it: the callbacks of the walk decide what is emitted for
 * each instruction. */
static void walk_block(struct pf_emit *e, const struct pf_body_walk *w, size_t block)
{
    size_t k = e->plan->first_step[block], end = e->plan->first_step[block + 1];
    if (!e->in_place)
        LLVMPositionBuilderAtEnd(e->b, e->first[block]);
    if (block == 0 && w->enter)
        w->enter(e);
    if (w->begin_block)
        w->begin_block(e, block);
    e->popped = false;
    bool stale_frames = e->stale_frames[block];
    for (LLVMValueRef v = LLVMGetFirstInstruction(e->plan->blocks[block]), next; v; v = next) {
        next = LLVMGetNextInstruction(v); /* in place, a step adds instructions after v */
        if (e->in_place)
            LLVMPositionBuilderBefore(e->b, v);
        LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(v));
        LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
        if (opcode == LLVMPHI) {
            if (!e->in_place)
                pf_emit_phi(e, v);
            continue;
        }
        if (stale_frames)
            pf_frame_restore(e);
        stale_frames = false;
        if (!next && w->end_block)
            w->end_block(e, block);
        if (k < end && e->plan->steps[k].inst == v) {
            size_t first = k;
            k += w->steps(e, block, k);
            if (k > first + 1) /* a run; its last instruction has the last step */
                next = LLVMGetNextInstruction(e->plan->steps[k - 1].inst);
        } else {
            if ((opcode == LLVMRet || opcode == LLVMResume) && !e->popped)
                leave(e, v);
            if (w->other)
                w->other(e, v);
        }
    }
    if (!e->in_place)
        e->last[block] = LLVMGetInsertBlock(e->b);
}

void pf_emit_walk(struct pf_emit *e, const struct pf_body_walk *w)
{
    for (size_t i = 0; i < e->plan->nblocks; i++)
        walk_block(e, w, i);
}

/* An invoke of external code may return with stale frames on the shadow stack. Its normal successor
 * restores the frame; for the other one the landing pad does. For calls see emit_frame.c. */
static void find_stale_frames(struct pf_emit *e)
{
    e->stale_frames = pf_zeroed(e->plan->nblocks + 1, sizeof *e->stale_frames);
    for (size_t b = 0; b < e->plan->nblocks; b++) {
        LLVMValueRef term = LLVMGetBasicBlockTerminator(e->plan->blocks[b]);
        if (LLVMIsAInvokeInst(term) && pf_call_may_be_external(e->u, term))
            e->stale_frames[*pf_ptrmap_find(&e->plan->block_index, LLVMGetNormalDest(term))] = true;
    }
}

static void map_operands(struct pf_emit *e, LLVMValueRef inst)
{
    for (int i = 0, n = LLVMGetNumOperands(inst); i < n; i++) {
        LLVMValueRef v = LLVMGetOperand(inst, i);
        if (!v)
            continue;
        uint64_t *to = pf_ptrmap_find(
            &e->map, LLVMValueIsBasicBlock(v) ? (void *)LLVMValueAsBasicBlock(v) : (void *)v);
        if (to)
            LLVMSetOperand(inst, i, (LLVMValueRef)*to);
        else if (e->labels)
            pf_computed_goto_map(e, inst, i);
    }
}

/* A PHI lists each predecessor once per edge. The new predecessor is the last block of the
 * predecessor's copy, or the block with a range check that was put on the edge (before a loop:
 * e->before; after it: pf_range_after_predecessor). */
static void fill_phis(struct pf_emit *e)
{
    for (size_t b = 0; b < e->plan->nblocks; b++)
        for (LLVMValueRef v = LLVMGetFirstInstruction(e->plan->blocks[b]); v && LLVMIsAPHINode(v);
             v = LLVMGetNextInstruction(v)) {
            for (unsigned i = 0, n = LLVMCountIncoming(v); i < n; i++) {
                LLVMValueRef value = mapped(e, LLVMGetIncomingValue(v, i));
                size_t from = *pf_ptrmap_find(&e->plan->block_index, LLVMGetIncomingBlock(v, i));
                bool enters = from != b && e->before[b];
                LLVMBasicBlockRef predecessor =
                    enters ? e->before[b] : pf_range_after_predecessor(e, from, b);
                LLVMAddIncoming(mapped(e, v), &value, &predecessor, 1);
            }
        }
}

bool pf_emit_common_step(struct pf_emit *e, const struct pf_plan_step *s)
{
    switch ((enum pf_plan_action)s->what) {
    case PF_DO_ATOMIC:
        pf_emit_atomic(e, s);
        return true;
    case PF_DO_LIBATOMIC:
        pf_emit_libatomic(e, s);
        return true;
    case PF_DO_FENCE:
        pf_emit_fence(e, s);
        return true;
    case PF_DO_LANDING_PAD:
        pf_emit_copy(e, s->inst);
        pf_frame_restore(e);
        return true;
    default:
        return false;
    }
}

void pf_emit_body_begin(struct pf_emit *e)
{
    struct pf_plan *plan = e->plan;
    e->first = pf_grow(NULL, plan->nblocks * sizeof *e->first);
    e->last = pf_grow(NULL, plan->nblocks * sizeof *e->last);
    e->before = pf_zeroed(plan->nblocks, sizeof *e->before);
    for (size_t i = 0; i < plan->nblocks; i++) {
        e->first[i] = pf_emit_block(e);
        *pf_ptrmap_at(&e->map, plan->blocks[i]) = (uint64_t)LLVMBasicBlockAsValue(e->first[i]);
    }
    find_stale_frames(e);
    if (e->labels)
        pf_computed_goto_copy_tables(e);
}

void pf_emit_body_finish(struct pf_emit *e)
{
    for (size_t i = 0; i < e->nunmapped; i++)
        map_operands(e, e->unmapped[i]);
    pf_range_before_connect(e);
    pf_range_after_connect(e);
    fill_phis(e);
}

void pf_emit_body_release(struct pf_emit *e)
{
    pf_ptrmap_release(&e->map);
    pf_ptrmap_release(&e->slots);
    pf_ptrmap_release(&e->originals);
    pf_ptrmap_release(&e->counting);
    free(e->first);
    free(e->last);
    free(e->before);
    free(e->clean);
    free(e->stale_frames);
    free(e->unmapped);
    free(e->joined);
    free(e->tables);
}
