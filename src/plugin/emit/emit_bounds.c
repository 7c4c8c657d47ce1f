/*
 * emit_bounds.c - bounds checks of the event body. Accesses are compared with the bounds of the
 * variable that the address is derived from, and the runtime is informed when the lifetime of a
 * red-zoned variable (variable_bounds.c) starts and ends.
 *
 * The runtime keeps the live stack variables of a thread in a stack, and their number + 1 in
 * tls.stack_variables; 0 means that it does not track them. A body reserves an entry for each of
 * its variables when it starts. So at every exit, and wherever control arrives from an unwinder or
 * longjmp, one call restores the number, whatever was left above it.
 */
#include "debuginfo.h"
#include "variable_bounds.h"

static LLVMValueRef load_count(struct pf_emit *e)
{
    return LLVMBuildLoad2(e->b, e->u->i32, pf_emit_tls(e, offsetof(struct pf_tls, stack_variables)),
                          "");
}

/* Continues in a block that is skipped if `skip` holds. Returns the block where both paths join. */
static LLVMBasicBlockRef branch_unless(struct pf_emit *e, LLVMValueRef skip)
{
    LLVMBasicBlockRef there = pf_emit_block(e), join = pf_emit_block(e);
    pf_emit_branch(e, skip, join, there, true);
    LLVMPositionBuilderAtEnd(e->b, there);
    return join;
}

static void continue_at(struct pf_emit *e, LLVMBasicBlockRef join)
{
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, join);
}

static LLVMValueRef is_disabled(struct pf_emit *e)
{
    return LLVMBuildICmp(e->b, LLVMIntEQ, e->variables_at_entry, pf_emit_number(e, 0), "");
}

/* The entry of the k-th variable of this body. */
static LLVMValueRef index_of(struct pf_emit *e, uint64_t k)
{
    return LLVMBuildAdd(e->b, e->variables_at_entry, pf_emit_number(e, (uint32_t)k), "");
}

static bool is_lifetime_marker(struct pf_unit *u, LLVMValueRef user)
{
    LLVMValueRef fn = LLVMIsACallInst(user) ? pf_callee(user) : NULL;
    unsigned id = fn ? LLVMGetIntrinsicID(fn) : 0;
    return id && (id == u->kinds.lifetime_start || id == u->kinds.lifetime_end);
}

static bool has_lifetime_markers(struct pf_unit *u, LLVMValueRef slot)
{
    for (LLVMUseRef use = LLVMGetFirstUse(slot); use; use = LLVMGetNextUse(use))
        if (is_lifetime_marker(u, LLVMGetUser(use)))
            return true;
    return false;
}

static void emit_begin(struct pf_emit *e, LLVMValueRef slot, LLVMValueRef at, uint64_t k)
{
    uint64_t size = *pf_ptrmap_find(&e->u->red_zoned, slot);
    uint32_t site = pf_emit_site(e, at, PF_SITE_NONE, size, pf_di_variable(e->u, slot));
    LLVMValueRef args[] = {slot, LLVMConstInt(e->u->i64, size, 0), pf_emit_number(e, site),
                           index_of(e, k)};
    pf_emit_call(e, PF_E___pf_variable_begins, args);
}

void pf_bounds_enter(struct pf_emit *e)
{
    struct pf_unit *u = e->u;
    LLVMBasicBlockRef dispatch = LLVMGetEntryBasicBlock(e->fn), here = LLVMGetInsertBlock(e->b);
    e->variables_at_entry = e->variables_now = load_count(e);
    for (LLVMValueRef v = LLVMGetFirstInstruction(dispatch); v; v = LLVMGetNextInstruction(v))
        if (LLVMIsAAllocaInst(v) && pf_ptrmap_find(&u->red_zoned, v))
            *pf_ptrmap_at(&e->slots, v) = e->nslots++;
    if (!e->nslots)
        return;
    LLVMBasicBlockRef join = branch_unless(e, is_disabled(e));
    LLVMValueRef taken[] = {pf_emit_number(e, (uint32_t)e->nslots)};
    pf_emit_call(e, PF_E___pf_variables_enter, taken);
    for (LLVMValueRef v = LLVMGetFirstInstruction(dispatch); v; v = LLVMGetNextInstruction(v)) {
        const uint64_t *k = pf_ptrmap_find(&e->slots, v);
        if (k && !has_lifetime_markers(u, v))
            emit_begin(e, v, LLVMGetFirstInstruction(e->plan->blocks[0]), *k);
    }
    LLVMValueRef now = load_count(e);
    LLVMBasicBlockRef predecessors[] = {here, LLVMGetInsertBlock(e->b)};
    LLVMValueRef counts[] = {e->variables_at_entry, now};
    continue_at(e, join);
    e->variables_now = LLVMBuildPhi(e->b, u->i32, "");
    LLVMAddIncoming(e->variables_now, counts, predecessors, 2);
}

void pf_bounds_leave(struct pf_emit *e)
{
    if (!e->nslots)
        return;
    LLVMBasicBlockRef join = branch_unless(e, is_disabled(e));
    pf_emit_call(e, PF_E___pf_variables_leave, &e->variables_at_entry);
    continue_at(e, join);
}

