/*
 * module.h - the tables of loaded objects: functions by number, global variables by address.
 *
 * Model:   a function gets a number when it is first seen on a shadow stack; the number refers to
 *          its record for ever. When an object is unloaded, its numbered records are copied.
 * Memory:  the tables live in their objects, copies in the runtime's store (never freed). Sites are
 *          mapped from the files of the objects.
 * Threads: any; one lock for changes, lookup by number is lock-free.
 * Errors:  a function without a number has no calling context; when memory runs out the store
 *          counts it.
 */
#ifndef PF_RT_MODULE_H
#define PF_RT_MODULE_H

#include "pf_abi.h"
#include <stdbool.h>
#include <stddef.h>

#define PF_FUNCS_MAX (1u << 20) /* all numbers are below this */

/* The number of the function, assigned if necessary; 0 when all numbers are in use. */
uint32_t pf_func_number(struct pf_func *f);
const struct pf_func *pf_func_at(uint32_t number);
/* The site with this index, which must be below nsites. If the sites of the object could not be
 * mapped: a site without position, kind and variable. */
const struct pf_site *pf_func_site(const struct pf_func *f, uint32_t index);

struct pf_global {
    uintptr_t addr;
    size_t size;
    const char *name, *file;
    uint32_t line;
    bool has_red_zone; /* a red zone of PF_RED_ZONE(size) bytes follows it */
};
/* Finds the global variable that contains addr, for reports; false if none is known. */
bool pf_global_find(uintptr_t addr, struct pf_global *out);
/* Calls f for the global variables of all objects except the first `seen` that were loaded. Returns
 * the number of objects loaded so far. */
uint32_t pf_global_each(uint32_t seen, void (*f)(const struct pf_global *, void *), void *arg);

/* True if the tables of an instrumented object are between these addresses. */
bool pf_module_within(uintptr_t lo, uintptr_t hi);

void pf_module_lock(void); /* around fork */
bool pf_module_try_lock(void); /* false: it is taken */
void pf_module_unlock(void);

/* True if the instruction at addr belongs to an object that has instrumented functions. */
bool pf_code_is_instrumented(const void *addr);
/* True if the object mapped at `lo` has functions whose event bodies are not loaded. */
bool pf_module_wants_bodies(uintptr_t lo);
/* The object that contains this address holds event bodies or symbolic bodies: it counts as
 * instrumented. func to func_end: the records of its symbolic bodies. */
void pf_module_add_code(const void *addr, struct pf_func *func, struct pf_func *func_end);
/* Where the function of a record begins. */
uintptr_t pf_func_entry(const struct pf_func *f);
/* True if an instrumented function begins at addr, or if addr is in the code of the runtime. */
bool pf_func_begins_at(const void *addr);
/* The record of the instrumented function that begins at addr; NULL: none. O(functions). */
const struct pf_func *pf_func_find(const void *addr);

#endif
