/*
 * benign.h - memory ranges on which the program has declared races to be benign.
 *
 * Model:   a list of ranges that only grows.
 * Memory:  the runtime's store; never freed.
 * Threads: any; readers need no lock.
 * Errors:  if memory runs out the range is lost; the store counts it.
 *
 * Callers may have live values in vector registers, so this code does not use them.
 */
#ifndef PF_RT_BENIGN_H
#define PF_RT_BENIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void pf_benign_add(const volatile void *memory, size_t size);
extern bool pf_benign_any; /* there is at least one range */
bool pf_benign_search(uintptr_t addr, size_t size); /* for the next function */
/* True if a byte of [addr, addr + size) is in such a range. */
static inline bool pf_benign_overlaps(uintptr_t addr, size_t size)
{
    return __builtin_expect(pf_benign_any, 0) && pf_benign_search(addr, size);
}
/* True if one of these bytes (bit i: byte i) of the granule is in such a range. */
bool pf_benign_bytes(uintptr_t granule, unsigned bytes);

void pf_benign_lock(void); /* around fork */
void pf_benign_unlock(void);

#endif
