/*
 * benign.h - ranges on which the program itself calls races benign.
 *
 * Model:   a list that only grows; kept for ever.
 * Memory:  the runtime's store.
 * Threads: any; a reader needs no lock.
 * Errors:  a range for which there is no memory is lost, and counted by the store.
 *
 * Called from places where vector registers are alive: nothing here touches them.
 */
#ifndef PF_RT_BENIGN_H
#define PF_RT_BENIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void pf_benign_add(const volatile void *memory, size_t size);
/* Is one of the bytes in such a range? */
extern bool pf_benign_any; /* there are some */
bool pf_benign_found(uintptr_t addr, size_t size);
static inline bool pf_benign(uintptr_t addr, size_t size)
{
    return __builtin_expect(pf_benign_any, 0) && pf_benign_found(addr, size);
}
/* One of these bytes (a bit each) of the 8 at `granule`? */
bool pf_benign_bytes(uintptr_t granule, unsigned bytes);

#endif
