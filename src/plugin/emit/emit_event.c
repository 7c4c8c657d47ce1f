/*
 * emit_event.c - the event body: every access that other threads could see is an event, none is
 * removed as redundant, and the runtime can stop the thread before each of them.
 *
 * Events are counted against the thread's budget (pf_abi.h), one run at a time. A run is a part of
 * a block without calls. It is emitted twice:
 *
 *            budget -= n
 *            budget < 0 ? ----------+
 *              |                    |
 *        fast: the run        slow: budget += n
 *        unchanged                  before each access: __pf_event_...(), which counts it
 *              |                    |
 *              +-----> join <-------+     PHIs for values of the run that are used after it
 *
 * So a recording that keeps only the schedule pays one subtraction per run, and the budget can
 * still end at any access. With a budget of 0 every event is passed to the runtime, with its value.
 * A run of one access is not copied: the slow side has only the call.
 *
 * The budget is always in thread-local memory. In hot loops its value is also kept in a register,
 * so that counting is not a chain of loads and stores from one iteration to the next.
 *
 * Runs take three times as much code as calls alone. So a large function has runs only in its
 * loops, and a huge one only in its hot loops (hot_loops.c); elsewhere each access has its call,
 * which counts it and returns while the budget lasts.
 *
 * Operations that the runtime counts are between runs: calls, large copies, masked vector accesses,
 * libatomic.
 */
#include "debuginfo.h"
#include "emit.h"
#include "variable_bounds.h"
#include <llvm-c/DebugInfo.h>

static bool is_small(uint64_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

/* True if the step can be part of a run. Otherwise it is emitted by itself. */
static bool is_in_run(const struct pf_plan_step *s)
{
    switch ((enum pf_plan_action)s->what) {
    case PF_DO_ACCESS:
    case PF_DO_VPTR:
    case PF_DO_ATOMIC:
    case PF_DO_FENCE:
        return true;
    case PF_DO_RANGES:
        return s->size != 0; /* 0: large or not constant; may become a call (emit_large) */
    default:
        return false;
    }
}

/* True if the step is an access or a copy, whose event is one call before the instruction. */
static bool is_single_access(const struct pf_plan_step *s)
{
    return s->what == PF_DO_ACCESS || s->what == PF_DO_VPTR || s->what == PF_DO_RANGES;
}

/* The value as 64 bits, or NULL if it has no such form. */
static LLVMValueRef widened(struct pf_emit *e, LLVMValueRef v)
{
    struct pf_unit *u = e->u;
    LLVMTypeRef type = LLVMTypeOf(v);
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
        return pf_emit_map_later(e, LLVMBuildPtrToInt(e->b, v, u->i64, ""));
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
        v = pf_emit_map_later(e, LLVMBuildBitCast(e->b, v, bits, ""));
        break;
    }
    default:
        return NULL;
    }
    return LLVMTypeOf(v) == u->i64 ? v : pf_emit_map_later(e, LLVMBuildZExt(e->b, v, u->i64, ""));
}

/* Emits a call of an entry point with the arguments (address, site, size, last). last: see
 * pf_abi.def; NULL if the entry point has only three. */
static void range_event(struct pf_emit *e, enum pf_entry entry, LLVMValueRef inst, LLVMValueRef ptr,
                        LLVMValueRef size, bool write, LLVMValueRef last)
{
    uint64_t n = LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : 0;
    uint32_t site =
        pf_emit_site(e, inst, write ? PF_SITE_WRITE : PF_SITE_READ, n, pf_di_variable(e->u, ptr));
    if (LLVMTypeOf(size) != e->u->i64)
        size = pf_emit_map_later(e, LLVMBuildIntCast2(e->b, size, e->u->i64, 0, ""));
    LLVMValueRef args[] = {ptr, pf_emit_number(e, site), size, last};
    pf_emit_call(e, entry, args);
}

void pf_event_range(struct pf_emit *e, LLVMValueRef inst, LLVMValueRef ptr, LLVMValueRef size,
                    bool write, LLVMValueRef value)
{
    LLVMValueRef bytes = LLVMConstNull(e->u->ptr);
    if (value) {
        bytes = e->scratch;
        LLVMSetAlignment(pf_emit_map_later(e, LLVMBuildStore(e->b, value, bytes)), 1);
    }
    range_event(e, write ? PF_E___pf_event_write_range : PF_E___pf_event_read_range, inst, ptr,
                size, write, bytes);
}

