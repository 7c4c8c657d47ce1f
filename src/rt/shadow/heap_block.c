/*
 * heap_block.c - heap blocks (runtime_access.h).
 *
 * The description of a block is in the block plane at the block's first address, as one word, or as
 * a block record whose number is in that word. A report finds the block of any address by searching
 * the plane backwards. A freed block keeps its word until the memory is allocated again, so that a
 * report can say what the memory was.
 *
 *       63 62 61             38 37          24 23                 0
 *      +--+--+-----------------+--------------+--------------------+
 *      |R |F |      size       |    thread    |  where (site id)   |     F: freed
 *      +--+--+-----------------+--------------+--------------------+
 *       63 62                                31                   0
 *      +--+---------------------------------+---------------------+
 *      |1 |                0                |    block record     |     R: block record
 *      +--+---------------------------------+---------------------+
 *
 * Block records describe blocks that are large, not aligned to 16, or allocated at an unknown site,
 * and blocks of threads with a large number. All other blocks use the word alone, so that freeing a
 * small block needs no other cache line.
 */
#include "cell.h"
#include "hb.h"
#include "listener.h"
#include "memory_ops.h"
#include "resident_page.h"
#include "rt.h"
#include "spin.h"
#include "sys.h"

#define SHARDS 16 /* of the free block records, by thread */
#define RECORDS_MAX (1u << 28) /* block records */
#define SWEEP_MAX (64u << 10) /* new blocks up to this size clear words of old blocks inside */
#define LARGE (256u << 10) /* libc may return freed blocks of at least this size to the system */
#define FREED_LARGE_MAX 64 /* freed large blocks that are checked again */
#define FREED_LARGE_BYTES (8u << 20) /* they are checked after this many freed bytes */
#define FIND_PAGES (1u << 19) /* how far back a report searches: 4 GB */

struct block_record {
    uintptr_t addr;
    uint64_t size : 63, freed : 1;
    uint32_t where, thread;
};

#define SIZE_SHIFT 38
#define SIZE_BITS 24
#define THREAD_SHIFT 24
#define THREAD_BITS 14
#define FREED (1ull << 62)
#define RECORD (1ull << 63)

static struct block_record *records;
static uint32_t nrecords = 1;
static struct {
    struct pf_spin lock;
    uint32_t free; /* list of free block records, linked through `where` */
    char pad[56];
} shards[SHARDS];

/* Large blocks that were freed; their shadow can be dropped once libc returns the memory. */
struct freed_range {
    uintptr_t addr;
    size_t size;
};
static struct {
    struct pf_spin lock;
    unsigned n;
    size_t bytes; /* freed since the last check */
    struct freed_range at[FREED_LARGE_MAX];
} freed_large;

bool pf_heap_block_init(void)
{
    records = pf_sys_map(NULL, sizeof *records * RECORDS_MAX);
    return records;
}

void pf_block_lock_all(void)
{
    for (int i = 0; i < SHARDS; i++)
        pf_spin_lock(&shards[i].lock);
    pf_spin_lock(&freed_large.lock);
}

void pf_block_unlock_all(void)
{
    pf_spin_unlock(&freed_large.lock);
    for (int i = 0; i < SHARDS; i++)
        pf_spin_unlock(&shards[i].lock);
}

/* The word of the block that begins in the 16 bytes at addr. */
static uint64_t *plane(uintptr_t addr)
{
    return (uint64_t *)(PF_BLOCK_PLANE + ((addr & ((1ull << PF_APP_BITS) - 1)) >> 4) * 8);
}

/* Decodes the word of a block that begins in the 16 bytes at `at`; false if there is no block. */
static bool unpack(uint64_t word, uintptr_t at, struct pf_block *out)
{
    if (word & RECORD) {
        const struct block_record *r = &records[(uint32_t)word];
        *out = (struct pf_block){r->addr, r->size, r->where, r->thread, r->freed};
    } else {
        *out = (struct pf_block){at & ~(uintptr_t)15, word >> SIZE_SHIFT & ((1u << SIZE_BITS) - 1),
                                 word & ((1u << PF_ID_BITS) - 1),
                                 word >> THREAD_SHIFT & ((1u << THREAD_BITS) - 1), word & FREED};
    }
    return word;
}

/* Finds the live block that begins at addr. */
static bool find_live(uintptr_t addr, struct pf_block *out)
{
    return unpack(__atomic_load_n(plane(addr), __ATOMIC_ACQUIRE), addr, out) && !out->freed &&
           out->addr == addr;
}

