/*
 * private_args.c - arguments that only ever point to memory of their own thread.
 *
 * Model:   a function that is called by name from this file alone has all its calls before us. An argument that
 *          is, in every one of them, the address of memory that no other thread can know of (capture.c), is one
 *          in the function too; what callers hand on may be such an argument of theirs. The largest set of
 *          arguments for which that holds is found by striking: an address comes from outside of every
 *          recursion at some time.
 *
 * For the watch body alone: in directed mode events also tell of accesses that leave their variable.
 */
#include "plugin.h"

/* Are all uses of fn calls of it from here? */
static bool is_called_by_name_only(LLVMValueRef fn)
{
    LLVMLinkage linkage = LLVMGetLinkage(fn);
    if (LLVMIsDeclaration(fn) || LLVMIsFunctionVarArg(LLVMGlobalGetValueType(fn)) ||
        (linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(fn); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if ((!LLVMIsACallInst(user) && !LLVMIsAInvokeInst(user)) ||
            LLVMGetCalledValue(user) != fn || LLVMGetNumArgOperands(user) != LLVMCountParams(fn) ||
            LLVMGetCalledFunctionType(user) != LLVMGlobalGetValueType(fn))
            return false;
        for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
            if (LLVMGetOperand(user, i) == fn)
                return false;
    }
    return LLVMGetFirstUse(fn);
}

static bool is_private_in_all_calls(struct pf_unit *u, LLVMValueRef fn, unsigned i)
{
    for (LLVMUseRef use = LLVMGetFirstUse(fn); use; use = LLVMGetNextUse(use))
        if (!pf_memory_is_private_with_args(u, LLVMGetOperand(LLVMGetUser(use), i)))
            return false;
    return true;
}

void pf_private_args_find(struct pf_unit *u)
{
    LLVMValueRef *all = NULL;
    size_t n = 0, cap = 0;
    for (LLVMValueRef fn = LLVMGetFirstFunction(u->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (!is_called_by_name_only(fn))
            continue;
        for (unsigned i = 0; i < LLVMCountParams(fn); i++)
            if (LLVMTypeOf(LLVMGetParam(fn, i)) == u->ptr) {
                PF_PUSH(all, n, cap) = LLVMGetParam(fn, i);
                *pf_ptrmap_at(&u->private_args, LLVMGetParam(fn, i)) = 1;
            }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t k = 0; k < n; k++) {
            LLVMValueRef fn = LLVMGetParamParent(all[k]);
            uint64_t *own = pf_ptrmap_at(&u->private_args, all[k]);
            unsigned i = 0;
            while (LLVMGetParam(fn, i) != all[k])
                i++;
            if (*own && !is_private_in_all_calls(u, fn, i)) {
                *own = 0;
                changed = true;
            }
        }
    }
    free(all);
}
