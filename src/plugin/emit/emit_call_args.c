/*
 * emit_call_args.c - collects the arguments of a call that may be pointers. From these the runtime
 * computes what code without events can reach (direct/reach/reach.c).
 */
#include "emit.h"
#include "variable_bounds.h"

/* How many words of this type can hold a pointer: 0, 1, or PF_CALL_ARGS_MAX if they cannot be
 * followed one by one. A struct that is passed in registers has its pointers in 64-bit integers. */
static unsigned words_of(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
        return LLVMGetPointerAddressSpace(type) == 0;
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) < 64    ? 0
               : LLVMGetIntTypeWidth(type) == 64 ? 1
                                                 : PF_CALL_ARGS_MAX;
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind:
        return words_of(LLVMGetElementType(type)) ? PF_CALL_ARGS_MAX : 0;
    case LLVMStructTypeKind:
        for (unsigned i = 0, n = LLVMCountStructElementTypes(type); i < n; i++)
            if (words_of(LLVMStructGetTypeAtIndex(type, i)))
                return PF_CALL_ARGS_MAX;
        return 0;
    default:
        return 0;
    }
}

/* For a pointer into a stack variable: the variable's address, with its size in the upper 16 bits
 * (PF_WORD_SIZE_SHIFT). The callee cannot reach anything else on the stack through it. */
static LLVMValueRef with_bounds(struct pf_emit *e, LLVMValueRef v)
{
    struct pf_unit *u = e->u;
    struct pf_variable_bounds o;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind || !pf_bounds_find(u, v, &o) ||
        !LLVMIsAAllocaInst(o.base) || o.count || o.size >= 1u << (64 - PF_WORD_SIZE_SHIFT))
        return v;
    LLVMValueRef base = pf_emit_map_later(e, LLVMBuildPtrToInt(e->b, o.base, u->i64, ""));
    return LLVMBuildOr(e->b, base, LLVMConstInt(u->i64, o.size << PF_WORD_SIZE_SHIFT, 0), "");
}

void pf_call_args_store(struct pf_emit *e, LLVMValueRef v, unsigned *n)
{
    LLVMValueRef at = LLVMConstInt(e->u->i64, 8ull * *n, 0);
    unsigned words = words_of(LLVMTypeOf(v));
    if (!words || *n >= PF_CALL_ARGS_MAX || LLVMIsAConstantPointerNull(v) ||
        LLVMIsAConstantInt(v) || LLVMIsAFunction(v) || LLVMIsUndef(v))
        return;
    *n += words;
    if (words > 1 || *n >= PF_CALL_ARGS_MAX) {
        *n = PF_CALL_ARGS_MAX;
        return;
    }
    LLVMValueRef to = LLVMBuildInBoundsGEP2(e->b, e->u->i8, e->scratch, &at, 1, "");
    LLVMSetAlignment(pf_emit_map_later(e, LLVMBuildStore(e->b, with_bounds(e, v), to)), 1);
}

LLVMValueRef pf_call_args_count(struct pf_emit *e, unsigned n)
{
    return pf_emit_number(e, n < PF_CALL_ARGS_MAX ? n : UINT32_MAX);
}

unsigned pf_call_args_max(LLVMValueRef fn)
{
    unsigned words = 0;
    for (unsigned i = 0, n = LLVMCountParams(fn); i < n; i++)
        words += words_of(LLVMTypeOf(LLVMGetParam(fn, i)));
    return words < PF_CALL_ARGS_MAX ? words : PF_CALL_ARGS_MAX;
}