void pf_bounds_restore(struct pf_emit *e)
{
    LLVMValueRef same = LLVMBuildICmp(e->b, LLVMIntEQ, load_count(e), e->variables_now, "");
    LLVMBasicBlockRef join = branch_unless(e, same);
    pf_emit_call(e, PF_E___pf_variables_leave, &e->variables_now);
    continue_at(e, join);
}

void pf_bounds_lifetime(struct pf_emit *e, const struct pf_plan_step *s)
{
    const uint64_t *k = pf_ptrmap_find(&e->slots, s->ptr);
    if (s->write)
        pf_emit_copy(e, s->inst);
    if (k) {
        LLVMBasicBlockRef join = branch_unless(e, is_disabled(e));
        LLVMValueRef where[] = {index_of(e, *k)};
        if (s->write)
            emit_begin(e, s->ptr, s->inst, *k);
        else
            pf_emit_call(e, PF_E___pf_variable_ends, where);
        continue_at(e, join);
    }
    if (!s->write)
        pf_emit_copy(e, s->inst);
}

static LLVMValueRef as_integer(struct pf_emit *e, LLVMValueRef ptr)
{
    return pf_emit_map_later(e, LLVMBuildPtrToInt(e->b, ptr, e->u->i64, ""));
}

static LLVMValueRef widened_size(struct pf_emit *e, LLVMValueRef n)
{
    return LLVMTypeOf(n) == e->u->i64
               ? n
               : pf_emit_map_later(e, LLVMBuildIntCast2(e->b, n, e->u->i64, 0, ""));
}

void pf_bounds_check(struct pf_emit *e, LLVMValueRef inst, LLVMValueRef ptr, LLVMValueRef size,
                     bool write)
{
    struct pf_unit *u = e->u;
    struct pf_variable_bounds o;
    bool constant = LLVMIsAConstantInt(size);
    uint64_t n = constant ? LLVMConstIntGetZExtValue(size) : 0;
    if ((constant && !n) || !pf_bounds_find(u, ptr, &o) ||
        (constant && pf_bounds_contain(u, &o, ptr, n)))
        return;
    if (LLVMIsAGlobalVariable(o.base) && pf_ptrmap_find(&e->map, o.base))
        return; /* a table of labels, of which this body has its own copy */
    LLVMValueRef limit = LLVMConstInt(u->i64, o.size, 0);
    if (o.count)
        limit = pf_emit_map_later(e, LLVMBuildMul(e->b, widened_size(e, o.count), limit, ""));
    LLVMValueRef wide = widened_size(e, size), zero = LLVMConstInt(u->i64, 0, 0);
    LLVMValueRef at = LLVMBuildSub(e->b, as_integer(e, ptr), as_integer(e, o.base), "");
    /* at <= limit - size without wrapping, or nothing is accessed. */
    LLVMValueRef room = LLVMBuildSub(e->b, limit, wide, "");
    pf_emit_map_later(e, room);
    LLVMValueRef fits = LLVMBuildICmp(e->b, LLVMIntULE, wide, limit, "");
    pf_emit_map_later(e, fits);
    LLVMValueRef fine = LLVMBuildAnd(e->b, fits, LLVMBuildICmp(e->b, LLVMIntULE, at, room, ""), "");
    if (!constant)
        fine = LLVMBuildOr(
            e->b, fine, pf_emit_map_later(e, LLVMBuildICmp(e->b, LLVMIntEQ, wide, zero, "")), "");
    LLVMBasicBlockRef join = branch_unless(e, fine);
    const char *name = pf_di_variable(u, o.base);
    uint32_t site = pf_emit_site(e, inst, write ? PF_SITE_WRITE : PF_SITE_READ, n, name);
    LLVMValueRef args[] = {ptr, pf_emit_number(e, site), wide, o.base, limit};
    pf_emit_call(e, PF_E___pf_event_outside, args);
    continue_at(e, join);
}

void pf_bounds_check_all(struct pf_emit *e, LLVMValueRef inst)
{
    struct pf_unit *u = e->u;
    LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    LLVMValueRef fn = op == LLVMCall ? pf_callee(inst) : NULL;
    unsigned id = fn ? LLVMGetIntrinsicID(fn) : 0;
    if (!e->plan->accesses || LLVMGetMetadata(inst, u->kinds.md_nosanitize))
        return;
    if (op == LLVMLoad || op == LLVMStore) {
        LLVMTypeRef type = LLVMTypeOf(op == LLVMLoad ? inst : LLVMGetOperand(inst, 0));
        if (LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind)
            return;
        LLVMValueRef size = LLVMConstInt(u->i64, LLVMStoreSizeOfType(u->layout, type), 0);
        pf_bounds_check(e, inst, LLVMGetOperand(inst, op == LLVMStore), size, op == LLVMStore);
    } else if (id && (id == u->kinds.memcpy || id == u->kinds.memmove || id == u->kinds.memset ||
                      id == u->kinds.memcpy_inline || id == u->kinds.memset_inline)) {
        bool copies = id != u->kinds.memset && id != u->kinds.memset_inline;
        pf_bounds_check(e, inst, LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 2), true);
        if (copies)
            pf_bounds_check(e, inst, LLVMGetOperand(inst, 1), LLVMGetOperand(inst, 2), false);
    }
}