static void access_event(struct pf_emit *e, const struct pf_plan_step *s)
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
    uint32_t site = pf_emit_site(e, s->inst, s->write ? PF_SITE_WRITE : PF_SITE_READ, s->size,
                                 pf_emit_variable(e, s));
    LLVMValueRef args[] = {s->ptr, pf_emit_number(e, site), bits};
    pf_emit_call(
        e, s->what == PF_DO_VPTR ? PF_E___pf_event_vptr : (s->write ? writes : reads)[s->size],
        args);
}

static void copy_event(struct pf_emit *e, const struct pf_plan_step *s)
{
    struct pf_unit *u = e->u;
    unsigned id = LLVMGetIntrinsicID(pf_callee(s->inst));
    LLVMValueRef dst = LLVMGetOperand(s->inst, 0), from = LLVMGetOperand(s->inst, 1);
    LLVMValueRef size = LLVMGetOperand(s->inst, 2);
    if (id == u->kinds.memset || id == u->kinds.memset_inline) {
        LLVMValueRef byte = pf_emit_map_later(e, LLVMBuildZExt(e->b, from, u->i32, ""));
        range_event(e, PF_E___pf_event_fill, s->inst, dst, size, true, byte);
        return;
    }
    if (s->read_side)
        range_event(e, PF_E___pf_event_read_range, s->inst, from, size, false, NULL);
    if (s->write_side)
        range_event(e, s->read_side ? PF_E___pf_event_copied : PF_E___pf_event_write_range, s->inst,
                    dst, size, true, from);
}

/* Emits the slow side of a step: its event and the instruction. */
static void emit_with_event(struct pf_emit *e, const struct pf_plan_step *s)
{
    e->flags = s->flags;
    if (s->what == PF_DO_ATOMIC) {
        pf_bounds_check(e, s->inst, s->ptr, LLVMConstInt(e->u->i64, s->size, 0), s->write);
        pf_emit_atomic(e, s);
    } else if (s->what == PF_DO_FENCE) {
        pf_emit_fence(e, s);
    } else {
        pf_bounds_check_all(e, s->inst);
        (s->what == PF_DO_RANGES ? copy_event : access_event)(e, s);
        pf_emit_copy(e, s->inst);
    }
}

/* True if the event is a call that counts it, instead of a part of a run. Copies and atomics, for
 * which the runtime does more work anyway, stay in runs. The symbolic body logs the number of the
 * current event, which is unknown inside a run of several events, because a run counts all of them
 * at its start. So its hot loops have runs of one access, or runs without labels, and its other
 * code has calls. */
static bool has_own_call(const struct pf_emit *e, size_t block, const struct pf_plan_step *s)
{
    if (s->what != PF_DO_ACCESS && s->what != PF_DO_VPTR)
        return false;
    return (e->symbolic && !e->plan->hot[block]) || e->u->inlining == PF_INLINE_NONE ||
           (e->large && !e->plan->hot[block] && (e->huge || !e->plan->in_loop[block]));
}

/* A run: the instructions [from, to] of one block, and their steps [k, end). */
struct event_run {
    LLVMValueRef from, to;
    size_t k, end;
    unsigned n; /* events */
};

static struct event_run find_run(struct pf_emit *e, LLVMValueRef v, size_t block, size_t k,
                                 size_t end)
{
    struct event_run r = {.from = v, .to = v, .k = k, .end = k};
    for (; v && k < end; v = LLVMGetNextInstruction(v)) {
        const struct pf_plan_step *s = &e->plan->steps[k];
        if (s->inst != v)
            continue;
        if (!is_in_run(s) || has_own_call(e, block, s))
            break;
        r.to = v;
        r.n++;
        r.end = ++k;
        if (e->symbolic && !e->clean[block])
            break;
    }
    return r;
}

/* Maps the operands of instructions emitted since `since` to values in `own` now, because another
 * copy of the run will change the map. */
static void map_operands_to(struct pf_emit *e, size_t since, const struct pf_ptrmap *own)
{
    for (size_t i = since; i < e->nunmapped; i++)
        for (int k = 0, n = LLVMGetNumOperands(e->unmapped[i]); k < n; k++) {
            uint64_t *to = pf_ptrmap_find(own, LLVMGetOperand(e->unmapped[i], k));
            if (to)
                LLVMSetOperand(e->unmapped[i], k, (LLVMValueRef)*to);
        }
}

