/*
 * red_zone.h - directed mode: which bytes the target must not access, and recently freed heap
 * blocks.
 *
 * Model:   one byte (the mark) for each granule of 8 bytes says which of them are addressable:
 *
 *              0 all, or nothing is known   1..7 only the first 1..7   PF_ZONE_...: none, and why
 *
 *          Only memory reported by malloc, free and the compiler is marked, so accesses to other
 *          memory are never reported. Every heap block has libc's header word before it and a red
 *          zone of at least 8 bytes after it. The red zone of a small block is what libc rounds up
 *          plus the header of the next block; for other blocks PF_RED_ZONE_SIZE bytes are allocated
 *          in addition. (Small blocks get no extra room: with half of their size in addition, lists
 *          and trees of them would no longer fit the cache.) A freed block stays in quarantine for
 *          a while before libc may hand it out again. All this holds in every directed run, with
 *          and without memory checks, because addresses must be the same in all of them.
 * Memory:  the shadow plane of access records, which directed mode does not use.
 * Threads: the target's one kernel thread.
 *
 * Called while vector registers are live: nothing here uses them.
 */
#ifndef PF_RT_RED_ZONE_H
#define PF_RT_RED_ZONE_H

#include "pf_shadow.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_RED_ZONE_SIZE 16
#define PF_RED_ZONE_SMALL 256 /* blocks up to this size are allocated without extra bytes */

/* The number of bytes to request from libc for a block of this size. */
static inline size_t pf_red_zone_padded_size(size_t size)
{
    return size <= PF_RED_ZONE_SMALL || size > SIZE_MAX - PF_RED_ZONE_SIZE
               ? size
               : size + PF_RED_ZONE_SIZE;
}
/* The number of bytes from the start of a block to the end of its red zone. A small block and its
 * header word take 32 bytes or a larger multiple of 16. */
static inline size_t pf_red_zone_extent(size_t size)
{
    size_t chunk = (size + 8 + 15) & -16ul;
    return size > PF_RED_ZONE_SMALL ? (size + PF_RED_ZONE_SIZE) & -8ul : chunk < 32 ? 32 : chunk;
}

enum pf_zone {
    PF_ZONE_NONE = 0,
    PF_ZONE_CLOSURE = 0xe0, /* + number: like HEAP, see pf_red_zone_set_closure */
    PF_ZONE_STACK = 0xf1, /* after a variable on a stack */
    PF_ZONE_GLOBAL = 0xf9,
    PF_ZONE_HEAP = 0xfa,
    PF_ZONE_FREED = 0xfd
};

/* mark_block: a block was allocated; its red zone ends `extent` bytes after its start
 * (pf_red_zone_extent). mark_freed: it was freed. clear: memory was mapped or unmapped without
 * malloc (mmap, brk). */
void pf_red_zone_mark_block(uintptr_t addr, size_t size, size_t extent);
void pf_red_zone_mark_freed(uintptr_t addr, size_t size);
void pf_red_zone_clear(uintptr_t addr, size_t size);
/* A variable with a red zone becomes live (stack_variables.h); addr is a multiple of 8. */
void pf_red_zone_mark_variable(uintptr_t addr, size_t size, enum pf_zone zone);

static inline uint8_t *pf_red_zone_marks(uintptr_t addr)
{
    return (uint8_t *)(PF_SHADOW_BASE + ((addr & ((1ull << PF_APP_BITS) - 1)) >> 3));
}
/* Fast path, for up to 56 bytes: true if all of them are addressable. False does not mean that they
 * are not: call pf_red_zone_find. */
static inline bool pf_red_zone_is_clear(uintptr_t addr, size_t size)
{
    uint64_t marks;
    if (size - 1 >= 56)
        return false;
    __builtin_memcpy_inline(&marks, pf_red_zone_marks(addr), 8);
    marks <<= 64 - 8 * (((addr & 7) + size + 7) / 8);
    /* A block often ends in the middle of a granule, unpredictably, so there is no branch for it.
     * All marks but the last must be 0, and the last one less than 8. Subtracting 1 turns 0 into a
     * value greater than any offset in a granule. */
    uint64_t end = (addr + size - 1) & 7;
    return !(marks & ~(7ull << 56)) & ((marks >> 56) - 1 >= end);
}
/* Why the byte must not be accessed; PF_ZONE_NONE if it may be. */
enum pf_zone pf_red_zone_kind(uintptr_t addr);

/* The mark of libc's header word before a block can say to which of PF_ZONE_CLOSURES closures the
 * block belongs (closure_cache.h): an access to the block loads that cache line of marks anyway.
 * malloc resets the mark to PF_ZONE_HEAP. */
#define PF_ZONE_CLOSURES 8u
static inline bool pf_red_zone_is_header(uint8_t mark)
{
    return mark == PF_ZONE_HEAP || (mark & -PF_ZONE_CLOSURES) == PF_ZONE_CLOSURE;
}
static inline void pf_red_zone_set_closure(uintptr_t addr, uint8_t zone)
{
    uint8_t *before = pf_red_zone_marks(addr) - 1;
    if (!(addr & 7) && pf_red_zone_is_header(*before))
        *before = zone;
}
/* True if a block that belongs to the closure, and was not freed, begins at addr. */
static inline bool pf_red_zone_in_closure(uintptr_t addr, uint8_t zone)
{
    const uint8_t *mark = pf_red_zone_marks(addr);
    return !(addr & 7) && mark[-1] == zone && mark[0] < 8;
}

/* The first byte of [addr, addr + size) that must not be accessed; 0 if there is none. */
uintptr_t pf_red_zone_find(uintptr_t addr, size_t size);

/* Puts a freed block into quarantine, and calls `release` for the blocks that leave it. */
void pf_red_zone_quarantine(void *block, size_t size, void (*release)(void *));
/* Takes a block out of quarantine; returns its size, 0 if it is not there. O(blocks). */
size_t pf_red_zone_take(const void *block);

#endif
