/*
 * event_module.h - turns the kept IR of a module (tables/kept_ir.c) into a module that contains its
 * event bodies and nothing else.
 *
 * Model:   the module is instrumented as when it was compiled, so that sites have the same numbers.
 *          Then each wanted function is reduced to its event body, and everything else becomes a
 *          declaration. What the linked object defines is declared under the name PF_AT and the
 *          address in hexadecimal, as a weak symbol: the dynamic linker leaves it 0, and the
 *          runtime (rt/start/event_bodies.c) stores the address.
 *          Each event body has an entry in section pf_bodies: the address of the function's record,
 *          and the body.
 * Memory:  the arrays belong to the caller.
 */
#ifndef PF_PLUGIN_EVENT_MODULE_H
#define PF_PLUGIN_EVENT_MODULE_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function record of the linked object whose event body is wanted. */
struct pf_wanted_body {
    uint64_t entry, record; /* the addresses of the function and of its record */
    uint64_t hash;
    uint32_t nsites;
    bool done;
};

struct pf_event_module {
    const uint64_t *address; /* by number of the global value (kept_ir.h); 0: unknown */
    size_t n;
    /* The record of the function at this address; NULL: none is wanted. */
    struct pf_wanted_body *(*wanted)(void *context, uint64_t entry);
    /* The address of a symbol of the linked object; 0: the dynamic linker finds it. */
    uint64_t (*find)(void *context, const char *name);
    void *context;
};

/* Reduces the module to the wanted event bodies. Returns NULL, or an error text. */
const char *pf_event_module_make(LLVMModuleRef module, const struct pf_event_module *m);
/* The number of global values. */
size_t pf_event_module_globals(LLVMModuleRef module);

#endif
