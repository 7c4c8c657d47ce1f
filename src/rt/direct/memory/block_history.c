/*
 * block_history.c - see block_history.h. A block is found from its first byte without a search;
 * from an inner byte by walking back over the cells.
 */
#include "block_history.h"
#include "listener.h"
#include "pf_shadow.h"
#include "red_zone.h"
#include "resident_page.h"
#include "stack.h"
#include "sys.h"

/* blocks up to this size clear the cells of older blocks inside them */
#define SWEEP_MAX (64u << 10)
#define LARGE_MAX 8192        /* number of larger blocks that are also kept in a list */
#define FIND_PAGES (1u << 19) /* how far back a report searches: 4 GB */
#define PER_CELL 32u

#define SIZE_LARGEST ((1ull << 36) - 1)
#define NUMBER_LARGEST ((1u << 20) - 1)

struct cell {
    uint64_t begin, end;
};

/* Blocks larger than SWEEP_MAX, for pf_block_find_large. An entry is stale if its cell no longer
 * describes such a block. */
static uintptr_t large[LARGE_MAX];
static uint32_t nlarge;

static struct cell *cell_of(uintptr_t addr)
{
    return (struct cell *)PF_OVERFLOW_BASE + (addr & ((1ull << PF_APP_BITS) - 1)) / PER_CELL;
}

void pf_block_history_prefetch(const void *addr)
{
    pf_prefetch(cell_of((uintptr_t)addr));
    pf_prefetch(pf_red_zone_marks((uintptr_t)addr));
}

static uint64_t low_of(uintptr_t addr) { return 1 + (addr / 8 & 3); }
static bool begins(const struct cell *c, uintptr_t addr)
{
    return (c->begin >> 1 & 7) == low_of(addr);
}
static bool is_freed(const struct cell *c) { return c->begin & 1; }
static size_t size_of(const struct cell *c) { return c->begin >> 4 & SIZE_LARGEST; }
static uint64_t number(uint32_t n) { return n < NUMBER_LARGEST ? n : NUMBER_LARGEST; }

/* base: the address of the 32 bytes that c describes. */
static struct pf_block block(const struct cell *c, uintptr_t base)
{
    return (struct pf_block){.addr = base + 8 * ((c->begin >> 1 & 7) - 1),
                             .size = size_of(c),
                             .where = (uint32_t)(c->begin >> 40),
                             .thread = (uint32_t)(c->end >> 20) & NUMBER_LARGEST,
                             .freed = is_freed(c)};
}

static void remember_large(uintptr_t addr)
{
    uint32_t to = nlarge;
    for (uint32_t i = 0; i < nlarge && i < LARGE_MAX; i++) {
        const struct cell *old = cell_of(large[i]);
        if (large[i] == addr)
            return;
        if (!begins(old, large[i]) || is_freed(old) || size_of(old) <= SWEEP_MAX)
            to = i;
    }
    if (to < LARGE_MAX)
        large[to] = addr;
    if (to == nlarge)
        nlarge++; /* greater than LARGE_MAX: some blocks are not in the list */
}

/* Removes the blocks that began in [from, to). A block can begin only where the marks of 64 bytes
 * are not uniform, or after a header word. */
static void sweep(uintptr_t from, uintptr_t to)
{
    bool after_header = true; /* the preceding word may be a header */
    for (uintptr_t a = from & -64ul; a < to; a += 64) {
        uint64_t marks = *(const uint64_t *)(const void *)pf_red_zone_marks(a);
        bool uniform = !marks || marks == PF_ZONE_FREED * 0x0101010101010101ull;
        for (uintptr_t base = a; (!uniform || after_header) && base < a + 64; base += PER_CELL) {
            struct cell *c = cell_of(base);
            uintptr_t addr = block(c, base).addr;
            if (c->begin && addr >= from && addr < to)
                c->begin = 0;
        }
        after_header = pf_red_zone_is_header((uint8_t)(marks >> 56));
    }
}

