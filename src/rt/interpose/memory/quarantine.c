/*
 * quarantine.c - see quarantine.h.
 */
#include "quarantine.h"
#include "options.h"
#include "runtime_access.h"
#include "spin.h"
#include "sys.h"

#define BLOCKS (1u << 18) /* a power of two */

static struct {
    struct pf_spin lock;
    struct pf_freed_block *at; /* a ring */
    uint32_t first, n;
    size_t bytes;
} queue;

void pf_quarantine_lock(void) { pf_spin_lock(&queue.lock); }
void pf_quarantine_unlock(void) { pf_spin_unlock(&queue.lock); }

/* Removes the oldest block if there is no room for a new block of this size. */
static bool take_oldest(size_t size, struct pf_freed_block *out)
{
    size_t limit = (size_t)pf_options.quarantine_size_mb << 20;
    if (!queue.n || (queue.n < BLOCKS && queue.bytes + size <= limit))
        return false;
    *out = queue.at[queue.first];
    queue.first = (queue.first + 1) % BLOCKS;
    queue.n--;
    queue.bytes -= out->size;
    return true;
}

bool pf_quarantine_add(struct pf_thread *t, struct pf_freed_block block, void (*release)(void *))
{
    struct pf_freed_block old;
    pf_spin_lock(&queue.lock);
    if (!queue.at)
        queue.at = pf_sys_map(NULL, BLOCKS * sizeof *queue.at);
    bool fits = queue.at && block.size <= (size_t)pf_options.quarantine_size_mb << 20;
    pf_spin_unlock(&queue.lock);
    if (!fits)
        return false;
    pf_memory_mark_freed(t, block.addr, block.size, block.where);
    pf_spin_lock(&queue.lock);
    while (take_oldest(block.size, &old)) {
        pf_spin_unlock(&queue.lock);
        pf_memory_new(old.addr, old.size);
        release(old.addr);
        pf_spin_lock(&queue.lock);
    }
    queue.at[(queue.first + queue.n++) % BLOCKS] = block;
    queue.bytes += block.size;
    pf_spin_unlock(&queue.lock);
    return true;
}

static bool find(const void *addr, struct pf_freed_block *out, bool take)
{
    uint32_t i = 0;
    pf_spin_lock(&queue.lock);
    while (i < queue.n && queue.at[(queue.first + i) % BLOCKS].addr != addr)
        i++;
    bool found = i < queue.n;
    if (found)
        *out = queue.at[(queue.first + i) % BLOCKS];
    if (found && take) {
        for (queue.n--; i < queue.n; i++)
            queue.at[(queue.first + i) % BLOCKS] = queue.at[(queue.first + i + 1) % BLOCKS];
        queue.bytes -= out->size;
    }
    pf_spin_unlock(&queue.lock);
    return found;
}

bool pf_quarantine_find(const void *addr, struct pf_freed_block *out)
{
    return find(addr, out, false);
}

bool pf_quarantine_take(const void *addr, struct pf_freed_block *out)
{
    return find(addr, out, true);
}
