/*
 * emit_event.c - the event body: every access that others could see is an event of its thread, none
 * is left out, and the runtime can stop the thread before each of them.
 *
 * Events are counted against the thread's budget (pf_abi.h), a run of them at a time. A run is a
 * piece of a block without calls; it is there twice:
 *
 *            budget -= n
 *            budget < 0 ? ----------+
 *              |                    |
 *        fast: the run        slow: budget += n
 *        as it was                  before each access: __pf_event_...(), which counts
 *              |                    |
 *              +-----> join <-------+     PHIs for what the run defines and others use
 *
 * So a recording that only keeps the schedule pays one subtraction for a run, and still the budget
 * can end at any access. With a budget of 0 every event is handed over, with its value. A run of
 * one access is not copied: only the call stands on the slow side.
 *
 * What counts itself, on either side of a call into the runtime, stands between runs: calls,
 * large copies, masked vector accesses, libatomic.
 */
#include "debuginfo.h"
#include "emit.h"
#include <llvm-c/DebugInfo.h>

static bool is_small(uint64_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

/* Part of a run? Else it stands by itself. */
static bool is_counted(const struct pf_step *s)
{
    switch ((enum pf_what)s->what) {
    case PF_DO_ACCESS:
    case PF_DO_VPTR:
    case PF_DO_ATOMIC:
    case PF_DO_FENCE:
        return true;
    case PF_DO_RANGES:
        return s->size != 0; /* larger ones may become calls */
    default:
        return false;
    }
}

/* Steps that do nothing but what the plain body does. */
static bool is_single_access(const struct pf_step *s)
{
    return s->what == PF_DO_ACCESS || s->what == PF_DO_VPTR || s->what == PF_DO_RANGES;
}

/* The value as 64 bits, or NULL if that cannot be. */
static LLVMValueRef widened(struct pf_emit *e, LLVMValueRef v)
{
    struct pf_unit *u = e->u;
    LLVMTypeRef type = LLVMTypeOf(v);
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
        return pf_emit_fresh(e, LLVMBuildPtrToInt(e->b, v, u->i64, ""));
    case LLVMIntegerTypeKind:
        break;
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMVectorTypeKind: {
        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
            LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind)
            return NULL;
        LLVMTypeRef bits =
            LLVMIntTypeInContext(u->context, (unsigned)LLVMSizeOfTypeInBits(u->layout, type));
        v = pf_emit_fresh(e, LLVMBuildBitCast(e->b, v, bits, ""));
        break;
    }
    default:
        return NULL;
    }
    return LLVMTypeOf(v) == u->i64 ? v : pf_emit_fresh(e, LLVMBuildZExt(e->b, v, u->i64, ""));
}

static void range_event(struct pf_emit *e, enum pf_entry entry, LLVMValueRef inst, LLVMValueRef ptr,
                        LLVMValueRef size, bool write, LLVMValueRef last)
{
    uint64_t n = LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : 0;
    uint32_t site =
        pf_emit_site(e, inst, write ? PF_SITE_WRITE : PF_SITE_READ, n, pf_di_variable(e->u, ptr));
    if (LLVMTypeOf(size) != e->u->i64)
        size = pf_emit_fresh(e, LLVMBuildIntCast2(e->b, size, e->u->i64, 0, ""));
    LLVMValueRef args[] = {ptr, pf_emit_number(e, site), size, last};
    pf_emit_call(e, entry, args);
}

void pf_event_range(struct pf_emit *e, LLVMValueRef inst, LLVMValueRef ptr, LLVMValueRef size,
                    bool write, LLVMValueRef value)
{
    LLVMValueRef bytes = LLVMConstNull(e->u->ptr);
    if (value) {
        bytes = e->scratch;
        LLVMSetAlignment(pf_emit_fresh(e, LLVMBuildStore(e->b, value, bytes)), 1);
    }
    range_event(e, write ? PF_E___pf_event_write_range : PF_E___pf_event_read_range, inst, ptr,
                size, write, bytes);
}

