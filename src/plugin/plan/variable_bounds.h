/*
 * variable_bounds.h - variables whose bounds the compiler knows (variable_bounds.c), and their checks in the event body
 * (emit_bounds.c).
 */
#ifndef PF_PLUGIN_VARIABLE_BOUNDS_H
#define PF_PLUGIN_VARIABLE_BOUNDS_H

#include "emit.h"

struct pf_variable_bounds {
    LLVMValueRef base;
    uint64_t size;      /* bytes; of one element, where there are several */
    LLVMValueRef count; /* how many, where only the run knows; else NULL */
};

/* Before anything is instrumented: room behind the variables that are handed on. */
void pf_bounds_add_red_zones(struct pf_unit *u);
/* Without its zone. */
uint64_t pf_bounds_size(struct pf_unit *u, LLVMValueRef object, LLVMTypeRef type);
/* The variable that the address is made from; false: not known. */
bool pf_bounds_find(struct pf_unit *u, LLVMValueRef ptr, struct pf_variable_bounds *out);
/* Is [ptr, ptr + size) within it, always? */
bool pf_bounds_contain(struct pf_unit *u, const struct pf_variable_bounds *o, LLVMValueRef ptr,
                       uint64_t size);

/* The event body; all of them emit nothing where nothing is to be looked at.
 * enter: at its beginning; leave: before it is left; back: where control comes back out of the blue. */
void pf_bounds_enter(struct pf_emit *e);
void pf_bounds_leave(struct pf_emit *e);
void pf_bounds_restore(struct pf_emit *e);
/* The life of a variable begins or ends. */
void pf_bounds_lifetime(struct pf_emit *e, const struct pf_plan_step *s);
/* Before the access: does it stay within its variable? */
void pf_bounds_check(struct pf_emit *e, LLVMValueRef inst, LLVMValueRef ptr, LLVMValueRef size,
                     bool write);
/* Before an instruction that is no event: the same for all of its accesses. */
void pf_bounds_check_all(struct pf_emit *e, LLVMValueRef inst);

#endif
