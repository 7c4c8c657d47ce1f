/*
 * emit_frame.c - the shadow stack: one frame per running function (pf_abi.h).
 *
 * The frame's address is an SSA value of the body. So at every exit, and wherever control arrives
 * from an unwinder or longjmp (landing pads, calls that return twice), one store sets the stack
 * pointer, whatever happened to the frames above.
 */
#include "debuginfo.h"
#include "emit.h"
#include "variable_bounds.h"
#include <llvm-c/DebugInfo.h>

static LLVMValueRef field(struct pf_emit *e, LLVMValueRef frame, size_t offset)
{
    LLVMValueRef at = LLVMConstInt(e->u->i64, offset, 0);
    return LLVMBuildInBoundsGEP2(e->b, e->u->i8, frame, &at, 1, "");
}

static LLVMValueRef top(struct pf_emit *e)
{
    return pf_emit_tls(e, offsetof(struct pf_tls, frame));
}

void pf_frame_push(struct pf_emit *e)
{
    struct pf_unit *u = e->u;
    e->frame = LLVMBuildLoad2(e->b, u->ptr, top(e), "");
    LLVMBuildStore(e->b, e->record, field(e, e->frame, offsetof(struct pf_frame, func)));
    LLVMBuildStore(e->b, LLVMConstInt(u->i64, e->in_place ? PF_CALL_UNWATCHED : 0, 0),
                   field(e, e->frame, offsetof(struct pf_frame, call)));
    if (e->in_place) {
        LLVMValueRef step =
            LLVMBuildLoad2(e->b, u->i64, pf_emit_tls(e, offsetof(struct pf_tls, step)), "");
        e->next = LLVMBuildInBoundsGEP2(e->b, u->i8, e->frame, &step, 1, "");
    } else {
        e->next = field(e, e->frame, sizeof(struct pf_frame));
    }
    LLVMBuildStore(e->b, e->next, top(e));
}

void pf_frame_pop(struct pf_emit *e)
{
    if (e->event)
        pf_bounds_leave(e);
    else if (e->u->scopes && !e->in_place)
        pf_scope_leave(e);
    LLVMBuildStore(e->b, e->frame, top(e));
}

void pf_frame_restore(struct pf_emit *e)
{
    LLVMBuildStore(e->b, e->next, top(e));
    if (e->event)
        pf_bounds_restore(e);
}

void pf_frame_switch(struct pf_emit *e, LLVMValueRef *frame, LLVMValueRef *next)
{
    if (!*frame) {
        *frame = LLVMBuildLoad2(e->b, e->u->ptr, top(e), "");
        *next = field(e, *frame, sizeof(struct pf_frame));
        LLVMBuildStore(e->b, e->record, field(e, *frame, offsetof(struct pf_frame, func)));
        LLVMBuildStore(e->b, *next, top(e));
    }
    LLVMBuildStore(e->b, LLVMConstInt(e->u->i64, 0, 0),
                   field(e, *frame, offsetof(struct pf_frame, call)));
}

LLVMValueRef pf_frame_of_plain(struct pf_emit *e, const struct pf_frames *plain)
{
    return plain->frame ? plain->frame : LLVMBuildLoad2(e->b, e->u->ptr, top(e), "");
}

void pf_frame_leave_watch(struct pf_emit *e, const struct pf_frames *watch,
                          const struct pf_frames *plain)
{
    if (plain->frame)
        LLVMBuildStore(e->b, LLVMConstInt(e->u->i64, PF_CALL_UNWATCHED, 0),
                       field(e, watch->frame, offsetof(struct pf_frame, call)));
    else
        LLVMBuildStore(e->b, watch->frame, top(e));
}

bool pf_call_may_be_external(struct pf_unit *u, LLVMValueRef call)
{
    LLVMValueRef fn = pf_callee(call);
    size_t n;
    if (fn && pf_name_starts(LLVMGetValueName2(fn, &n), "__tsan_switch_to_fiber"))
        return false; /* after this call the shadow stack is that of another fiber */
    return !fn || !pf_ptrmap_find(&u->watched, fn);
}

void pf_frame_name(struct pf_emit *e)
{
    LLVMBuildStore(e->b, e->record, LLVMBuildLoad2(e->b, e->u->ptr, top(e), ""));
}

uint64_t pf_byval_size(struct pf_unit *u, LLVMValueRef call, unsigned i)
{
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, i + 1, u->kinds.byval);
    return a ? LLVMABISizeOfType(u->layout, LLVMGetTypeAttributeValue(a)) : 0;
}

/* A call reads its arguments that are passed by value in memory. */
static void check_byval(struct pf_emit *e, LLVMValueRef call)
{
    for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++) {
        uint64_t size = pf_byval_size(e->u, call, i);
        LLVMValueRef ptr = LLVMGetOperand(call, i);
        if (size && !pf_memory_is_unchecked(e->u, ptr))
            pf_emit_range(e, call, ptr, LLVMConstInt(e->u->i64, size, 0), false);
    }
}

void pf_frame_call(struct pf_emit *e, LLVMValueRef call)
{
    struct pf_unit *u = e->u;
    if (e->plan->accesses && !e->event && !e->in_place)
        check_byval(e, call);
    LLVMValueRef fn = pf_callee(call);
    uint32_t site = pf_emit_site(e, call, PF_SITE_CALL, 0, fn ? pf_di_variable(u, fn) : NULL);
    uint32_t unwatched = e->in_place ? PF_CALL_UNWATCHED : 0;
    LLVMBuildStore(e->b, pf_emit_number(e, (site + 1) | unwatched),
                   field(e, e->frame, offsetof(struct pf_frame, call)));
    bool tail = LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
    if (tail) {
        pf_frame_pop(e);
        e->popped = true;
    }
    LLVMValueRef copy = pf_emit_copy(e, call);
    LLVMRemoveCallSiteEnumAttribute(copy, LLVMAttributeFunctionIndex, u->kinds.memory);
    /* otherwise LLVM may replace a call such as memcmp(a, b, 4) == 0 by loads without checks */
    if (!e->in_place && pf_is_interposed(u, fn))
        LLVMAddCallSiteAttribute(copy, LLVMAttributeFunctionIndex,
                                 LLVMCreateEnumAttribute(u->context, u->kinds.nobuiltin, 0));
    if (LLVMIsACallInst(call) && !tail &&
        (pf_call_may_be_external(u, call) || pf_call_has(call, u->kinds.returns_twice)))
        pf_frame_restore(e);
}