static void access_event(struct pf_emit *e, const struct pf_step *s)
{
    static const enum pf_entry reads[] = {[1] = PF_E___pf_event_read1,
                                          [2] = PF_E___pf_event_read2,
                                          [4] = PF_E___pf_event_read4,
                                          [8] = PF_E___pf_event_read8};
    static const enum pf_entry writes[] = {[1] = PF_E___pf_event_write1,
                                           [2] = PF_E___pf_event_write2,
                                           [4] = PF_E___pf_event_write4,
                                           [8] = PF_E___pf_event_write8};
    LLVMValueRef size = LLVMConstInt(e->u->i64, s->size, 0);
    LLVMValueRef value = s->write ? LLVMGetOperand(s->inst, 0) : NULL, bits = NULL;
    bool small = is_small(s->size);
    if (s->write && small)
        bits = widened(e, value);
    if (!small || (s->write && !bits)) {
        pf_event_range(e, s->inst, s->ptr, size, s->write, value);
        return;
    }
    const char *var = s->what == PF_DO_VPTR ? "vtable pointer" : pf_di_variable(e->u, s->ptr);
    uint32_t site = pf_emit_site(e, s->inst, s->write ? PF_SITE_WRITE : PF_SITE_READ, s->size, var);
    LLVMValueRef args[] = {s->ptr, pf_emit_number(e, site), bits};
    pf_emit_call(
        e, s->what == PF_DO_VPTR ? PF_E___pf_event_vptr : (s->write ? writes : reads)[s->size],
        args);
}

static void copy_event(struct pf_emit *e, const struct pf_step *s)
{
    struct pf_unit *u = e->u;
    unsigned id = LLVMGetIntrinsicID(pf_callee(s->inst));
    LLVMValueRef dst = LLVMGetOperand(s->inst, 0), from = LLVMGetOperand(s->inst, 1);
    LLVMValueRef size = LLVMGetOperand(s->inst, 2);
    if (id == u->kinds.memset || id == u->kinds.memset_inline) {
        LLVMValueRef byte = pf_emit_fresh(e, LLVMBuildZExt(e->b, from, u->i32, ""));
        range_event(e, PF_E___pf_event_fill, s->inst, dst, size, true, byte);
        return;
    }
    if (s->read_side)
        range_event(e, PF_E___pf_event_read_range, s->inst, from, size, false, NULL);
    if (s->write_side)
        range_event(e, s->read_side ? PF_E___pf_event_copied : PF_E___pf_event_write_range, s->inst,
                    dst, size, true, from);
}

/* The slow side of a step: its event and the step itself. */
static void emit_slowly(struct pf_emit *e, const struct pf_step *s)
{
    if (s->what == PF_DO_ATOMIC) {
        pf_emit_atomic(e, s);
    } else if (s->what == PF_DO_FENCE) {
        pf_emit_fence(e, s);
    } else {
        (s->what == PF_DO_RANGES ? copy_event : access_event)(e, s);
        pf_emit_copy(e, s->inst);
    }
}

/* budget += n; the new value. */
static LLVMValueRef add_to_budget(struct pf_emit *e, int64_t n)
{
    LLVMValueRef at = pf_emit_tls(e, offsetof(struct pf_tls, budget));
    LLVMValueRef left = LLVMBuildLoad2(e->b, e->u->i64, at, "");
    left = LLVMBuildAdd(e->b, left, LLVMConstInt(e->u->i64, (uint64_t)n, 1), "");
    LLVMBuildStore(e->b, left, at);
    return left;
}

/* Counts n events; leaves the builder on the slow side. */
static void emit_count(struct pf_emit *e, unsigned n, LLVMBasicBlockRef fast)
{
    LLVMBasicBlockRef slow = pf_emit_block(e);
    LLVMValueRef left = add_to_budget(e, -(int64_t)n);
    LLVMValueRef enough = LLVMBuildICmp(e->b, LLVMIntSGE, left, LLVMConstInt(e->u->i64, 0, 0), "");
    pf_emit_branch(e, enough, fast, slow, true);
    LLVMPositionBuilderAtEnd(e->b, slow);
    add_to_budget(e, n);
}

