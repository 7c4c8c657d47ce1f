/*
 * body_hash.c - a hash of a function's code: it stays the same when the function is rebuilt
 * unchanged, and changes with almost every change of its code.
 *
 * Hashed: opcodes, types, constants, memory orders, inline assembly, the shape of uses
 * (instructions and blocks by position), names of globals. Not hashed: debug information, names of
 * values, attributes and metadata, arithmetic flags (nsw, fast), operands of constants below the
 * fifth level, the numbers that LLVM gives to nameless globals (for a string literal, its text is
 * hashed instead of its name).
 */
#include "plugin.h"
#include <string.h>

struct hash {
    uint64_t h;
    struct pf_ptrmap position;
};

static void mix(struct hash *s, uint64_t v)
{
    s->h = (s->h ^ v) * 0x9fb21c651e98df25ull;
    s->h ^= s->h >> 32;
}

static void mix_text(struct hash *s, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mix(s, (unsigned char)text[i]);
    mix(s, n);
}

/* Mixes in the value as LLVM prints it, for values whose details the C API cannot read. */
static void mix_printed(struct hash *s, LLVMValueRef v)
{
    char *text = LLVMPrintValueToString(v);
    mix_text(s, text, strlen(text));
    LLVMDisposeMessage(text);
}

static void mix_type(struct hash *s, LLVMTypeRef t, unsigned depth)
{
    LLVMTypeKind kind = LLVMGetTypeKind(t);
    mix(s, kind);
    if (kind == LLVMIntegerTypeKind)
        mix(s, LLVMGetIntTypeWidth(t));
    else if (kind == LLVMVectorTypeKind)
        mix(s, LLVMGetVectorSize(t));
    else if (kind == LLVMArrayTypeKind)
        mix(s, LLVMGetArrayLength2(t));
    if (depth && (kind == LLVMVectorTypeKind || kind == LLVMArrayTypeKind))
        mix_type(s, LLVMGetElementType(t), depth - 1);
    if (depth && kind == LLVMStructTypeKind)
        for (unsigned i = 0, n = LLVMCountStructElementTypes(t); i < n; i++)
            mix_type(s, LLVMStructGetTypeAtIndex(t, i), depth - 1);
}

static void mix_global(struct hash *s, LLVMValueRef v)
{
    size_t n = 0;
    const char *name = LLVMGetValueName2(v, &n);
    LLVMValueRef content = LLVMIsAGlobalVariable(v) && LLVMGetLinkage(v) == LLVMPrivateLinkage
                               ? LLVMGetInitializer(v)
                               : NULL;
    if (content && LLVMIsAConstantDataSequential(content) && LLVMIsConstantString(content))
        name = LLVMGetAsString(content, &n);
    else if (content)
        n = strcspn(name, ".0123456789");
    mix_text(s, name, n);
}

static void mix_value(struct hash *s, LLVMValueRef v, unsigned depth)
{
    uint64_t *at = pf_ptrmap_find(&s->position, v);
    if (at) {
        mix(s, *at);
        return;
    }
    mix(s, LLVMGetValueKind(v));
    if (LLVMIsAGlobalValue(v)) {
        mix_global(s, v);
    } else if (LLVMIsAConstantInt(v)) {
        if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64)
            mix(s, LLVMConstIntGetZExtValue(v));
        else
            mix_printed(s, v);
    } else if (LLVMIsAConstantFP(v)) {
        LLVMBool lost;
        double d = LLVMConstRealGetDouble(v, &lost);
        uint64_t bits;
        memcpy(&bits, &d, sizeof bits);
        mix(s, bits);
        if (lost)
            mix_printed(s, v);
    } else if (LLVMIsAConstantDataSequential(v)) {
        LLVMTypeRef type = LLVMTypeOf(v);
        unsigned n = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type)
                                                                 : LLVMGetArrayLength2(type);
        for (unsigned i = 0; i < n; i++)
            mix_value(s, LLVMGetAggregateElement(v, i), depth);
    } else if (LLVMIsAConstant(v) && !LLVMIsABlockAddress(v)) {
        mix_type(s, LLVMTypeOf(v), 3);
        if (LLVMIsAConstantExpr(v))
            mix(s, LLVMGetConstOpcode(v));
        for (int i = 0, n = depth ? LLVMGetNumOperands(v) : 0; i < n; i++)
            mix_value(s, LLVMGetOperand(v, i), depth - 1);
    } else if (LLVMIsAInlineAsm(v)) {
        size_t n = 0;
        const char *text = LLVMGetInlineAsmAsmString(v, &n);
        mix_text(s, text, n);
        text = LLVMGetInlineAsmConstraintString(v, &n);
        mix_text(s, text, n);
    }
}

