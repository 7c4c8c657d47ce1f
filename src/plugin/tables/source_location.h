/*
 * source_location.h - source positions of accesses and calls that the optimizer moves or merges.
 *
 * Model:   LLVM drops the position of an instruction that it hoists, and of one that replaces
 *          several merged instructions. _record, before the optimizer runs, writes a table of all
 *          accesses and calls into the module, and the index of each into its instruction.
 *          _restore, after the optimizer, gives a position to every access and call that has none,
 *          and to every access at a line where its function has no access in the source:
 *           1. that of the entry with its index, which an instruction keeps when it is hoisted;
 *           2. else that of the entry that fits best: of the same function, or of one inlined into
 *              it, with the same global (or one of those whose addresses were merged), name of the
 *              member, type, size and kind of access. If several fit, the instruction gets the
 *              position of the first one in the source, and the lines of the others are noted;
 *           3. else that of the nearest instruction.
 *          Other instructions keep their positions.
 * Memory:  the table is metadata of the module (pf.accesses, pf.globals); _restore removes it.
 */
#ifndef PF_SOURCE_LOCATION_H
#define PF_SOURCE_LOCATION_H

#include "plugin.h"

void pf_source_record(struct pf_unit *u);
void pf_source_restore(struct pf_unit *u);
/* The name in the source of a global variable that the optimizer has split or narrowed, such as `s`
 * for the symbol s.0. Other symbols are returned unchanged. */
const char *pf_source_global_name(struct pf_unit *u, const char *symbol);
/* The name of the variable that the instruction at this address accessed in the source, if it is
 * only known from the table; else NULL. */
const char *pf_source_variable(struct pf_unit *u, LLVMValueRef ptr);
/* Further lines "41, 45" of an access that the optimizer has merged; NULL: none. */
const char *pf_source_merged_lines(struct pf_unit *u, LLVMValueRef inst);
void pf_source_release(struct pf_unit *u);

#endif
