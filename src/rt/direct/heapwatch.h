/*
 * heapwatch.h - directed mode: which bytes are nobody's, and heap blocks that were freed lately.
 *
 * Model:   one byte for each 8 of the target's memory says which of them may be touched:
 *
 *              0 all, or nothing is known   1..7 the first so many   PF_ZONE_...: none, and why
 *
 *          Only what malloc, free and the compiler told is marked, so memory of other origin is never reported. Every
 *          block is followed by PF_REDZONE bytes that were asked for in addition, and has its size word
 *          before it. A block that is freed stays with us for a while before libc may hand it out again.
 *          All this is so in every directed run, watched or not: addresses must be the same in all of them.
 * Memory:  the plane of race statements, which directed mode does not use.
 * Threads: the target's one kernel thread.
 *
 * Called from places where vector registers are alive: nothing here touches them.
 */
#ifndef PF_RT_HEAPWATCH_H
#define PF_RT_HEAPWATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_REDZONE 16

enum pf_zone {
    PF_ZONE_FINE = 0,
    PF_ZONE_STACK = 0xf1, /* behind a variable on a stack */
    PF_ZONE_GLOBAL = 0xf9,
    PF_ZONE_AROUND = 0xfa,
    PF_ZONE_FREED = 0xfd
};

/* A block was handed out; was freed; memory changed hands without malloc (mmap, brk). */
void pf_heap_watch_new(uintptr_t addr, size_t size);
void pf_heap_watch_freed(uintptr_t addr, size_t size);
void pf_heap_watch_clear(uintptr_t addr, size_t size);
/* A variable with a zone begins to live (stackwatch.h); addr is a multiple of 8. */
void pf_heap_watch_zone(uintptr_t addr, size_t size, enum pf_zone zone);

enum pf_zone pf_heap_zone(uintptr_t addr);
/* The first byte of [addr, addr + size) that is not to be touched; 0: none. */
uintptr_t pf_heap_watch(uintptr_t addr, size_t size);

/* A freed block is kept; returns one that libc may have now, or NULL. Call again with NULL for more. */
void *pf_heap_delay(void *block, size_t size);

#endif
