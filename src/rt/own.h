/*
 * own.h - the large tables of the runtime, listed for who walks over the target's memory.
 *
 * Model:   the runtime is linked into the program, so its data lies among the program's. What its tables hold is
 *          not reached by the program, and they are full of addresses.
 * Memory:  one entry each, in the linker section `pf_own`.
 */
#ifndef PF_RT_OWN_H
#define PF_RT_OWN_H

#include <stddef.h>

struct pf_own {
    const volatile void *at;
    size_t size;
};
#define PF_OWN(table)                                                                              \
    static const struct pf_own pf_own_##table                                                      \
        __attribute__((used, retain, section("pf_own"))) = {&(table), sizeof(table)}

#endif
