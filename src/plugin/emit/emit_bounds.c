/*
 * emit_bounds.c - the event body keeps an eye on variables: accesses are compared with the bounds of the variable they
 * are made from, and the runtime is told which variables with a zone (variable_bounds.c) are alive.
 *
 * The runtime keeps the variables of a thread in a stack of its own, and says in tls.objects how many there are; 0: nobody wants
 * to know. A body takes a place for each of its variables at the entry, so every way out, and every place where
 * control comes back out of the blue, can put the number right, whatever was left over above it.
 */
#include "debuginfo.h"
#include "variable_bounds.h"

static LLVMValueRef load_number(struct pf_emit *e)
{
    return LLVMBuildLoad2(e->b, e->u->i32, pf_emit_tls(e, offsetof(struct pf_tls, objects)), "");
}

/* The builder goes on in a block that is left out where `skip` holds; returns where both ways meet. */
static LLVMBasicBlockRef unless(struct pf_emit *e, LLVMValueRef skip)
{
    LLVMBasicBlockRef there = pf_emit_block(e), join = pf_emit_block(e);
    pf_emit_branch(e, skip, join, there, true);
    LLVMPositionBuilderAtEnd(e->b, there);
    return join;
}

static void meet(struct pf_emit *e, LLVMBasicBlockRef join)
{
    LLVMBuildBr(e->b, join);
    LLVMPositionBuilderAtEnd(e->b, join);
}

static LLVMValueRef is_off(struct pf_emit *e)
{
    return LLVMBuildICmp(e->b, LLVMIntEQ, e->objects, pf_emit_number(e, 0), "");
}

/* The place of the k-th variable of this body. */
static LLVMValueRef place(struct pf_emit *e, uint64_t k)
{
    return LLVMBuildAdd(e->b, e->objects, pf_emit_number(e, (uint32_t)k), "");
}

static bool is_marker(struct pf_unit *u, LLVMValueRef user)
{
    LLVMValueRef fn = LLVMIsACallInst(user) ? pf_callee(user) : NULL;
    unsigned id = fn ? LLVMGetIntrinsicID(fn) : 0;
    return id && (id == u->kinds.lifetime_start || id == u->kinds.lifetime_end);
}

static bool is_scoped(struct pf_unit *u, LLVMValueRef slot)
{
    for (LLVMUseRef use = LLVMGetFirstUse(slot); use; use = LLVMGetNextUse(use))
        if (is_marker(u, LLVMGetUser(use)))
            return true;
    return false;
}

static void begins(struct pf_emit *e, LLVMValueRef slot, LLVMValueRef at, uint64_t k)
{
    uint64_t size = *pf_ptrmap_find(&e->u->zoned, slot);
    uint32_t site = pf_emit_site(e, at, PF_SITE_NONE, size, pf_di_variable(e->u, slot));
    LLVMValueRef args[] = {slot, LLVMConstInt(e->u->i64, size, 0), pf_emit_number(e, site),
                           place(e, k)};
    pf_emit_call(e, PF_E___pf_object_in, args);
}

void pf_object_enter(struct pf_emit *e)
{
    struct pf_unit *u = e->u;
    LLVMBasicBlockRef dispatch = LLVMGetEntryBasicBlock(e->fn), here = LLVMGetInsertBlock(e->b);
    e->objects = e->objects_now = load_number(e);
    for (LLVMValueRef v = LLVMGetFirstInstruction(dispatch); v; v = LLVMGetNextInstruction(v))
        if (LLVMIsAAllocaInst(v) && pf_ptrmap_find(&u->zoned, v))
            *pf_ptrmap_at(&e->slots, v) = e->nslots++;
    if (!e->nslots)
        return;
    LLVMBasicBlockRef join = unless(e, is_off(e));
    LLVMValueRef taken[] = {pf_emit_number(e, (uint32_t)e->nslots)};
    pf_emit_call(e, PF_E___pf_objects_enter, taken);
    for (LLVMValueRef v = LLVMGetFirstInstruction(dispatch); v; v = LLVMGetNextInstruction(v)) {
        const uint64_t *k = pf_ptrmap_find(&e->slots, v);
        if (k && !is_scoped(u, v))
            begins(e, v, LLVMGetFirstInstruction(e->plan->blocks[0]), *k);
    }
    LLVMValueRef more = load_number(e);
    LLVMBasicBlockRef ways[] = {here, LLVMGetInsertBlock(e->b)};
    LLVMValueRef numbers[] = {e->objects, more};
    meet(e, join);
    e->objects_now = LLVMBuildPhi(e->b, u->i32, "");
    LLVMAddIncoming(e->objects_now, numbers, ways, 2);
}

