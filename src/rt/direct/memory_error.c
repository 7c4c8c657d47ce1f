#include "memory_error.h"
#include "log.h"
#include "race.h"
#include "rt.h"
#include "stack.h"
#include "thread.h"

#define SEEN 1024u
static uint32_t seen[SEEN]; /* ids that were told, by their hash */

static bool is_new(uint32_t id)
{
    uint32_t *slot = &seen[id * 0x9e3779b9u >> 22];
    bool new = *slot != id || !id;
    *slot = id;
    return new;
}

static void found_saved(void *arg) { pf_error_found(arg); }

/* The block at whose end, or before whose beginning, the byte is. */
static void find_around(struct pf_error_seen *e)
{
    for (uintptr_t d = 1; d <= PF_REDZONE + 8; d++)
        if (pf_block_find((void *)(e->byte - d), &e->block) && !e->block.freed)
            return;
    if (!pf_block_find((void *)((e->byte & -8ul) + 8), &e->block) || e->block.freed)
        e->block = (struct pf_block){0};
}

void pf_memory_error(uintptr_t addr, size_t size, bool write, uint32_t id, uint32_t site)
{
    struct pf_thread *t = __pf_tls.thread;
    if (!t || pf_ignores(t, write) || !pf_stack_watched())
        return;
    pf_nest();
    struct pf_error_seen e = {.t = t,
                              .kind = PF_ERROR_OVERFLOW,
                              .id = id ? id : pf_stack_id(t, site),
                              .addr = addr,
                              .size = size,
                              .byte = pf_heap_watch(addr, size),
                              .write = write};
    if (is_new(e.id)) {
        if (pf_heap_zone(e.byte) == PF_ZONE_FREED && pf_block_find((void *)e.byte, &e.block) &&
            pf_block_end(e.block.addr, &e.freed_at, &e.freed_by))
            e.kind = PF_ERROR_AFTER_FREE;
        else
            find_around(&e);
        pf_call_saved(found_saved, &e);
    }
    pf_unnest();
}

void pf_memory_freed_twice(uintptr_t block, uint32_t id)
{
    struct pf_error_seen e = {
        .t = __pf_tls.thread, .kind = PF_ERROR_FREED_TWICE, .id = id, .addr = block, .byte = block};
    if (is_new(id) && pf_block_find((void *)block, &e.block) &&
        pf_block_end(block, &e.freed_at, &e.freed_by)) {
        e.size = e.block.size;
        pf_error_found(&e);
    }
}