/* A run: [from, to] of one block, the steps among them [k, end). */
struct run {
    LLVMValueRef from, to;
    size_t k, end;
    unsigned n; /* events */
};

static struct run find_run(struct pf_emit *e, LLVMValueRef v, size_t k, size_t end)
{
    struct run r = {.from = v, .to = v, .k = k, .end = k};
    for (; v && k < end; v = LLVMGetNextInstruction(v)) {
        const struct pf_step *s = &e->plan->steps[k];
        if (s->inst != v)
            continue;
        if (!is_counted(s))
            break;
        r.to = v;
        r.n++;
        r.end = ++k;
    }
    return r;
}

/* Operands of what is fresh since `since` that the map knows now: other copies come. */
static void settle(struct pf_emit *e, size_t since, const struct pf_ptrmap *own)
{
    for (size_t i = since; i < e->nfresh; i++)
        for (int k = 0, n = LLVMGetNumOperands(e->fresh[i]); k < n; k++) {
            uint64_t *to = pf_ptrmap_find(own, LLVMGetOperand(e->fresh[i], k));
            if (to)
                LLVMSetOperand(e->fresh[i], k, (LLVMValueRef)*to);
        }
}

/* One copy of the run; `own` gets old value -> new value. */
static void copy_run(struct pf_emit *e, const struct run *r, bool slow, struct pf_ptrmap *own)
{
    size_t k = r->k, since = e->nfresh;
    for (LLVMValueRef v = r->from;; v = LLVMGetNextInstruction(v)) {
        LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(v));
        if (k < r->end && e->plan->steps[k].inst == v) {
            if (slow)
                emit_slowly(e, &e->plan->steps[k]);
            else
                pf_emit_copy(e, v);
            k++;
        } else if (!pf_emit_is_debug(v)) {
            pf_emit_copy(e, v);
        } else if (v != r->to) {
            continue;
        }
        uint64_t *to = pf_ptrmap_find(&e->map, v);
        if (to)
            *pf_ptrmap_at(own, v) = *to;
        if (v == r->to)
            break;
    }
    settle(e, since, own);
}

static bool is_used_outside(LLVMValueRef v, const struct pf_ptrmap *inside)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        if (!pf_ptrmap_find(inside, LLVMGetUser(use)))
            return true;
    return false;
}

static void emit_run(struct pf_emit *e, const struct run *r)
{
    LLVMBasicBlockRef join = pf_emit_block(e);
    if (r->n == 1 && is_single_access(&e->plan->steps[r->k])) {
        const struct pf_step *s = &e->plan->steps[r->k];
        emit_count(e, 1, join);
        (s->what == PF_DO_RANGES ? copy_event : access_event)(e, s);
        LLVMBuildBr(e->b, join);
        LLVMPositionBuilderAtEnd(e->b, join);
        pf_emit_copy(e, s->inst);
        return;
    }
    struct pf_ptrmap fast = {0}, slow = {0};
    LLVMBasicBlockRef quick = pf_emit_block(e);
    emit_count(e, r->n, quick);
    copy_run(e, r, true, &slow);
    LLVMBasicBlockRef ways[] = {NULL, LLVMGetInsertBlock(e->b)};
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, quick);
    copy_run(e, r, false, &fast);
    ways[0] = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, join);
    for (LLVMValueRef v = r->from;; v = LLVMGetNextInstruction(v)) {
        const uint64_t *a = pf_ptrmap_find(&fast, v), *b = pf_ptrmap_find(&slow, v);
        if (a && b && is_used_outside(v, &fast)) {
            LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(v));
            LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(v), "");
            LLVMValueRef values[] = {(LLVMValueRef)*a, (LLVMValueRef)*b};
            LLVMAddIncoming(phi, values, ways, 2);
            *pf_ptrmap_at(&e->map, v) = (uint64_t)phi;
        }
        if (v == r->to)
            break;
    }
    pf_ptrmap_release(&fast);
    pf_ptrmap_release(&slow);
}

