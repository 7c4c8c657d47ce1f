/*
 * memory_ops.c - see memory_ops.h.
 */
#include "memory_ops.h"

struct pf_memory_ops pf_memory_ops = {
    .read = pf_check_read,
    .write = pf_check_write,
    .atomic_begin = pf_atomic_begin_checked,
    .fence = pf_fence_checked,
    .memory_new = pf_shadow_new,
    .memory_allocated = pf_shadow_allocated,
    .memory_unmapped = pf_shadow_unmapped,
    .block_init = pf_heap_block_init,
    .block_prefetch = pf_heap_block_prefetch,
    .block_reuse = pf_heap_block_reuse,
    .block_free = pf_heap_block_free,
    .block_find = pf_heap_block_find,
    .block_size = pf_heap_block_size,
};