void pf_heap_block_prefetch(const void *addr)
{
    uint64_t *cell = pf_cell_of((uintptr_t)addr);
    pf_prefetch(plane((uintptr_t)addr));
    pf_prefetch(cell);
    pf_prefetch(cell + 7);
    pf_prefetch(pf_cell_overflow_state(cell));
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

static void forget(struct pf_thread *t, uint64_t *word)
{
    if (*word & RECORD)
        give(t, (uint32_t)*word);
    *word = 0;
}

void pf_heap_block_reuse(struct pf_thread *t, void *addr, size_t size, size_t kept, uint32_t where,
                         bool write)
{
    uintptr_t a = (uintptr_t)addr;
    pf_prefault(plane(a));
    uint64_t *p = plane(a), was = *p, word = 0;
    if (size <= SWEEP_MAX)
        for (uint64_t *q = plane(a + kept) + 1; q < plane(a + size); q++)
            if (*q)
                forget(t, q);
    if (where && !(a & 15) && !(size >> SIZE_BITS) && !(t->number >> THREAD_BITS)) {
        word = (uint64_t)size << SIZE_SHIFT | (uint64_t)t->number << THREAD_SHIFT | where;
        if (was & RECORD)
            forget(t, p);
    } else {
        uint32_t r = was & RECORD ? (uint32_t)was : take(t);
        if (r)
            records[r] = (struct block_record){a, size, 0, where, t->number};
        word = r ? RECORD | r : 0;
    }
    __atomic_store_n(p, word, __ATOMIC_RELEASE);
    pf_listener_notify(t, PF_EV_ALLOC, addr, size ? size : 1);
    if (kept < size && write)
        pf_shadow_allocated(t, (char *)addr + kept, size - kept, where);
    else if (kept < size)
        pf_shadow_new((char *)addr + kept, size - kept);
}

/* Remembers a freed range for drop_returned. If the list is full its shadow stays, which is
 * harmless. */
static void remember_freed(struct freed_range new)
{
    pf_spin_lock(&freed_large.lock);
    if (freed_large.n < FREED_LARGE_MAX)
        freed_large.at[freed_large.n++] = new;
    pf_spin_unlock(&freed_large.lock);
}

/* libc returns large blocks to the system by itself, some time after they were freed. Then their
 * access records are dropped, as for memory that the program unmaps. The records of a block that is
 * still mapped stay, so that a use after free is detected. */
static void drop_returned(void)
{
    struct freed_range all[FREED_LARGE_MAX];
    pf_spin_lock(&freed_large.lock);
    unsigned n = freed_large.n;
    for (unsigned i = 0; i < n; i++)
        all[i] = freed_large.at[i];
    freed_large.n = 0;
    freed_large.bytes = 0;
    pf_spin_unlock(&freed_large.lock);
    for (unsigned i = 0; i < n; i++) {
        struct pf_block b;
        bool same = unpack(*plane(all[i].addr), all[i].addr, &b) && b.addr == all[i].addr &&
                    b.size == all[i].size && b.freed;
        if (same && !pf_memory_drop_returned((void *)all[i].addr, all[i].size))
            remember_freed(all[i]);
    }
}

static __attribute__((noinline)) void free_large(struct pf_thread *t, void *addr, size_t size,
                                                 uint32_t where)
{
    pf_memory_write_used(t, addr, size, where);
    if (pf_rt.slow_path_only)
        return; /* strict mode loses no records; the oracle must know of every change */
    pf_spin_lock(&freed_large.lock);
    freed_large.bytes += size;
    bool much = freed_large.bytes >= FREED_LARGE_BYTES;
    pf_spin_unlock(&freed_large.lock);
    if (much)
        drop_returned();
    remember_freed((struct freed_range){(uintptr_t)addr, size});
}

size_t pf_heap_block_free(struct pf_thread *t, void *addr, uint32_t where, bool mark)
{
    struct pf_block b;
    if (!find_live((uintptr_t)addr, &b))
        return 0;
    pf_listener_notify(t, PF_EV_FREE, addr, b.size ? b.size : 1);
    if (b.size >= LARGE)
        free_large(t, addr, b.size, where);
    else if (mark)
        pf_shadow_free(t, addr, b.size, where);
    else
        pf_check_write(t, addr, b.size, where);
    uint64_t *p = plane((uintptr_t)addr);
    if (*p & RECORD)
        records[(uint32_t)*p].freed = 1;
    else
        *p |= FREED;
    return b.size;
}

bool pf_heap_block_free_unwatched(void *addr)
{
    uint64_t *p = plane((uintptr_t)addr), word = __atomic_load_n(p, __ATOMIC_ACQUIRE);
    if (!word || word & (RECORD | FREED) ||
        (word >> SIZE_SHIFT & ((1u << SIZE_BITS) - 1)) >= LARGE || (uintptr_t)addr & 15)
        return false;
    *p = word | FREED;
    return true;
}

size_t pf_heap_block_size(const void *addr)
{
    struct pf_block b;
    return find_live((uintptr_t)addr, &b) ? b.size : 0;
}

bool pf_heap_block_find(const volatile void *addr, struct pf_block *out)
{
    uintptr_t a = (uintptr_t)addr;
    uint64_t *const at = plane(a), *p = at;
    bool found = false;
    unsigned pages = FIND_PAGES;
    for (uint64_t *page;
         (page = (uint64_t *)pf_resident_page(pf_page_down((uintptr_t)p), PF_BLOCK_PLANE, &pages));
         p = page - 1, pages--) {
        uint64_t *last = page + PF_PAGE / sizeof *page - 1;
        for (p = p < last ? p : last; p >= page; p--) {
            struct pf_block b;
            if (!unpack(*p, a - 16 * (uintptr_t)(at - p), &b) ||
                a - b.addr >= (b.size ? b.size : 1) || (found && b.freed))
                continue;
            *out = b;
            found = true;
            if (!b.freed)
                return true;
        }
    }
    return found;
}
