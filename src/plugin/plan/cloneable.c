/*
 * cloneable.c - decides whether a function can have several bodies.
 *
 * It cannot if
 * - a table that other code sees holds the address of a label in its body,
 * - inline assembler in its body defines a label: a second definition would be an error,
 * - it uses a token, which links instructions in ways that a copy does not preserve (funclets,
 *   coroutines before their split).
 */
#include "plugin.h"
#include <ctype.h>
#include <string.h>

/* The values that a label, or a table of labels, flows to. */
struct label_flow {
    struct pf_unit *u;
    LLVMValueRef fn;
    LLVMValueRef *work;
    size_t n, cap;
    struct pf_ptrmap seen;
};

static bool follow(struct label_flow *f, LLVMValueRef v)
{
    uint64_t *seen = pf_ptrmap_at(&f->seen, v);
    if (!*seen)
        PF_PUSH(f->work, f->n, f->cap) = v;
    return *seen = 1;
}

/* Labels may be stored in private stack slots. A value that is loaded from there is a label,
 * too. */
static bool follow_slot(struct label_flow *f, LLVMValueRef ptr)
{
    while (LLVMIsAGetElementPtrInst(ptr))
        ptr = LLVMGetOperand(ptr, 0);
    return LLVMIsAAllocaInst(ptr) && pf_memory_is_private(f->u, ptr) && follow(f, ptr);
}

/* True if this use of a label, or of a value that a label flows to, lets no other code see it. */
static bool stays_inside(struct label_flow *f, LLVMValueRef v, LLVMValueRef user)
{
    if (!LLVMIsAInstruction(user)) {
        if (!LLVMIsAGlobalValue(user))
            return LLVMIsAConstant(user) && follow(f, user);
        LLVMLinkage linkage = LLVMGetLinkage(user);
        return LLVMIsAGlobalVariable(user) && LLVMIsGlobalConstant(user) &&
               (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage) && follow(f, user);
    }
    if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) != f->fn)
        return false;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMIndirectBr:
    case LLVMICmp:
        return true;
    case LLVMLoad:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMGetElementPtr:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMAdd:
    case LLVMSub:
    case LLVMTrunc:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMFreeze:
        return follow(f, user);
    case LLVMStore:
        return LLVMGetOperand(user, 1) == v || follow_slot(f, LLVMGetOperand(user, 1));
    case LLVMCall: {
        LLVMValueRef fn = pf_callee(user);
        unsigned id = fn ? LLVMGetIntrinsicID(fn) : 0;
        if (id && (id == f->u->kinds.lifetime_start || id == f->u->kinds.lifetime_end))
            return true;
        return id && id == f->u->kinds.memcpy &&
               (LLVMGetOperand(user, 0) == v || follow_slot(f, LLVMGetOperand(user, 0)));
    }
    default:
        return false;
    }
}

/* True if only the code of fn uses the label, and no copy of it outlives the call. A label that
 * outlives the call could be jumped to from the other body. */
static bool label_is_local(struct pf_unit *u, LLVMValueRef fn, LLVMValueRef label)
{
    struct label_flow f = {.u = u, .fn = fn};
    bool inside = follow(&f, label);
    while (f.n && inside) {
        LLVMValueRef v = f.work[--f.n];
        for (LLVMUseRef use = LLVMGetFirstUse(v); use && inside; use = LLVMGetNextUse(use))
            inside = stays_inside(&f, v, LLVMGetUser(use));
    }
    free(f.work);
    pf_ptrmap_release(&f.seen);
    return inside;
}

/* True if the text of an asm statement defines a symbol, which a copy would define again. Numeric
 * labels ("1:") and labels made unique by ${:uid} are allowed. */
static bool defines_label(const char *text)
{
    bool start = true; /* at the start of a statement */
    for (const char *p = text; *p;) {
        if (*p == '\n' || *p == ';') {
            start = true;
            p++;
        } else if (isspace((unsigned char)*p)) {
            p++;
        } else if (start && (isalpha((unsigned char)*p) || *p == '_' || *p == '.')) {
            size_t n =
                strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
            if (p[n] == ':')
                return true;
            start = false;
            p += n;
        } else {
            start = false;
            p++;
        }
    }
    return false;
}

static bool is_cloneable(LLVMValueRef inst)
{
    size_t n;
    if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMTokenTypeKind)
        return false;
    if (!LLVMIsACallInst(inst) && !LLVMIsACallBrInst(inst))
        return true;
    LLVMValueRef code = LLVMIsAInlineAsm(LLVMGetCalledValue(inst));
    return !code || !defines_label(LLVMGetInlineAsmAsmString(code, &n));
}

const char *pf_clone_obstacle(struct pf_unit *u, LLVMValueRef fn, bool *labels)
{
    *labels = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); use;
             use = LLVMGetNextUse(use)) {
            if (!LLVMIsABlockAddress(LLVMGetUser(use)))
                continue;
            *labels = true;
            if (!label_is_local(u, fn, LLVMGetUser(use)))
                return "the address of a label may be used outside of the call";
        }
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
            if (!is_cloneable(v))
                return "it contains code that cannot be duplicated";
    }
    return NULL;
}
