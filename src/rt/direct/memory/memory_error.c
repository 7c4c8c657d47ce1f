/*
 * memory_error.c - see memory_error.h.
 */
#include "memory_error.h"
#include "block_history.h"
#include "check.h"
#include "module.h"
#include "reporter.h"
#include "rt.h"
#include "stack.h"
#include "stack_variables.h"
#include "stream_ring.h"
#include "thread.h"

#define SEEN 1024u /* entries; a replaced id may be reported again */
static uint32_t seen[SEEN]; /* reported ids, by their hash */
_Static_assert(SEEN == 1u << (32 - 22), "the shift gives an index");

static bool is_new(uint32_t id)
{
    uint32_t *slot = &seen[id * 0x9e3779b9u >> 22];
    bool new = *slot != id || !id;
    *slot = id;
    return new;
}

static void found_saved(void *arg) { pf_bad_access_found(arg); }

/* Finds the block that the byte is just after, or just before. */
static void find_around(struct pf_bad_access *e)
{
    for (uintptr_t d = 1; d <= PF_RED_ZONE_SIZE + 8; d++)
        if (pf_block_find((void *)(e->byte - d), &e->block) && !e->block.freed)
            return;
    if (!pf_block_find((void *)((e->byte & -8ul) + 8), &e->block) || e->block.freed)
        e->block = (struct pf_block){0};
}

/* Finds the variable that the byte is just after; false if no live variable is. */
static bool find_variable(struct pf_bad_access *e, enum pf_zone zone)
{
    struct pf_stack_variable o;
    struct pf_thread *whose;
    if (zone == PF_ZONE_GLOBAL) {
        e->kind = PF_BAD_ACCESS_GLOBAL;
        for (uintptr_t d = 1; d <= PF_RED_ZONE(1) + 8; d++)
            if (pf_global_find(e->byte - d, &e->object))
                return e->object.has_red_zone &&
                       e->byte < e->object.addr + e->object.size + PF_RED_ZONE(e->object.size);
        return false;
    }
    if (!pf_stack_variable_find(e->byte, &o, &whose))
        return false;
    pf_bad_access_set_variable(e, PF_BAD_ACCESS_STACK, o.func, o.site, o.addr, o.size);
    e->owner = whose->number;
    return true;
}

void pf_memory_outside_variable(uintptr_t addr, uint32_t site, uint64_t size, uintptr_t base,
                                uint64_t limit)
{
    struct pf_thread *t = pf_self();
    const struct pf_func *f = __pf_tls.frame[-1].func;
    if (!t || !pf_stack_watched())
        return;
    bool write = pf_func_site(f, site)->kind == PF_SITE_WRITE;
    if (pf_ignores(t, write))
        return;
    pf_nest();
    struct pf_bad_access e = {.t = t,
                              .id = pf_stack_id(t, site),
                              .addr = addr,
                              .size = size,
                              .byte = addr < base || addr >= base + limit ? addr : base + limit,
                              .write = write,
                              .owner = t->number};
    if (is_new(e.id)) {
        if (pf_global_find(base, &e.object) && e.object.addr == base) {
            e.kind = PF_BAD_ACCESS_GLOBAL;
        } else {
            pf_bad_access_set_variable(&e, PF_BAD_ACCESS_STACK, f, site, base, limit);
            e.object.line = pf_site_scope(pf_func_site(f, site))->begins;
            if (base < t->stack_lo || base >= t->stack_hi) /* for example a constant */
                e.kind = PF_BAD_ACCESS_GLOBAL;
        }
        pf_call_saving_vectors(found_saved, &e);
    }
    pf_unnest();
}

void pf_memory_error(uintptr_t addr, size_t size, bool write, uint32_t id, uint32_t site)
{
    struct pf_thread *t = __pf_tls.thread;
    if (!pf_directed()) /* in a child process blocks are no longer marked */
        return;
    if (!t || pf_ignores(t, write) || !pf_stack_watched())
        return;
    pf_nest();
    struct pf_bad_access e = {.t = t,
                              .kind = PF_BAD_ACCESS_OVERFLOW,
                              .id = id ? id : pf_stack_id(t, site),
                              .addr = addr,
                              .size = size,
                              .byte = pf_red_zone_find(addr, size),
                              .write = write};
    enum pf_zone zone = pf_red_zone_kind(e.byte);
    bool variable = zone == PF_ZONE_STACK || zone == PF_ZONE_GLOBAL;
    if ((!variable || find_variable(&e, zone)) && is_new(e.id)) {
        if (zone == PF_ZONE_FREED && pf_block_find((void *)e.byte, &e.block) &&
            pf_block_freed_by(e.block.addr, &e.freed_at, &e.freed_by))
            e.kind = PF_BAD_ACCESS_AFTER_FREE;
        else if (!variable)
            find_around(&e);
        pf_call_saving_vectors(found_saved, &e);
    }
    pf_unnest();
}

void pf_memory_double_free(uintptr_t block, uint32_t id)
{
    struct pf_bad_access e = {.t = __pf_tls.thread,
                              .kind = PF_BAD_ACCESS_FREED_TWICE,
                              .id = id,
                              .addr = block,
                              .byte = block};
    if (is_new(id) && pf_block_find((void *)block, &e.block) &&
        pf_block_freed_by(block, &e.freed_at, &e.freed_by)) {
        e.size = e.block.size;
        pf_bad_access_found(&e);
    }
}
