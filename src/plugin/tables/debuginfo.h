/*
 * debuginfo.h - names and source positions of instructions, functions and globals.
 *
 * Memory:  returned strings live as long as the unit, which caches them, or the module.
 */
#ifndef PF_DEBUGINFO_H
#define PF_DEBUGINFO_H

#include "plugin.h"

/* The readable name of the function that contains the scope; `fallback` is a symbol or NULL. */
const char *pf_di_function(struct pf_unit *u, LLVMMetadataRef scope, const char *fallback);
/* The function that contains the scope; NULL if unknown. */
LLVMMetadataRef pf_di_subprogram(struct pf_unit *u, LLVMMetadataRef scope);
/* The symbol of a function; "" if unknown. */
const char *pf_di_symbol(struct pf_unit *u, LLVMMetadataRef subprogram);
/* The file of a scope, as given to the compiler; NULL if unknown. */
const char *pf_di_file(struct pf_unit *u, LLVMMetadataRef scope);
/* The first line of the function that contains the scope; 0 if unknown. */
unsigned pf_di_function_line(struct pf_unit *u, LLVMMetadataRef scope);
/* Demangles a C++ symbol; returns other names unchanged. The unit owns the result. */
const char *pf_di_readable(struct pf_unit *u, const char *symbol);
/* The name of a global variable, and where it is declared; false if the position is unknown. */
bool pf_di_global(struct pf_unit *u, LLVMValueRef var, const char **name, const char **file,
                  unsigned *line);
/* The name of the variable, member or array that ptr points to; NULL if unknown. */
const char *pf_di_variable(struct pf_unit *u, LLVMValueRef ptr);
/* A debug location for code at the entry of fn; NULL if fn has no debug information. */
LLVMMetadataRef pf_di_entry(struct pf_unit *u, LLVMValueRef fn);
void pf_di_release(struct pf_unit *u);

#endif