/* What an instruction has besides its type and its operands. */
static void mix_details(struct hash *s, LLVMOpcode opcode, LLVMValueRef v)
{
    switch (opcode) {
    case LLVMICmp:
        mix(s, LLVMGetICmpPredicate(v));
        break;
    case LLVMFCmp:
        mix(s, LLVMGetFCmpPredicate(v));
        break;
    case LLVMGetElementPtr:
        mix_type(s, LLVMGetGEPSourceElementType(v), 3);
        break;
    case LLVMAlloca:
        mix_type(s, LLVMGetAllocatedType(v), 3);
        break;
    case LLVMAtomicRMW:
        mix(s, LLVMGetAtomicRMWBinOp(v));
        mix(s, LLVMGetOrdering(v));
        mix(s, (uint64_t)LLVMIsAtomicSingleThread(v));
        break;
    case LLVMLoad:
    case LLVMStore:
        mix(s, LLVMGetOrdering(v) + 16u * (unsigned)LLVMGetVolatile(v));
        break;
    case LLVMFence:
        mix(s, LLVMGetOrdering(v));
        mix(s, (uint64_t)LLVMIsAtomicSingleThread(v));
        break;
    case LLVMAtomicCmpXchg:
        mix(s, LLVMGetCmpXchgSuccessOrdering(v));
        mix(s, LLVMGetCmpXchgFailureOrdering(v));
        mix(s, (uint64_t)LLVMGetWeak(v));
        break;
    case LLVMExtractValue:
    case LLVMInsertValue:
        for (unsigned i = 0, n = LLVMGetNumIndices(v); i < n; i++)
            mix(s, LLVMGetIndices(v)[i]);
        break;
    case LLVMShuffleVector:
        for (unsigned i = 0, n = LLVMGetNumMaskElements(v); i < n; i++)
            mix(s, (uint64_t)LLVMGetMaskValue(v, i));
        break;
    case LLVMPHI:
        for (unsigned i = 0, n = LLVMCountIncoming(v); i < n; i++)
            mix(s, *pf_ptrmap_at(&s->position, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(v, i))));
        break;
    default:
        break;
    }
}

static void mix_instruction(struct hash *s, LLVMValueRef v)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    mix(s, opcode);
    mix_type(s, LLVMTypeOf(v), 3);
    mix_details(s, opcode, v);
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        mix_value(s, LLVMGetOperand(v, i), 4);
}

uint64_t pf_body_hash(LLVMValueRef fn)
{
    struct hash s = {.h = 0x243f6a8885a308d3ull};
    uint64_t n = 1;
    for (LLVMValueRef p = LLVMGetFirstParam(fn); p; p = LLVMGetNextParam(p))
        *pf_ptrmap_at(&s.position, p) = n++;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        *pf_ptrmap_at(&s.position, LLVMBasicBlockAsValue(b)) = n++;
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
            *pf_ptrmap_at(&s.position, v) = n++;
    }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
            mix_instruction(&s, v);
    pf_ptrmap_release(&s.position);
    return s.h;
}
