/*
 * kept_ir.h - the IR that an object keeps for its event bodies.
 *
 * Model:   kept_ir.c has the layout. The global values of a module are numbered: functions, then
 *          variables, aliases and ifuncs, without those of LLVM (llvm.*).
 * Memory:  the list belongs to the caller; LLVM owns the values.
 */
#ifndef PF_PLUGIN_KEPT_IR_H
#define PF_PLUGIN_KEPT_IR_H

#include "plugin.h"

struct pf_kept_list {
    LLVMValueRef *all; /* free it */
    size_t n, count[PF_KEPT_KINDS];
};
void pf_kept_list_make(struct pf_kept_list *l, LLVMModuleRef module);
/* Removes the values that were added later: `counts` is how many of each kind there were. New ones
 * are at the end of their kind. */
void pf_kept_list_cut(struct pf_kept_list *l, const size_t counts[PF_KEPT_KINDS]);
/* _save is called first, _write when everything else of the module is done. */
void pf_kept_save(struct pf_unit *u);
void pf_kept_write(struct pf_unit *u);
/* Sets the environment variables that the module was compiled with. */
void pf_kept_restore_settings(LLVMModuleRef module);

#endif
