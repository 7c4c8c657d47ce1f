/*
 * debuginfo.h - what the debug information says about instructions, functions and globals.
 *
 * Memory:  strings live as long as the unit (caches in it) or the module.
 */
#ifndef PF_DEBUGINFO_H
#define PF_DEBUGINFO_H

#include "plugin.h"

/* The readable name of the function whose scope this is; `fallback` is a symbol or NULL. */
const char *pf_di_function(struct pf_unit *u, LLVMMetadataRef scope, const char *fallback);
/* The file of a scope, as given to the compiler; NULL if unknown. */
const char *pf_di_file(struct pf_unit *u, LLVMMetadataRef scope);
/* The first line of the function that the scope is in; 0: not known. */
unsigned pf_di_function_line(struct pf_unit *u, LLVMMetadataRef scope);
/* A C++ symbol made readable; other names as they are. The result is the unit's. */
const char *pf_di_readable(struct pf_unit *u, const char *symbol);
/* Where a global variable was declared; false if unknown. */
bool pf_di_global(struct pf_unit *u, LLVMValueRef var, const char **name, const char **file,
                  unsigned *line);
/* The name of the variable, member or array that ptr points to; NULL if unknown. */
const char *pf_di_variable(struct pf_unit *u, LLVMValueRef ptr);
/* A location for what stands at the entry of fn; NULL: it has no debug information. */
LLVMMetadataRef pf_di_entry(struct pf_unit *u, LLVMValueRef fn);
void pf_di_release(struct pf_unit *u);

#endif