/* Arguments passed by value in memory are read by the call. */
static void byval_events(struct pf_emit *e, LLVMValueRef call)
{
    struct pf_unit *u = e->u;
    for (unsigned i = 0, n = LLVMGetNumArgOperands(call); e->plan->accesses && i < n; i++) {
        uint64_t size = pf_byval_size(u, call, i);
        LLVMValueRef ptr = LLVMGetOperand(call, i);
        if (size && !pf_memory_is_dull(u, ptr))
            pf_event_range(e, call, ptr, LLVMConstInt(u->i64, size, 0), false, NULL);
    }
}

/* What is not part of a run. */
static void emit_step(struct pf_emit *e, const struct pf_step *s)
{
    switch ((enum pf_what)s->what) {
    case PF_DO_RANGES:
    case PF_DO_MEMORY:
        pf_emit_memory(e, s);
        break;
    case PF_DO_MASKED:
        pf_emit_masked(e, s);
        break;
    case PF_DO_LIBATOMIC:
        pf_emit_libatomic(e, s);
        break;
    case PF_DO_CALL:
        byval_events(e, s->inst);
        pf_frame_call(e, s->inst);
        break;
    case PF_DO_PAD:
        pf_emit_copy(e, s->inst);
        pf_frame_restore(e);
        break;
    default:
        pf_emit_copy(e, s->inst);
        break;
    }
}

static void emit_block(struct pf_emit *e, size_t block)
{
    size_t k = e->plan->first_step[block], end = e->plan->first_step[block + 1];
    LLVMPositionBuilderAtEnd(e->b, e->first[block]);
    if (block == 0)
        pf_frame_push(e);
    e->popped = false;
    bool unsure = e->unsure[block];
    for (LLVMValueRef v = LLVMGetFirstInstruction(e->plan->blocks[block]); v;
         v = LLVMGetNextInstruction(v)) {
        LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(v));
        LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
        if (opcode == LLVMPHI) {
            pf_emit_phi(e, v);
            continue;
        }
        if (unsure)
            pf_frame_restore(e);
        unsure = false;
        if (k < end && e->plan->steps[k].inst == v) {
            if (is_counted(&e->plan->steps[k])) {
                struct run r = find_run(e, v, k, end);
                emit_run(e, &r);
                v = r.to;
                k = r.end;
            } else {
                emit_step(e, &e->plan->steps[k++]);
            }
        } else if (!pf_emit_is_debug(v)) {
            if ((opcode == LLVMRet || opcode == LLVMResume) && !e->popped)
                pf_frame_pop(e);
            pf_emit_copy(e, v);
        }
    }
    e->last[block] = LLVMGetInsertBlock(e->b);
}

void pf_event_begin(struct pf_emit *e, const struct pf_emit *like, struct pf_plan *plan)
{
    *e = (struct pf_emit){.u = like->u,
                          .fn = like->fn,
                          .plan = plan,
                          .b = like->b,
                          .labels = like->labels,
                          .book = like->book,
                          .record = like->record,
                          .event = true};
    pf_emit_body_begin(e);
}

/* Room for the widest value stored that does not fit a register. */
static void make_scratch(struct pf_emit *e, LLVMBasicBlockRef dispatch)
{
    uint64_t size = 0;
    for (size_t i = 0; i < e->plan->n; i++) {
        const struct pf_step *s = &e->plan->steps[i];
        if (s->what == PF_DO_ACCESS && s->write && s->size > size)
            size = s->size;
        if (s->what == PF_DO_MASKED && !size)
            size = 8;
    }
    LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(dispatch));
    LLVMSetCurrentDebugLocation2(e->b, NULL);
    if (size)
        e->scratch = LLVMBuildAlloca(e->b, LLVMArrayType2(e->u->i8, size), "");
}

void pf_event_emit(struct pf_emit *e, LLVMBasicBlockRef dispatch)
{
    make_scratch(e, dispatch);
    for (size_t i = 0; i < e->plan->nblocks; i++)
        emit_block(e, i);
    pf_emit_body_finish(e);
}
