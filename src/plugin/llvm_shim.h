/*
 * llvm_shim.h - things that LLVM can do and its C interface does not offer (shim.cpp).
 */
#ifndef PF_PLUGIN_LLVM_SHIM_H
#define PF_PLUGIN_LLVM_SHIM_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A new block between the blocks `from` and their successor `to`, which takes their values of its PHIs together.
 * None of them ends with an invoke or a computed goto. */
LLVMBasicBlockRef pf_llvm_split_edges(LLVMBasicBlockRef to, const LLVMBasicBlockRef *from,
                                      unsigned n);
/* Values that are also brought by the ends of the blocks, that of inst as values[i]: its uses get PHIs where they meet.
 * Many at once, because each alone would look at the PHIs of all others; nothing changes before _finish, which
 * frees the merges. */
struct pf_llvm_merges;
struct pf_llvm_merges *pf_llvm_merges_new(void);
void pf_llvm_merge(struct pf_llvm_merges *merges, LLVMValueRef inst, const LLVMValueRef *values,
                   const LLVMBasicBlockRef *blocks, unsigned n);
void pf_llvm_merges_finish(struct pf_llvm_merges *merges, LLVMValueRef fn);
/* The variable with so many bytes more behind it, zero, in its place; aligned to 8 at least. slot: NULL where it is
 * of a kind that must stay as it is. */
LLVMValueRef pf_llvm_widen_global(LLVMValueRef variable, uint64_t more);
LLVMValueRef pf_llvm_widen_alloca(LLVMValueRef slot, uint64_t more);

/* What the debug information says of the values of variables is dropped, but for variables in memory, which all bodies share: it would be
 * known in one body alone, and costs the code generator time that grows with blocks times variables. */
void pf_llvm_drop_debug_values(LLVMValueRef fn);
/* The variable is linked with the code that uses it. */
void pf_llvm_set_dso_local(LLVMValueRef variable);
/* A copy of the function, known in this module alone and there whenever the function is. Then: each gets the code of the
 * other. */
LLVMValueRef pf_llvm_clone_function(LLVMValueRef fn, const char *name);
void pf_llvm_swap_bodies(LLVMValueRef fn, LLVMValueRef bodies);

#ifdef __cplusplus
}
#endif

#endif
