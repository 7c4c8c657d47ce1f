/*
 * Heap blocks. The record of a block is found through the block plane at its first address; a
 * report finds the block of any address by looking backwards from it. A freed block keeps its
 * record, so that a report can say what the memory was, until the memory is handed out again.
 */
#include "access.h"
#include "hb.h"
#include "rt.h"
#include "spin.h"
#include "sys.h"

#define SHARDS 16
#define RECORDS_MAX (1u << 28)
#define SWEEP_MAX (64u << 10) /* blocks up to this size drop old records inside them */
#define FIND_PAGES (1u << 18) /* how far back a report looks: 4 GB */

struct record {
    uintptr_t addr;
    uint64_t size : 63, freed : 1;
    uint32_t where, thread;
};

static struct record *records;
static uint32_t nrecords = 1;
static struct {
    struct pf_spin lock;
    uint32_t free; /* linked through `where` */
    char pad[56];
} shards[SHARDS];

void pf_block_init(void) { records = pf_sys_map(NULL, sizeof *records * RECORDS_MAX); }

void pf_block_lock_all(void)
{
    for (int i = 0; i < SHARDS; i++)
        pf_spin_lock(&shards[i].lock);
}

void pf_block_unlock_all(void)
{
    for (int i = 0; i < SHARDS; i++)
        pf_spin_unlock(&shards[i].lock);
}

static uint32_t *plane(uintptr_t addr)
{
    return (uint32_t *)(PF_BLOCK_PLANE + ((addr & ((1ull << PF_APP_BITS) - 1)) >> 4) * 4);
}

static uint32_t take(struct pf_thread *t)
{
    unsigned s = t->number % SHARDS;
    pf_spin_lock(&shards[s].lock);
    uint32_t r = shards[s].free;
    if (r)
        shards[s].free = records[r].where;
    pf_spin_unlock(&shards[s].lock);
    if (r)
        return r;
    r = __atomic_fetch_add(&nrecords, 1, __ATOMIC_RELAXED);
    return r < RECORDS_MAX ? r : 0;
}

static void give(struct pf_thread *t, uint32_t r)
{
    unsigned s = t->number % SHARDS;
    pf_spin_lock(&shards[s].lock);
    records[r].where = shards[s].free;
    shards[s].free = r;
    pf_spin_unlock(&shards[s].lock);
}

void pf_block_again(struct pf_thread *t, void *addr, size_t size, size_t kept, uint32_t where)
{
    uintptr_t a = (uintptr_t)addr;
    uint32_t *p = plane(a), r = *p ? *p : take(t);
    if (size <= SWEEP_MAX)
        for (uint32_t *q = plane(a + kept) + 1; q < plane(a + size); q++)
            if (*q) {
                give(t, *q);
                *q = 0;
            }
    if (r) {
        records[r] = (struct record){a, size, 0, where, t->number};
        __atomic_store_n(p, r, __ATOMIC_RELEASE);
    }
    if (kept < size)
        pf_memory_new((char *)addr + kept, size - kept);
}

void pf_block_new(struct pf_thread *t, void *addr, size_t size, uint32_t where)
{
    pf_block_again(t, addr, size, 0, where);
}

void pf_block_free(struct pf_thread *t, void *addr, uint32_t where)
{
    uint32_t r = *plane((uintptr_t)addr);
    if (!r || records[r].freed || records[r].addr != (uintptr_t)addr)
        return;
    pf_access_write(t, addr, records[r].size, where);
    records[r].freed = 1;
}

size_t pf_block_size(const void *addr)
{
    uint32_t r = *plane((uintptr_t)addr);
    return r && !records[r].freed && records[r].addr == (uintptr_t)addr ? records[r].size : 0;
}

bool pf_block_find(const volatile void *addr, struct pf_block *out)
{
    uintptr_t a = (uintptr_t)addr;
    uint32_t *p = plane(a);
    bool found = false;
    for (unsigned pages = 0; pages < FIND_PAGES && (uintptr_t)p >= PF_BLOCK_PLANE; pages++) {
        uint32_t *page = (uint32_t *)((uintptr_t)p & ~4095ull);
        unsigned char in = 0;
        if (pf_sys_mincore(page, 4096, &in) == 0 && in & 1)
            for (; p >= page; p--) {
                struct record *r = &records[*p];
                if (!*p || a - r->addr >= (r->size ? r->size : 1) || (found && r->freed))
                    continue;
                *out = (struct pf_block){r->addr, r->size, r->where, r->thread, r->freed};
                found = true;
                if (!r->freed)
                    return true;
            }
        p = page - 1;
    }
    return found;
}