/* Emits one copy of the run. `own` receives old value -> new value. */
static void copy_run(struct pf_emit *e, const struct event_run *r, bool slow, struct pf_ptrmap *own)
{
    size_t k = r->k, since = e->nunmapped;
    for (LLVMValueRef v = r->from;; v = LLVMGetNextInstruction(v)) {
        LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(v));
        if (k < r->end && e->plan->steps[k].inst == v) {
            if (slow)
                emit_with_event(e, &e->plan->steps[k]);
            else
                pf_emit_copy(e, v);
            k++;
        } else {
            pf_bounds_check_all(e, v);
            pf_emit_copy(e, v);
        }
        uint64_t *to = pf_ptrmap_find(&e->map, v);
        if (to)
            *pf_ptrmap_at(own, v) = *to;
        if (v == r->to)
            break;
    }
    map_operands_to(e, since, own);
}

/* Makes the value of v, of which both sides have a copy, available after the join. Whether a later
 * instruction uses it is known when the body is complete: a bounds check uses values that the
 * accessing instruction itself does not use. */
static void join_values(struct pf_emit *e, LLVMValueRef v, LLVMValueRef *copies,
                        LLVMBasicBlockRef *predecessors)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
    if (kind == LLVMVoidTypeKind || kind == LLVMTokenTypeKind)
        return;
    LLVMSetCurrentDebugLocation2(e->b, LLVMInstructionGetDebugLoc(v));
    LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(v), "");
    LLVMAddIncoming(phi, copies, predecessors, 2);
    if (e->symbolic)
        *pf_ptrmap_at(&e->originals, phi) = (uint64_t)v;
    *pf_ptrmap_at(&e->map, v) = (uint64_t)phi;
    PF_PUSH(e->joined, e->njoined, e->joined_cap) = phi;
}

static void remove_unused_phis(struct pf_emit *e)
{
    for (size_t i = 0; i < e->njoined; i++)
        if (!LLVMGetFirstUse(e->joined[i])) {
            if (e->symbolic) /* another instruction may get the same address */
                *pf_ptrmap_at(&e->originals, e->joined[i]) = 0;
            LLVMInstructionEraseFromParent(e->joined[i]);
        }
}

/* Emits a run: its two copies, or for a single access the slow side only, and the join. clean:
 * symbolic body, in loops with ranges (symbolic_range.c): the fast side is for runs without labels.
 * NULL: other code. */
static void emit_run(struct pf_emit *e, const struct event_run *r, LLVMValueRef clean)
{
    LLVMBasicBlockRef join = pf_emit_block(e);
    if (!clean && r->n == 1 && is_single_access(&e->plan->steps[r->k])) {
        const struct pf_plan_step *s = &e->plan->steps[r->k];
        LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
        LLVMValueRef left = pf_budget_count(e, 1, NULL, join);
        LLVMBasicBlockRef slow = LLVMGetInsertBlock(e->b);
        e->flags = s->flags;
        pf_bounds_check_all(e, s->inst);
        (s->what == PF_DO_RANGES ? copy_event : access_event)(e, s);
        bool one_block = LLVMGetInsertBlock(e->b) == slow;
        pf_budget_join(e, join, here, left);
        if (e->symbolic && one_block) {
            *pf_ptrmap_at(&e->counting, LLVMGetBasicBlockTerminator(here)) = 1;
            *pf_ptrmap_at(&e->counting, LLVMGetBasicBlockTerminator(slow)) = 1;
        }
        pf_emit_copy(e, s->inst);
        return;
    }
    struct pf_ptrmap fast = {0}, slow = {0};
    LLVMBasicBlockRef fast_end = pf_emit_block(e);
    LLVMValueRef if_clean = clean ? pf_label_is_clean(e, clean) : NULL;
    LLVMValueRef left = pf_budget_count(e, r->n, if_clean, fast_end);
    LLVMBasicBlockRef slow_start = LLVMGetInsertBlock(e->b);
    LLVMPositionBuilderAtEnd(e->b, fast_end);
    e->unlabelled = clean != NULL;
    copy_run(e, r, false, &fast);
    e->unlabelled = false;
    fast_end = LLVMGetInsertBlock(e->b);
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, slow_start);
    copy_run(e, r, true, &slow);
    LLVMBasicBlockRef predecessors[] = {fast_end, LLVMGetInsertBlock(e->b)};
    pf_budget_join(e, join, fast_end, left);
    for (LLVMValueRef v = r->from;; v = LLVMGetNextInstruction(v)) {
        const uint64_t *a = pf_ptrmap_find(&fast, v), *b = pf_ptrmap_find(&slow, v);
        if (a && b)
            join_values(e, v, (LLVMValueRef[]){(LLVMValueRef)*a, (LLVMValueRef)*b}, predecessors);
        if (v == r->to)
            break;
    }
    pf_ptrmap_release(&fast);
    pf_ptrmap_release(&slow);
}

