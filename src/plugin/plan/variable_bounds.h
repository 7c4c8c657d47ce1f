/*
 * variable_bounds.h - variables whose bounds the compiler knows.
 *
 * Model:   variable_bounds.c finds the variable that an address is derived from, and adds red
 *          zones; emit_bounds.c emits the bounds checks of the event body.
 * Memory:  no allocation; the module's types and values belong to LLVM.
 */
#ifndef PF_PLUGIN_VARIABLE_BOUNDS_H
#define PF_PLUGIN_VARIABLE_BOUNDS_H

#include "emit.h"

struct pf_variable_bounds {
    LLVMValueRef base;
    uint64_t size;      /* bytes; with a count, bytes of one element */
    LLVMValueRef count; /* the number of elements if it is known at run time only, else NULL */
};

/* Adds red zones behind globals and stack variables: behind those that contain an array, and
 * behind integers of less than 8 bytes whose address escapes. A stack variable gets one only if its
 * address escapes. Call it before anything is instrumented. */
void pf_bounds_add_red_zones(struct pf_unit *u);
/* The size of the variable without its red zone. */
uint64_t pf_bounds_size(struct pf_unit *u, LLVMValueRef object, LLVMTypeRef type);
/* Finds the variable that the address is derived from; false if it is not known. */
bool pf_bounds_find(struct pf_unit *u, LLVMValueRef ptr, struct pf_variable_bounds *out);
/* True if [ptr, ptr + size) is inside the variable in every execution. */
bool pf_bounds_contain(struct pf_unit *u, const struct pf_variable_bounds *o, LLVMValueRef ptr,
                       uint64_t size);

/* The functions below are for the event body and emit nothing where nothing has to be checked.
 * enter: at the body's start; leave: before it returns; restore: where control arrives from an
 * unwinder, longjmp or a call that returns twice. */
void pf_bounds_enter(struct pf_emit *e);
void pf_bounds_leave(struct pf_emit *e);
void pf_bounds_restore(struct pf_emit *e);
/* The lifetime of a variable starts or ends. */
void pf_bounds_lifetime(struct pf_emit *e, const struct pf_plan_step *s);
/* Emits a check, before the access, that it stays inside its variable. */
void pf_bounds_check(struct pf_emit *e, LLVMValueRef inst, LLVMValueRef ptr, LLVMValueRef size,
                     bool write);
/* The same for all accesses of a load, store or memory intrinsic. Emits nothing for other
 * instructions. */
void pf_bounds_check_all(struct pf_emit *e, LLVMValueRef inst);

#endif
