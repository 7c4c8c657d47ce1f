/*
 * module.h - the tables of loaded objects: functions by number, global variables by address.
 *
 * Model:   a function gets a number when it is first seen on a stack; the number leads to its
 *          record for ever. When the object is unloaded, records that have a number are copied.
 * Threads: any; one lock for changes, reading by number is lock-free.
 */
#ifndef PF_RT_MODULE_H
#define PF_RT_MODULE_H

#include "pf_abi.h"
#include <stdbool.h>
#include <stddef.h>

#define PF_FUNCS_MAX (1u << 20) /* numbers are below this */

/* 0 when numbers have run out. */
uint32_t pf_func_number(struct pf_func *f);
const struct pf_func *pf_func_at(uint32_t number);

struct pf_global {
    uintptr_t addr;
    size_t size;
    const char *name, *file;
    uint32_t line;
    bool zoned; /* PF_ZONE(size) bytes behind it are nobody's */
};
/* The global variable that holds addr, for reports; false if none is known. */
bool pf_global_find(uintptr_t addr, struct pf_global *out);
/* Calls f for the variables of all objects loaded but the first `seen`; how many there are now. */
uint32_t pf_global_each(uint32_t seen, void (*f)(const struct pf_global *, void *), void *arg);

/* Is there an instrumented object between these addresses? */
bool pf_module_holds(uintptr_t lo, uintptr_t hi);

void pf_module_lock(void); /* around fork */
void pf_module_unlock(void);

/* Does an instrumented function begin there, or is it one of the runtime's? */
bool pf_func_begins(const void *addr);

#endif