/* A call reads its arguments that are passed by value in memory. */
static void byval_events(struct pf_emit *e, LLVMValueRef call)
{
    struct pf_unit *u = e->u;
    for (unsigned i = 0, n = LLVMGetNumArgOperands(call); e->plan->accesses && i < n; i++) {
        uint64_t size = pf_byval_size(u, call, i);
        LLVMValueRef ptr = LLVMGetOperand(call, i);
        if (size && !pf_memory_is_unchecked(u, ptr)) {
            pf_event_range(e, call, ptr, LLVMConstInt(u->i64, size, 0), false, NULL);
            e->budget = NULL; /* the event has changed the budget */
        }
    }
}

/* Emits a copy or fill that LLVM could turn into a call of libc's function, which is interposed and
 * would count itself. Calls our function instead. */
static void emit_large(struct pf_emit *e, const struct pf_plan_step *s)
{
    unsigned id = LLVMGetIntrinsicID(pf_callee(s->inst));
    bool keep = id == e->u->kinds.memcpy_inline || id == e->u->kinds.memset_inline;
    for (unsigned i = 0; i < 2; i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(s->inst, i));
        keep |= LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type);
    }
    if (keep)
        pf_emit_copy(e, s->inst);
    else
        pf_emit_memory(e, s);
}

/* Emits the event of a call to a function that may not be instrumented. The trace does not contain
 * what the function does, only that it was called, and with which pointers. */
static void call_event(struct pf_emit *e, LLVMValueRef call)
{
    struct pf_unit *u = e->u;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!pf_call_may_be_external(u, call) || pf_is_interposed(u, pf_callee(call)))
        return;
    LLVMBasicBlockRef join = pf_emit_block(e), here = LLVMGetInsertBlock(e->b);
    LLVMValueRef left = pf_budget_count(e, 1, NULL, join);
    unsigned words = 0;
    for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++)
        pf_call_args_store(e, LLVMGetOperand(call, i), &words);
    LLVMValueRef fn = pf_callee(call);
    uint32_t site = pf_emit_site(e, call, PF_SITE_CALL, 0, fn ? pf_di_variable(u, fn) : NULL);
    LLVMValueRef args[] = {callee, pf_emit_number(e, site), pf_call_args_count(e, words),
                           e->scratch};
    pf_emit_call(e, PF_E___pf_event_call, args);
    pf_budget_join(e, join, here, left);
}

/* Emits a preemption point before inline assembly. Its effect is unknown and not in the trace, but
 * the scheduler must be able to stop the thread there: it may be part of a lock. */
static void asm_event(struct pf_emit *e)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b), join = pf_emit_block(e);
    LLVMValueRef left = pf_budget_count(e, 1, NULL, join);
    LLVMValueRef args[] = {pf_emit_number(e, PF_RELAXED), pf_emit_number(e, 0)};
    pf_emit_call(e, PF_E___pf_fence, args);
    pf_budget_join(e, join, here, left);
}

/* Emits a step that is not part of a run. */
static void emit_step(struct pf_emit *e, const struct pf_plan_step *s)
{
    e->flags = s->flags;
    switch ((enum pf_plan_action)s->what) {
    case PF_DO_RANGES:
    case PF_DO_MEMORY:
        pf_bounds_check_all(e, s->inst);
        copy_event(e, s);
        emit_large(e, s);
        break;
    case PF_DO_MASKED:
        pf_emit_masked(e, s);
        break;
    case PF_DO_LIBATOMIC:
        pf_emit_libatomic(e, s);
        break;
    case PF_DO_CALL:
        byval_events(e, s->inst);
        call_event(e, s->inst);
        pf_frame_call(e, s->inst);
        break;
    case PF_DO_LANDING_PAD:
        pf_emit_copy(e, s->inst);
        pf_frame_restore(e);
        return;
    case PF_DO_LIFETIME:
        pf_bounds_lifetime(e, s);
        return;
    case PF_DO_ASM:
        asm_event(e);
        pf_emit_copy(e, s->inst);
        break; /* it may spin; other threads then run and change the budget (pf_budget_choose) */
    default:
        pf_emit_copy(e, s->inst);
    }
    e->budget = NULL; /* the runtime or the callee has changed the budget */
}

static void enter(struct pf_emit *e)
{
    pf_frame_push(e);
    pf_bounds_enter(e);
}