void pf_object_leave(struct pf_emit *e)
{
    if (!e->nslots)
        return;
    LLVMBasicBlockRef join = unless(e, is_off(e));
    pf_emit_call(e, PF_E___pf_objects_back, &e->objects);
    meet(e, join);
}

void pf_object_back(struct pf_emit *e)
{
    LLVMValueRef same = LLVMBuildICmp(e->b, LLVMIntEQ, load_number(e), e->objects_now, "");
    LLVMBasicBlockRef join = unless(e, same);
    pf_emit_call(e, PF_E___pf_objects_back, &e->objects_now);
    meet(e, join);
}

void pf_object_scope(struct pf_emit *e, const struct pf_step *s)
{
    const uint64_t *k = pf_ptrmap_find(&e->slots, s->ptr);
    if (s->write)
        pf_emit_copy(e, s->inst);
    if (k) {
        LLVMBasicBlockRef join = unless(e, is_off(e));
        LLVMValueRef where[] = {place(e, *k)};
        if (s->write)
            begins(e, s->ptr, s->inst, *k);
        else
            pf_emit_call(e, PF_E___pf_object_out, where);
        meet(e, join);
    }
    if (!s->write)
        pf_emit_copy(e, s->inst);
}

static LLVMValueRef number_of(struct pf_emit *e, LLVMValueRef ptr)
{
    return pf_emit_fresh(e, LLVMBuildPtrToInt(e->b, ptr, e->u->i64, ""));
}

static LLVMValueRef widened_size(struct pf_emit *e, LLVMValueRef n)
{
    return LLVMTypeOf(n) == e->u->i64
               ? n
               : pf_emit_fresh(e, LLVMBuildIntCast2(e->b, n, e->u->i64, 0, ""));
}

void pf_object_check(struct pf_emit *e, LLVMValueRef inst, LLVMValueRef ptr, LLVMValueRef size,
                     bool write)
{
    struct pf_unit *u = e->u;
    struct pf_object o;
    bool constant = LLVMIsAConstantInt(size);
    uint64_t n = constant ? LLVMConstIntGetZExtValue(size) : 0;
    if ((constant && !n) || !pf_object_of(u, ptr, &o) ||
        (constant && pf_object_holds(u, &o, ptr, n)))
        return;
    if (LLVMIsAGlobalVariable(o.base) && pf_ptrmap_find(&e->map, o.base))
        return; /* a table of labels: this body has another */
    LLVMValueRef limit = LLVMConstInt(u->i64, o.size, 0);
    if (o.count)
        limit = pf_emit_fresh(e, LLVMBuildMul(e->b, widened_size(e, o.count), limit, ""));
    LLVMValueRef wide = widened_size(e, size), zero = LLVMConstInt(u->i64, 0, 0);
    LLVMValueRef at = LLVMBuildSub(e->b, number_of(e, ptr), number_of(e, o.base), "");
    /* at <= limit - size without wrapping, or nothing is accessed. */
    LLVMValueRef room = LLVMBuildSub(e->b, limit, wide, "");
    pf_emit_fresh(e, room);
    LLVMValueRef fits = LLVMBuildICmp(e->b, LLVMIntULE, wide, limit, "");
    pf_emit_fresh(e, fits);
    LLVMValueRef fine = LLVMBuildAnd(e->b, fits, LLVMBuildICmp(e->b, LLVMIntULE, at, room, ""), "");
    if (!constant)
        fine = LLVMBuildOr(e->b, fine,
                           pf_emit_fresh(e, LLVMBuildICmp(e->b, LLVMIntEQ, wide, zero, "")), "");
    LLVMBasicBlockRef join = unless(e, fine);
    const char *name = pf_di_variable(u, o.base);
    uint32_t site = pf_emit_site(e, inst, write ? PF_SITE_WRITE : PF_SITE_READ, n, name);
    LLVMValueRef args[] = {ptr, pf_emit_number(e, site), wide, o.base, limit};
    pf_emit_call(e, PF_E___pf_event_outside, args);
    meet(e, join);
}

void pf_object_unseen(struct pf_emit *e, LLVMValueRef inst)
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
        pf_object_check(e, inst, LLVMGetOperand(inst, op == LLVMStore), size, op == LLVMStore);
    } else if (id && (id == u->kinds.memcpy || id == u->kinds.memmove || id == u->kinds.memset ||
                      id == u->kinds.memcpy_inline || id == u->kinds.memset_inline)) {
        bool copies = id != u->kinds.memset && id != u->kinds.memset_inline;
        pf_object_check(e, inst, LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 2), true);
        if (copies)
            pf_object_check(e, inst, LLVMGetOperand(inst, 1), LLVMGetOperand(inst, 2), false);
    }
}