void pf_block_history_reuse(struct pf_thread *t, void *p, size_t size, size_t kept, uint32_t where,
                            bool write)
{
    uintptr_t addr = (uintptr_t)p;
    struct cell *c = cell_of(addr);
    if (size > PER_CELL && size <= SWEEP_MAX && kept < size)
        sweep(addr + (kept ? kept : 1), addr + size);
    c->begin = (uint64_t)where << 40 | (size < SIZE_LARGEST ? size : SIZE_LARGEST) << 4 |
               low_of(addr) << 1;
    c->end = number(t->number) << 20;
    if (size > SWEEP_MAX)
        remember_large(addr);
    t->direct.creates = write && where && !pf_ignores(t, true) && pf_stack_watched();
    pf_listener_notify(t, PF_EV_ALLOC, p, size ? size : 1);
}

size_t pf_block_history_free(struct pf_thread *t, void *addr, uint32_t where, bool mark)
{
    (void)mark; /* red zones mark it */
    struct cell *c = cell_of((uintptr_t)addr);
    if (!begins(c, (uintptr_t)addr) || is_freed(c))
        return 0;
    c->begin |= 1;
    c->end |= (uint64_t)where << 40 | number(t->number);
    pf_listener_notify(t, PF_EV_FREE, addr, size_of(c) ? size_of(c) : 1);
    return size_of(c);
}

size_t pf_block_history_size(const void *addr)
{
    const struct cell *c = cell_of((uintptr_t)addr);
    return begins(c, (uintptr_t)addr) && !is_freed(c) ? size_of(c) : 0;
}

bool pf_block_freed_by(uintptr_t addr, uint32_t *where, uint32_t *thread)
{
    const struct cell *c = cell_of(addr);
    if (!begins(c, addr) || !is_freed(c))
        return false;
    *where = (uint32_t)(c->end >> 40);
    *thread = (uint32_t)c->end & NUMBER_LARGEST;
    return true;
}

static bool holds(const struct cell *c, uintptr_t base, uintptr_t a, struct pf_block *out)
{
    struct pf_block b = block(c, base);
    if (!c->begin || b.freed || a - b.addr >= b.size)
        return false;
    *out = b;
    return true;
}

bool pf_block_find_large(uintptr_t a, struct pf_block *out)
{
    if (nlarge > LARGE_MAX)
        return pf_block_history_find((const void *)a, out) && !out->freed;
    for (uint32_t i = 0; i < nlarge; i++)
        if (holds(cell_of(large[i]), large[i] & -(uintptr_t)PER_CELL, a, out))
            return true;
    return false;
}

bool pf_block_find_live(uintptr_t a, struct pf_block *out)
{
    if (pf_block_find_large(a, out))
        return true;
    const struct cell *c = cell_of(a), *first = (struct cell *)PF_OVERFLOW_BASE;
    uintptr_t base = a & -(uintptr_t)PER_CELL;
    for (unsigned i = 0; i <= SWEEP_MAX / PER_CELL && c >= first; i++, c--, base -= PER_CELL)
        if (c->begin && block(c, base).addr <= a)
            return holds(c, base, a, out);
    return false;
}

bool pf_block_history_find(const volatile void *addr, struct pf_block *out)
{
    uintptr_t a = (uintptr_t)addr;
    const struct cell *const at = cell_of(a), *c = at;
    bool found = false;
    unsigned pages = FIND_PAGES;
    for (const struct cell *page; (page = (const struct cell *)pf_resident_page(
                                       pf_page_down((uintptr_t)c), PF_OVERFLOW_BASE, &pages));
         c = page - 1, pages--) {
        const struct cell *last = page + PF_PAGE / sizeof *page - 1;
        for (c = c < last ? c : last; c >= page; c--) {
            struct pf_block b =
                block(c, (a & -(uintptr_t)PER_CELL) - PER_CELL * (uintptr_t)(at - c));
            if (!c->begin || a - b.addr >= (b.size ? b.size : 1) || (found && b.freed))
                continue;
            *out = b;
            found = true;
            if (!b.freed)
                return true;
        }
    }
    return found;
}