static size_t emit_planned(struct pf_emit *e, size_t block, size_t k)
{
    const struct pf_plan_step *s = &e->plan->steps[k];
    if (has_own_call(e, block, s)) {
        emit_with_event(e, s);
        e->budget = NULL;
        return 1;
    }
    if (!is_in_run(s)) {
        emit_step(e, s);
        return 1;
    }
    struct event_run r = find_run(e, s->inst, block, k, e->plan->first_step[block + 1]);
    emit_run(e, &r, e->symbolic ? e->clean[block] : NULL);
    return r.end - k;
}

static void emit_other(struct pf_emit *e, LLVMValueRef inst)
{
    pf_bounds_check_all(e, inst);
    pf_emit_copy(e, inst);
}

static const struct pf_body_walk event_walk = {.enter = enter,
                                               .begin_block = pf_budget_begin_block,
                                               .end_block = pf_budget_end_block,
                                               .steps = emit_planned,
                                               .other = emit_other};

void pf_event_begin(struct pf_emit *e, const struct pf_emit *like, struct pf_plan *plan,
                    bool blocks)
{
    *e = (struct pf_emit){.u = like->u,
                          .fn = like->fn,
                          .plan = plan,
                          .b = like->b,
                          .labels = like->labels,
                          .table = like->table,
                          .record = like->record,
                          .event = true};
    if (blocks)
        pf_emit_body_begin(e);
}

/* Emits the path to the plain body of a function that is excluded from the trace. */
static void emit_excluded(struct pf_emit *e, LLVMBasicBlockRef excluded)
{
    struct pf_unit *u = e->u;
    unsigned words = 0;
    LLVMPositionBuilderAtEnd(e->b, excluded);
    for (unsigned i = 0, n = LLVMCountParams(e->fn); i < n; i++)
        pf_call_args_store(e, LLVMGetParam(e->fn, i), &words);
    LLVMValueRef args[] = {e->record, pf_call_args_count(e, words),
                           words ? e->scratch : LLVMConstNull(u->ptr)};
    pf_emit_call(e, PF_E___pf_event_excluded, args);
    LLVMBuildBr(e->b, e->plan->blocks[0]);
}

static void make_scratch(struct pf_emit *e, LLVMBasicBlockRef dispatch, uint64_t size)
{
    LLVMPositionBuilderBefore(e->b, LLVMGetFirstInstruction(dispatch));
    LLVMSetCurrentDebugLocation2(e->b, NULL);
    if (size)
        e->scratch = LLVMBuildAlloca(e->b, LLVMArrayType2(e->u->i8, size), "");
}

void pf_event_emit_excluded(struct pf_emit *e, LLVMBasicBlockRef dispatch,
                            LLVMBasicBlockRef excluded)
{
    make_scratch(e, dispatch, 8ull * pf_call_args_max(e->fn));
    emit_excluded(e, excluded);
}

/* The size of a stack slot for the widest stored value that does not fit a register, and for the
 * argument words of calls. */
static uint64_t scratch_size(struct pf_emit *e)
{
    uint64_t size = 8ull * pf_call_args_max(e->fn);
    for (size_t i = 0; i < e->plan->n; i++) {
        const struct pf_plan_step *s = &e->plan->steps[i];
        if (s->what == PF_DO_ACCESS && s->write && s->size > size)
            size = s->size;
        if (s->what == PF_DO_MASKED && size < 8)
            size = 8;
        unsigned words = s->what == PF_DO_CALL ? LLVMGetNumArgOperands(s->inst) : 0;
        if (size < 8ull * words)
            size = 8ull * (words < PF_CALL_ARGS_MAX ? words : PF_CALL_ARGS_MAX);
        if (s->what == PF_DO_CALL && size < 8)
            size = 8;
    }
    return size;
}

/* A function with more accesses than this is large, or huge. Most code is in such functions, and
 * most of that code is rarely executed. */
#define LARGE 24
#define HUGE 400

static void classify_size(struct pf_emit *e)
{
    size_t n = 0;
    for (size_t i = 0; i < e->plan->n; i++)
        n += e->plan->steps[i].what == PF_DO_ACCESS;
    e->large = n > LARGE && e->u->inlining != PF_INLINE_ALL;
    e->huge = n > HUGE;
}

void pf_event_emit(struct pf_emit *e, LLVMBasicBlockRef dispatch, LLVMBasicBlockRef excluded)
{
    make_scratch(e, dispatch, scratch_size(e));
    classify_size(e);
    pf_budget_choose(e);
    if (e->symbolic)
        pf_label_ranges_emit(e);
    pf_emit_walk(e, &event_walk);
    pf_budget_finish(e);
    pf_emit_body_finish(e);
    remove_unused_phis(e);
    if (excluded)
        emit_excluded(e, excluded);
}
