/*
 * Heap blocks. The record of a block is found through the block plane at its first address; a
 * report finds the block of any address by looking backwards from it. A freed block keeps its
 * record, so that a report can say what the memory was, until the memory is handed out again.
 */
#include "access.h"
#include "cell.h"
#include "hb.h"
#include "heapbook.h"
#include "listen.h"
#include "rt.h"
#include "spin.h"
#include "sys.h"

#define SHARDS 16
#define RECORDS_MAX (1u << 28)
#define SWEEP_MAX (64u << 10) /* blocks up to this size drop old records inside them */
#define LARGE (256u << 10) /* of blocks from here on libc may give the memory back to the system */
#define LEFT_MAX 64 /* such blocks, freed, that are looked at again */
#define LEFT_BYTES (8u << 20) /* as soon as they are so much together */
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

/* Large blocks that were freed and whose shadow may be of use to nobody any more. */
struct range {
    uintptr_t addr;
    size_t size;
};
static struct {
    struct pf_spin lock;
    unsigned n;
    size_t bytes; /* freed since they were last looked at */
    struct range at[LEFT_MAX];
} left;
void pf_block_init(void)
{
    if (!pf_rt.events)
        records = pf_sys_map(NULL, sizeof *records * RECORDS_MAX);
}

void pf_block_lock_all(void)
{
    for (int i = 0; i < SHARDS; i++)
        pf_spin_lock(&shards[i].lock);
    pf_spin_lock(&left.lock);
}

void pf_block_unlock_all(void)
{
    pf_spin_unlock(&left.lock);
    for (int i = 0; i < SHARDS; i++)
        pf_spin_unlock(&shards[i].lock);
}

static uint32_t *plane(uintptr_t addr)
{
    return (uint32_t *)(PF_BLOCK_PLANE + ((addr & ((1ull << PF_APP_BITS) - 1)) >> 4) * 4);
}

void pf_block_coming(const void *addr)
{
    uint64_t *cell = pf_cell_of((uintptr_t)addr);
    __builtin_prefetch(plane((uintptr_t)addr), 1);
    __builtin_prefetch(cell, 1);
    __builtin_prefetch(cell + 7, 1);
    __builtin_prefetch(pf_cell_more_used(cell));
}

void pf_block_ending(const void *addr) { __builtin_prefetch(&records[*plane((uintptr_t)addr)], 1); }

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
    if (pf_rt.events) {
        pf_heapbook_new(a, size, kept, where, t->number);
        pf_tell(t, PF_EV_ALLOC, addr, size ? size : 1);
        return;
    }
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
    pf_tell(t, PF_EV_ALLOC, addr, size ? size : 1);
    if (kept < size)
        pf_memory_new((char *)addr + kept, size - kept);
}

void pf_block_new(struct pf_thread *t, void *addr, size_t size, uint32_t where)
{
    pf_block_again(t, addr, size, 0, where);
}

/* Adds a range, unless there is no room: then its shadow stays, that is all. */
static void leave(struct range new)
{
    pf_spin_lock(&left.lock);
    if (left.n < LEFT_MAX)
        left.at[left.n++] = new;
    pf_spin_unlock(&left.lock);
}

/*
 * libc gives large blocks back to the system by itself, some time after they were freed. Then their
 * statements have no memory to be about: like those of memory that the program unmaps they go. Of
 * a block that is still there they stay, so that a use after the free is seen.
 */
static void look_again(void)
{
    struct range all[LEFT_MAX];
    pf_spin_lock(&left.lock);
    unsigned n = left.n;
    for (unsigned i = 0; i < n; i++)
        all[i] = left.at[i];
    left.n = 0;
    left.bytes = 0;
    pf_spin_unlock(&left.lock);
    for (unsigned i = 0; i < n; i++) {
        const struct record *r = &records[*plane(all[i].addr)];
        bool same = r->addr == all[i].addr && r->size == all[i].size && r->freed;
        if (same && !pf_memory_returned((void *)all[i].addr, all[i].size))
            leave(all[i]);
    }
}

static void free_large(struct pf_thread *t, void *addr, size_t size, uint32_t where)
{
    pf_memory_end(t, addr, size, where);
    if (pf_rt.careful)
        return; /* nothing may be lost, or the oracle is to know */
    pf_spin_lock(&left.lock);
    left.bytes += size;
    bool much = left.bytes >= LEFT_BYTES;
    pf_spin_unlock(&left.lock);
    if (much)
        look_again();
    leave((struct range){(uintptr_t)addr, size});
}

void pf_block_free(struct pf_thread *t, void *addr, uint32_t where)
{
    size_t size;
    if (pf_rt.events) { /* the trace says that it was freed */
        if (pf_heapbook_free((uintptr_t)addr, where, t->number, &size))
            pf_tell(t, PF_EV_FREE, addr, size ? size : 1);
        return;
    }
    uint32_t r = *plane((uintptr_t)addr);
    if (!r || records[r].freed || records[r].addr != (uintptr_t)addr)
        return;
    pf_tell(t, PF_EV_FREE, addr, records[r].size ? records[r].size : 1);
    if (records[r].size < LARGE)
        pf_access_write(t, addr, records[r].size, where);
    else
        free_large(t, addr, records[r].size, where);
    records[r].freed = 1;
}

size_t pf_block_size(const void *addr)
{
    if (pf_rt.events)
        return pf_heapbook_size((uintptr_t)addr);
    uint32_t r = *plane((uintptr_t)addr);
    return r && !records[r].freed && records[r].addr == (uintptr_t)addr ? records[r].size : 0;
}

bool pf_block_find(const volatile void *addr, struct pf_block *out)
{
    uintptr_t a = (uintptr_t)addr;
    if (pf_rt.events)
        return pf_heapbook_find(a, out);
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
