/*
 * source_access.h - the table of accesses and calls that the optimizer carries along; shared by
 * source_record.c, which writes it, and source_location.c, which reads it.
 *
 * Model:   named metadata of the module, one node per entry:
 *              pf.accesses   {scope, line, column, kind, size, variable, global, base, offset, tag}
 *              pf.globals    {name}
 *          The instruction of entry i has the metadata `annotation` "pf:i".
 */
#ifndef PF_SOURCE_ACCESS_H
#define PF_SOURCE_ACCESS_H

#include "plugin.h"

#define PF_SOURCE_ACCESSES "pf.accesses"
#define PF_SOURCE_GLOBALS "pf.globals"
#define PF_SOURCE_PREFIX "pf:"

enum pf_source_kind { PF_SOURCE_READS = 1, PF_SOURCE_WRITES = 2, PF_SOURCE_CALLS = 4 };
/* The fields of an entry of pf.accesses. */
enum {
    PF_SOURCE_SCOPE,
    PF_SOURCE_LINE,
    PF_SOURCE_COLUMN,
    PF_SOURCE_KIND,
    PF_SOURCE_SIZE,
    PF_SOURCE_VARIABLE,
    PF_SOURCE_GLOBAL,
    PF_SOURCE_BASE,
    PF_SOURCE_OFFSET,
    PF_SOURCE_TAG,
    PF_SOURCE_FIELDS
};

/* An access or a call: what it does to which variable. */
struct pf_source_access {
    LLVMMetadataRef scope, function; /* function: the subprogram that contains the scope */
    unsigned line, column;
    unsigned kind; /* enum pf_source_kind */
    uint64_t size;
    const char *variable; /* or the called function; "": unknown, as below */
    const char *global; /* the global variable that the address is derived from */
    const char *base; /* the local variable or parameter that holds the address of the object */
    int64_t offset; /* in the object */
    LLVMMetadataRef tag; /* of type-based alias analysis; NULL: none */
};

/* Describes what the instruction does; false if it is neither an access nor a call. Sets no
 * position. */
bool pf_source_describe(struct pf_unit *u, LLVMValueRef inst, struct pf_source_access *a);
/* The address of a load or store; NULL for other instructions. */
LLVMValueRef pf_source_pointer(LLVMValueRef inst);
/* The metadata of the instruction that refers to its entry, or NULL. */
LLVMValueRef pf_source_mark(struct pf_unit *u, LLVMValueRef inst);
void pf_source_remove_mark(struct pf_unit *u, LLVMValueRef inst);

#endif
