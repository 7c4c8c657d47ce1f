/*
 * red_zone.h - directed mode: which bytes are nobody's, and heap blocks that were freed lately.
 *
 * Model:   one byte for each 8 of the target's memory says which of them may be touched:
 *
 *              0 all, or nothing is known   1..7 the first so many   PF_ZONE_...: none, and why
 *
 *          Only what malloc, free and the compiler told is marked, so memory of other origin is never reported. Every
 *          block has libc's word before it and at least 8 bytes behind it that are nobody's: of a small one what libc
 *          rounds up and the word of the next, of others PF_REDZONE bytes that were asked for in addition. (A list
 *          or a tree of small blocks that are half as large again leaves the cache: no room is added to these.)
 *          A block that is freed stays with us for a while before libc may hand it out again.
 *          All this is so in every directed run, watched or not: addresses must be the same in all of them.
 * Memory:  the plane of race statements, which directed mode does not use.
 * Threads: the target's one kernel thread.
 *
 * Called from places where vector registers are alive: nothing here touches them.
 */
#ifndef PF_RT_HEAPWATCH_H
#define PF_RT_HEAPWATCH_H

#include "pf_shadow.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_REDZONE 16
#define PF_HEAP_SMALL 256 /* blocks up to here are asked for as they are */

/* Bytes to ask libc for. */
static inline size_t pf_heap_padded(size_t size)
{
    return size <= PF_HEAP_SMALL || size > SIZE_MAX - PF_REDZONE ? size : size + PF_REDZONE;
}
/* Bytes up to the end of what is nobody's behind a block: a small one and libc's word are 32 bytes, or another
 * multiple of 16. */
static inline size_t pf_heap_extent(size_t size)
{
    size_t chunk = (size + 8 + 15) & -16ul;
    return size > PF_HEAP_SMALL ? (size + PF_REDZONE) & -8ul : chunk < 32 ? 32 : chunk;
}

enum pf_zone {
    PF_ZONE_FINE = 0,
    PF_ZONE_KEPT = 0xe0, /* + number: as AROUND, see pf_heap_keep */
    PF_ZONE_STACK = 0xf1, /* behind a variable on a stack */
    PF_ZONE_GLOBAL = 0xf9,
    PF_ZONE_AROUND = 0xfa,
    PF_ZONE_FREED = 0xfd
};

/* A block was handed out, with what is nobody's `extent` bytes from its beginning (pf_heap_extent); was freed;
 * memory changed hands without malloc (mmap, brk). */
void pf_heap_watch_new(uintptr_t addr, size_t size, size_t extent);
void pf_heap_watch_freed(uintptr_t addr, size_t size);
void pf_heap_watch_clear(uintptr_t addr, size_t size);
/* A variable with a zone begins to live (stack_variables.h); addr is a multiple of 8. */
void pf_heap_watch_zone(uintptr_t addr, size_t size, enum pf_zone zone);

static inline uint8_t *pf_heap_marks(uintptr_t addr)
{
    return (uint8_t *)(PF_SHADOW_BASE + ((addr & ((1ull << PF_APP_BITS) - 1)) >> 3));
}
/* Quickly, of a few bytes: are all of them to be touched? False also where that needs a longer look. */
static inline bool pf_heap_fine(uintptr_t addr, size_t size)
{
    uint64_t marks;
    if (size - 1 >= 56)
        return false;
    __builtin_memcpy_inline(&marks, pf_heap_marks(addr), 8);
    marks <<= 64 - 8 * (((addr & 7) + size + 7) / 8);
    /* The end of a block is often in the middle of 8 bytes, and whether it is cannot be predicted: no branch for it. All
     * but the last mark must be 0, and the last one less than 8; less 1, a 0 is more than any place in 8 bytes. */
    uint64_t end = (addr + size - 1) & 7;
    return !(marks & ~(7ull << 56)) & ((marks >> 56) - 1 >= end);
}
enum pf_zone pf_heap_zone(uintptr_t addr);

/* The mark of libc's word before a block can say to which of PF_ZONES_KEPT sets the block belongs (closure_cache.h): whoever accesses the block
 * has that line of the plane already. malloc makes it AROUND again. */
#define PF_ZONES_KEPT 8u
static inline bool pf_heap_is_around(uint8_t mark)
{
    return mark == PF_ZONE_AROUND || (mark & -PF_ZONES_KEPT) == PF_ZONE_KEPT;
}
static inline void pf_heap_keep(uintptr_t addr, uint8_t zone)
{
    uint8_t *before = pf_heap_marks(addr) - 1;
    if (!(addr & 7) && pf_heap_is_around(*before))
        *before = zone;
}
/* Does a block begin there that was not freed, and belongs to the set? */
static inline bool pf_heap_is_kept(uintptr_t addr, uint8_t zone)
{
    const uint8_t *mark = pf_heap_marks(addr);
    return !(addr & 7) && mark[-1] == zone && mark[0] < 8;
}

/* The first byte of [addr, addr + size) that is not to be touched; 0: none. */
uintptr_t pf_heap_watch(uintptr_t addr, size_t size);

/* A freed block is kept for a while; what libc may have now is released. */
void pf_heap_delay(void *block, size_t size, void (*release)(void *));

#endif
