/*
 * event_module.h - turns the kept IR of a module (tables/kept_ir.c) into a module that contains its
 * event bodies, or its symbolic bodies, and nothing else.
 *
 * Model:   the module is instrumented as when it was compiled, but nothing is left out. Then each
 *          wanted function is reduced to its event body, and everything else becomes a
 *          declaration. What the linked object defines is declared under the name PF_AT and the
 *          address in hexadecimal, as a weak symbol: the dynamic linker leaves it 0, and the
 *          runtime (rt/start/event_bodies.c) stores the address.
 *          Each body has an entry in section pf_bodies: the address of the function's record in
 *          the linked object, and the body. It also has a record of its own, with sites that the
 *          linked object does not need.
 *
 *          With PF_PLUGIN_SYMBOLIC in the environment, the bodies are symbolic ones. A function
 *          without a jump to pf_func.event (it has no visible operation, or cannot make that jump)
 *          becomes a jump to a copy of itself that has all bodies.
 * Memory:  the arrays belong to the caller.
 */
#ifndef PF_PLUGIN_EVENT_MODULE_H
#define PF_PLUGIN_EVENT_MODULE_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function record of the linked object. */
struct pf_wanted_body {
    uint64_t entry, record; /* the addresses of the function and of its record */
    uint64_t hash; /* 0: the function has no bodies */
    bool on_demand; /* its event body is not in the object */
    bool done;
};

struct pf_event_module {
    const uint64_t *address; /* by number of the global value (kept_ir.h); 0: unknown */
    size_t n;
    /* The record of the function at this address; NULL: it has none. */
    struct pf_wanted_body *(*wanted)(void *context, uint64_t entry);
    /* Can the function at this address become a jump? Returns true only once for an address. */
    bool (*replace)(void *context, uint64_t entry);
    /* The address of a symbol of the linked object; 0: the dynamic linker finds it. */
    uint64_t (*find)(void *context, const char *name);
    void *context;
};

/* Reduces the module to the wanted bodies. Returns NULL, or an error text. */
const char *pf_event_module_make(LLVMModuleRef module, const struct pf_event_module *m);
/* The number of global values. */
size_t pf_event_module_globals(LLVMModuleRef module);

#endif
