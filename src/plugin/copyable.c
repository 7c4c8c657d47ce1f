/*
 * copyable.c - can a function have two bodies?
 *
 * Not if something names a place in its body from outside: a label that is stored in a table others
 * see, an assembler label (a second definition of it would be an error), or a token, which ties
 * instructions together in ways a copy does not keep (funclets, coroutines before their split).
 */
#include "plugin.h"
#include <ctype.h>
#include <string.h>

/* Everything that uses the constant, directly or by way of other constants and private tables, must
 * be code of fn. */
static bool used_only_in(LLVMValueRef fn, LLVMValueRef v, unsigned depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user)) {
            if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) != fn)
                return false;
            continue;
        }
        if (LLVMIsAGlobalVariable(user)) {
            LLVMLinkage linkage = LLVMGetLinkage(user);
            if (!LLVMIsGlobalConstant(user) ||
                (linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage))
                return false;
        } else if (!LLVMIsAConstant(user) || LLVMIsAGlobalValue(user)) {
            return false;
        }
        if (!depth || !used_only_in(fn, user, depth - 1))
            return false;
    }
    return true;
}

/* Does the text of an asm statement define a symbol that a copy would define again? Numbers ("1:")
 * and labels made unique by ${:uid} are fine. */
static bool defines_label(const char *text)
{
    bool start = true; /* of a statement */
    for (const char *p = text; *p;) {
        if (*p == '\n' || *p == ';') {
            start = true;
            p++;
        } else if (isspace((unsigned char)*p)) {
            p++;
        } else if (start && (isalpha((unsigned char)*p) || *p == '_' || *p == '.')) {
            size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
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

static bool is_copyable(LLVMValueRef inst)
{
    size_t n;
    if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMTokenTypeKind)
        return false;
    if (!LLVMIsACallInst(inst) && !LLVMIsACallBrInst(inst))
        return true;
    LLVMValueRef code = LLVMIsAInlineAsm(LLVMGetCalledValue(inst));
    return !code || !defines_label(LLVMGetInlineAsmAsmString(code, &n));
}

const char *pf_copy_obstacle(LLVMValueRef fn, bool *labels)
{
    *labels = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); use;
             use = LLVMGetNextUse(use)) {
            if (!LLVMIsABlockAddress(LLVMGetUser(use)))
                continue;
            *labels = true;
            if (!used_only_in(fn, LLVMGetUser(use), 8))
                return "the address of a label is known outside of it";
        }
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
            if (!is_copyable(v))
                return "it holds code that cannot be there twice";
    }
    return NULL;
}
