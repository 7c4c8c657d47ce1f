/*
 * bare_entry.c - keeps the original function, with one test in front.
 *
 *      f:      is the process bare? --yes--> the original blocks, unchanged
 *              |
 *              +--no--> jump to f.pf: dispatch and all bodies (emit_watch.c)
 *
 * A process that nobody watches (plain=1) is bare. If the plain body shared a function with the
 * other bodies, it would still pay for them: for registers that they need saved at the entry, for
 * the dispatch, for frames. With a bare entry, code compiled with pf costs next to nothing until
 * the runtime checks something.
 *
 * Bodies call the bodies of other functions directly, if the linker or loader cannot replace those
 * functions: while a body runs, the process is not bare.
 */
#include "debuginfo.h"
#include "llvm_shim.h"
#include "plugin.h"
#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

/* True if a tail call can pass on all arguments. With variable arguments it would have to preserve
 * all registers; and LLVM 19 copies structs that are passed by value in memory over the return
 * address. */
bool pf_can_jump(struct pf_unit *u, LLVMValueRef fn)
{
    for (unsigned i = 1; i <= LLVMCountParams(fn); i++)
        if (LLVMGetEnumAttributeAtIndex(fn, i, u->kinds.byval))
            return false;
    return !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(fn));
}

LLVMValueRef pf_bare_entry_begin(struct pf_unit *u, LLVMValueRef fn)
{
    char name[4096];
    size_t n;
    if (!pf_can_jump(u, fn))
        return NULL;
    snprintf(name, sizeof name, "%s.pf", LLVMGetValueName2(fn, &n));
    LLVMValueRef bodies = pf_llvm_clone_function(fn, name);
    PF_PUSH(u->bare_entries, u->nbare_entries, u->bare_entries_cap) =
        (struct pf_bare_entry){fn, bodies};
    return bodies;
}

static void copy_attributes(LLVMValueRef call, LLVMValueRef fn, LLVMAttributeIndex at)
{
    unsigned n = LLVMGetAttributeCountAtIndex(fn, at);
    LLVMAttributeRef *all = pf_grow(NULL, (n + 1) * sizeof *all);
    LLVMGetAttributesAtIndex(fn, at, all);
    for (unsigned i = 0; i < n; i++)
        LLVMAddCallSiteAttribute(call, at, all[i]);
    free(all);
}

void pf_emit_jump(LLVMBuilderRef b, LLVMValueRef fn, LLVMValueRef to)
{
    unsigned n = LLVMCountParams(fn);
    LLVMTypeRef type = LLVMGlobalGetValueType(fn);
    LLVMValueRef *args = pf_grow(NULL, (n + 1) * sizeof *args);
    LLVMGetParams(fn, args);
    LLVMValueRef call = LLVMBuildCall2(b, type, to, args, n, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(fn));
    for (unsigned i = 0; i <= n; i++)
        copy_attributes(call, fn, i);
    LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
    if (LLVMGetReturnType(type) == LLVMVoidTypeInContext(LLVMGetTypeContext(type)))
        LLVMBuildRetVoid(b);
    else
        LLVMBuildRet(b, call);
    free(args);
}

void pf_bare_entry_finish(struct pf_unit *u, LLVMValueRef fn, LLVMValueRef bodies)
{
    pf_llvm_swap_bodies(fn, bodies);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(u->context);
    LLVMBasicBlockRef old = LLVMGetEntryBasicBlock(fn);
    LLVMBasicBlockRef start = LLVMInsertBasicBlockInContext(u->context, old, "");
    LLVMBasicBlockRef jump = LLVMAppendBasicBlockInContext(u->context, fn, "");
    LLVMPositionBuilderAtEnd(b, start);
    pf_allocas_move(b, old);
    LLVMSetCurrentDebugLocation2(b, pf_di_entry(u, fn));
    LLVMValueRef word = LLVMBuildLoad2(b, u->i32, u->bare, "");
    LLVMValueRef watched = LLVMBuildICmp(b, LLVMIntEQ, word, LLVMConstInt(u->i32, 0, 0), "");
    LLVMBuildCondBr(b, watched, jump, old);
    LLVMPositionBuilderAtEnd(b, jump);
    pf_emit_jump(b, fn, bodies);
    LLVMDisposeBuilder(b);
}

/* True if no other definition of the function can replace this one when linking or loading. */
static bool is_final(struct pf_unit *u, LLVMValueRef fn)
{
    LLVMLinkage linkage = LLVMGetLinkage(fn);
    if (LLVMGetComdat(fn))
        return false;
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage ||
           (linkage == LLVMExternalLinkage &&
            (!u->shared_object || LLVMGetVisibility(fn) == LLVMHiddenVisibility));
}

void pf_bare_entry_direct_calls(struct pf_unit *u)
{
    struct pf_ptrmap bare_entries = {0};
    for (size_t i = 0; i < u->nbare_entries; i++)
        *pf_ptrmap_at(&bare_entries, u->bare_entries[i].bodies) = 1;
    for (size_t i = 0; i < u->nbare_entries; i++) {
        if (!is_final(u, u->bare_entries[i].fn))
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(u->bare_entries[i].fn), next; use; use = next) {
            next = LLVMGetNextUse(use);
            LLVMValueRef call = LLVMGetUser(use);
            if ((LLVMIsACallInst(call) || LLVMIsAInvokeInst(call)) &&
                LLVMGetCalledValue(call) == u->bare_entries[i].fn &&
                pf_ptrmap_find(&bare_entries,
                               LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))))
                LLVMSetOperand(call, LLVMGetNumOperands(call) - 1, u->bare_entries[i].bodies);
        }
    }
    pf_ptrmap_release(&bare_entries);
}
