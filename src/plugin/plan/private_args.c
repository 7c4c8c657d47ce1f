/*
 * private_args.c - finds arguments that only ever point to private memory of the calling thread.
 *
 * Model:   all calls of a file-local function that is only called by name are visible here. If an
 *          argument is the address of private memory (capture.c) in every call, it is private in
 *          the function, too. Callers may pass on private arguments of their own. The largest such
 *          set is found by starting with all arguments and removing those that fail, until nothing
 *          changes. This is sound for recursion, because every chain of recursive calls starts with
 *          a call from outside.
 *
 * Used for the watch body only. In directed mode accesses through such arguments must be events,
 * because they may be outside of the variable.
 */
#include "plugin.h"

/* True if fn is local to the module and every use of it is a direct call. */
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
