/*
 * llvm_shim.h - operations that LLVM's C++ API offers and its C API does not (shim.cpp).
 *
 * Memory:  LLVM owns all values and blocks; pf_llvm_merges_finish and the _free functions
 *          free their argument.
 * Threads: as LLVM: one thread per context.
 * Errors:  none; running out of memory ends the compiler.
 */
#ifndef PF_PLUGIN_LLVM_SHIM_H
#define PF_PLUGIN_LLVM_SHIM_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inserts a block on the edges from the blocks `from` to their successor `to` and returns it. The
 * new block merges the values that these edges pass to the PHIs of `to`. No block of `from` may end
 * with an invoke or a computed goto. */
LLVMBasicBlockRef pf_llvm_split_edges(LLVMBasicBlockRef to, const LLVMBasicBlockRef *from,
                                      unsigned n);
/* Splits the block before the instruction, which becomes the first one of the new block. Returns
 * the new block; the old one ends with a branch to it. */
LLVMBasicBlockRef pf_llvm_split_before(LLVMValueRef inst);
/* The number of lane `i` of the shuffle's mask; -1: any lane. */
int pf_llvm_shuffle_lane(LLVMValueRef shuffle, unsigned i);
/* Rewrites SSA values that have several definitions. After pf_llvm_merge, the value of `inst` is
 * also defined at the end of blocks[i], as values[i]; uses of inst outside of its block will get
 * PHIs where the definitions meet. Rewriting is done for all merges at once in _finish, because
 * rewriting one value at a time would process the PHIs of all previous ones. _finish frees the
 * merges. */
struct pf_llvm_merges;
struct pf_llvm_merges *pf_llvm_merges_new(void);
void pf_llvm_merge(struct pf_llvm_merges *merges, LLVMValueRef inst, const LLVMValueRef *values,
                   const LLVMBasicBlockRef *blocks, unsigned n);
/* The two instructions are definitions of one value: uses of either, outside of its block, get PHIs
 * where the definitions meet. */
void pf_llvm_merge_pair(struct pf_llvm_merges *merges, LLVMValueRef a, LLVMValueRef b);
void pf_llvm_merges_finish(struct pf_llvm_merges *merges, LLVMValueRef fn);
/* Replaces the variable by one with `more` additional zero bytes at the end, aligned to at least 8.
 * Returns the new variable. _alloca returns NULL if the slot is of a kind that must not change. */
LLVMValueRef pf_llvm_widen_global(LLVMValueRef variable, uint64_t more);
LLVMValueRef pf_llvm_widen_alloca(LLVMValueRef slot, uint64_t more);

/* Drops the debug records about values of variables, except those of variables in memory. All
 * bodies share the variables in memory; the other records would be valid in one body only, and cost
 * the code generator time that grows with blocks times variables. */
void pf_llvm_drop_debug_values(LLVMValueRef fn);
/* The names of all struct members that the module's debug information describes. */
struct pf_llvm_members;
struct pf_llvm_members *pf_llvm_members_new(LLVMModuleRef module);
bool pf_llvm_members_has(const struct pf_llvm_members *members, const char *name, size_t n);
void pf_llvm_members_free(struct pf_llvm_members *members);
/* The loops of a function. _has: the innermost loop around `inside` contains the other block. */
struct pf_llvm_loops;
struct pf_llvm_loops *pf_llvm_loops_new(LLVMValueRef fn);
bool pf_llvm_loops_has(const struct pf_llvm_loops *loops, LLVMBasicBlockRef inside,
                       LLVMBasicBlockRef block);
void pf_llvm_loops_free(struct pf_llvm_loops *loops);
/* _pack compresses by zstd; the result is from malloc. _unpack also reads what zlib has
 * compressed; it returns false if the data is damaged; `size` is the size of the result. */
unsigned char *pf_llvm_pack(const char *data, size_t n, size_t *packed);
bool pf_llvm_unpack(const unsigned char *data, size_t n, unsigned char *to, size_t size);
/* Deletes the blocks, which no other block may branch to. */
void pf_llvm_delete_blocks(const LLVMBasicBlockRef *blocks, size_t n);
/* Makes the function's first block branch to `to`, unless that is NULL, and deletes unreachable
 * blocks. */
void pf_llvm_keep_reachable(LLVMBasicBlockRef first, LLVMBasicBlockRef to);
/* Replaces all uses of the variable's address by calls of the function. */
void pf_llvm_replace_thread_local(LLVMValueRef variable, LLVMValueRef function);
/* For event_module.c. _drop_definition turns a global value into a declaration if its code or
 * contents are not needed. _make_foreign makes its uses refer to a symbol that the dynamic linker
 * resolves: `name`, weak, or the old name if it is NULL. has_body: the function keeps its code,
 * under a name of its own. _keep_global protects an entry of section pf_bodies, and the event body
 * that it names, from _drop_unused, which deletes everything without uses; the body becomes a local
 * function NAME.event. */
void pf_llvm_drop_definition(LLVMValueRef global);
void pf_llvm_make_foreign(LLVMValueRef global, const char *name, bool has_body);
void pf_llvm_keep_global(LLVMValueRef global);
void pf_llvm_drop_unused(LLVMModuleRef module);
/* Marks the variable as defined in the same linked object as the code that uses it. */
void pf_llvm_set_dso_local(LLVMValueRef variable);
/* Removes named metadata from the module. */
void pf_llvm_remove_named_metadata(LLVMModuleRef module, const char *name);
/* _clone returns a copy of the function with internal linkage, in the same comdat group. _swap
 * exchanges the code of the function and its clone. */
LLVMValueRef pf_llvm_clone_function(LLVMValueRef fn, const char *name);
void pf_llvm_swap_bodies(LLVMValueRef fn, LLVMValueRef bodies);

#ifdef __cplusplus
}
#endif

#endif
