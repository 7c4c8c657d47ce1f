/*
 * Heap blocks. The record of a block is found through the block plane at its first address; a
 * report finds the block of any address by looking backwards from it. A freed block keeps its
 * record, so that a report can say what the memory was, until the memory is handed out again.
 */
#include "access.h"
#include "hb.h"
#include "listen.h"
#include "own.h"
#include "rt.h"
#include "spin.h"
#include "sys.h"

#define SHARDS 16
#define RECORDS_MAX (1u << 28)
#define SWEEP_MAX (64u << 10) /* blocks up to this size drop old records inside them */
#define LARGE (256u << 10) /* of blocks from here on libc may give the memory back to the system */
#define LEFT_MAX 64 /* such blocks, freed, that are looked at again */
#define LEFT_BYTES (8u << 20) /* as soon as they are so much together */
#define LARGE_MAX 8192 /* larger ones that are remembered apart */
#define FIND_PAGES (1u << 18) /* how far back a report looks: 4 GB */

struct record {
    uintptr_t addr;
    uint64_t size : 63, freed : 1;
    uint32_t where, thread;
};

static struct record *records;
/* While pf_rt.events: who freed each, and where. */
static struct {
    uint32_t where, thread;
} *ends;
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
/* Blocks above SWEEP_MAX, for pf_block_holding; stale entries are told by their record. */
static uint32_t large[LARGE_MAX], nlarge;
PF_OWN(large);

static void remember_large(uint32_t r)
{
    uint32_t n = __atomic_load_n(&nlarge, __ATOMIC_RELAXED), to = n;
    for (uint32_t i = 0; i < n && i < LARGE_MAX; i++) {
        const struct record *old = &records[large[i]];
        if (large[i] == r)
            return;
        if (old->freed || old->size <= SWEEP_MAX)
            to = i;
    }
    if (to < LARGE_MAX)
        large[to] = r;
    if (to == n)
        __atomic_store_n(&nlarge, n + 1, __ATOMIC_RELAXED); /* above LARGE_MAX: some are missing */
}

void pf_block_init(void)
{
    records = pf_sys_map(NULL, sizeof *records * RECORDS_MAX);
    if (pf_rt.events)
        ends = pf_sys_map(NULL, sizeof *ends * RECORDS_MAX);
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
        if (pf_rt.events && size > SWEEP_MAX)
            remember_large(r);
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
    uint32_t r = *plane((uintptr_t)addr);
    if (!r || records[r].freed || records[r].addr != (uintptr_t)addr)
        return;
    pf_tell(t, PF_EV_FREE, addr, records[r].size ? records[r].size : 1);
    if (!pf_rt.events) { /* else the trace says that it was freed */
        if (records[r].size < LARGE)
            pf_access_write(t, addr, records[r].size, where);
        else
            free_large(t, addr, records[r].size, where);
    }
    records[r].freed = 1;
    if (ends) {
        ends[r].where = where;
        ends[r].thread = t->number;
    }
}

bool pf_block_end(uintptr_t addr, uint32_t *where, uint32_t *thread)
{
    uint32_t r = *plane(addr);
    if (!r || !ends || !records[r].freed || records[r].addr != addr)
        return false;
    *where = ends[r].where;
    *thread = ends[r].thread;
    return true;
}

size_t pf_block_size(const void *addr)
{
    uint32_t r = *plane((uintptr_t)addr);
    return r && !records[r].freed && records[r].addr == (uintptr_t)addr ? records[r].size : 0;
}

static bool holds(uint32_t r, uintptr_t a, struct pf_block *out)
{
    const struct record *b = &records[r];
    if (b->freed || a - b->addr >= b->size)
        return false;
    *out = (struct pf_block){b->addr, b->size, b->where, b->thread, false};
    return true;
}

bool pf_block_large(uintptr_t a, struct pf_block *out)
{
    if (nlarge > LARGE_MAX)
        return pf_block_find((void *)a, out) && !out->freed;
    for (uint32_t i = 0; i < nlarge; i++)
        if (holds(large[i], a, out))
            return true;
    return false;
}

bool pf_block_holding(uintptr_t a, struct pf_block *out)
{
    if (pf_block_large(a, out))
        return true;
    uint32_t *p = plane(a), *first = (uint32_t *)PF_BLOCK_PLANE;
    for (unsigned i = 0; i <= SWEEP_MAX / 16 && p >= first; i++, p--)
        if (*p)
            return holds(*p, a, out);
    return false;
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
