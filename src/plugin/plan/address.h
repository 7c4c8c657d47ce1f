/*
 * address.h - address arithmetic: getelementptr instructions and constant expressions (GEPs).
 */
#ifndef PF_PLUGIN_ADDRESS_H
#define PF_PLUGIN_ADDRESS_H

#include "plugin.h"

/* True for a GEP. */
bool pf_is_gep(LLVMValueRef v);
/* The pointer behind all GEPs and casts. */
LLVMValueRef pf_gep_base(LLVMValueRef ptr);
/* Splits ptr into a base, which is returned, and a constant *offset. */
LLVMValueRef pf_gep_constant_offset(struct pf_unit *u, LLVMValueRef ptr, int64_t *offset);
/* Calls `add` for every part of the GEP's offset, which is the sum of index * scale; index is NULL
 * for the offset of a member, which is `scale`. False if add returned false, or if the GEP is of
 * another form (into a vector, of unknown size). */
bool pf_gep_each(struct pf_unit *u, LLVMValueRef gep,
                 bool (*add)(void *arg, LLVMValueRef index, int64_t scale), void *arg);

#endif
