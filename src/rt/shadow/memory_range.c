/*
 * memory_range.c - fresh, freed and unmapped memory ranges (runtime_access.h).
 *
 * A range is cleared cell by cell; in larger ranges only the shadow pages that exist are cleared.
 * Returning shadow pages to the system is expensive (each one costs a fault when it is needed
 * again), so it is done only when the memory itself was returned. The granules at both ends are
 * cleared as a whole: if such a granule is shared with other data, that data can lose access
 * records, but no wrong record appears.
 *
 * An allocation is a write of the block that every thread must see before it uses the block. Its
 * record is an atomic write: the first access of the thread itself in the same epoch then replaces
 * it, instead of being redundant, so that reports show the access. As a consequence, an atomic
 * access of another thread does not race with the allocation. In large blocks only the beginning is
 * written.
 */
#include "cell.h"
#include "fast_update.h"
#include "hb.h"
#include "memory_ops.h"
#include "oracle_log.h"
#include "rt.h"
#include "runtime_access.h"
#include "slot.h"
#include "stack.h"
#include "sync.h"
#include "sys.h"

#define HALF (PF_PAGE / 2)       /* bytes of the target per page of shadow */
#define SCAN_SIZE (64u << 10) /* from this size on, find out which shadow pages exist */
#define SCAN_PAGES 256u
#define WRITTEN_MAX (64u << 10) /* of a larger allocation only the start is written */
#define WRITTEN_START 4096u
#define FREED_MAX 1024u /* bytes of a freed block that are marked, from its start */
#define MAPPED_MIN (128u << 10) /* from this size on, libc may unmap a freed block */
#define SMALL 512u /* bytes; up to this size reset_small is tried */

static void clear(uintptr_t from, uintptr_t to)
{
    if (from < to)
        pf_cell_clear(pf_cell_of(from), pf_cell_of(from) + (to - from) / 8 * 2);
}

static void clear_existing(uintptr_t from, uintptr_t to) /* both multiples of HALF */
{
    unsigned char in[SCAN_PAGES];
    while (from < to) {
        uintptr_t n = (to - from) / HALF;
        if (n > SCAN_PAGES)
            n = SCAN_PAGES;
        bool known = pf_sys_mincore(pf_cell_of(from), n * PF_PAGE, in) == 0;
        for (uintptr_t i = 0; i < n; i++, from += HALF)
            if (!known || in[i] & 1)
                clear(from, from + HALF);
    }
}

/* Returns the shadow pages of the range to the system: cells, overflow words, and their states. The
 * bounds are multiples of HALF. */
static void give_back(uintptr_t from, uintptr_t to)
{
    uint64_t *cells = pf_cell_of(from);
    uintptr_t size = (to - from) * 2, states = (uintptr_t)pf_cell_overflow_state(cells);
    uintptr_t first = pf_page_up(states), end = pf_page_down(states + (to - from) / 8);
    pf_sys_discard(cells, size);
    pf_sys_discard(pf_cell_overflow(cells), 2 * size);
    if (first < end)
        pf_sys_discard((void *)first, end - first);
    pf_prefault_forget((uintptr_t)cells, (uintptr_t)cells + size);
}

void pf_memory_write_used(struct pf_thread *t, const volatile void *p, size_t size, uint32_t id)
{
    unsigned char in[SCAN_PAGES];
    uintptr_t addr = (uintptr_t)p, end = addr + size, from = (addr + HALF - 1) & -(uintptr_t)HALF;
    pf_runtime_write(t, p, from - addr, id);
    while (from < end) {
        uintptr_t n = (end - from + HALF - 1) / HALF;
        if (n > SCAN_PAGES)
            n = SCAN_PAGES;
        bool known = pf_sys_mincore(pf_cell_of(from), n * PF_PAGE, in) == 0;
        for (uintptr_t i = 0; i < n; i++, from += HALF)
            if (!known || in[i] & 1)
                pf_runtime_write(t, (void *)from, end - from < HALF ? end - from : HALF, id);
    }
}

/* Clears the range, and returns its shadow pages to the system if it is `gone`. */
static void reset(uintptr_t addr, uintptr_t end, bool gone)
{
    uintptr_t from = (addr + HALF - 1) & ~(uintptr_t)(HALF - 1), to = end & ~(uintptr_t)(HALF - 1);
    pf_oracle_begin();
    pf_oracle_event(__pf_tls.thread, "new", addr, end - addr);
    pf_oracle_end();
    pf_hb_forget((void *)addr, end - addr);
    addr &= ~(uintptr_t)7;
    end = (end + 7) & ~(uintptr_t)7;
    if (from >= to || (!gone && end - addr < SCAN_SIZE)) {
        pf_prefault_range(pf_cell_of(addr), (end - addr) * 2);
        clear(addr, end);
        return;
    }
    clear(addr, from);
    clear_existing(from, to);
    if (gone)
        give_back(from, to);
    clear(to, end);
}

/* True if four adjacent cells have no records. */
static inline bool four_are_empty(const uint64_t *cell)
{
    uint32_t states;
    uint64_t any = 0;
    __builtin_memcpy(&states, pf_cell_overflow_state(cell), sizeof states);
    for (unsigned i = 0; i < 8; i++)
        any |= pf_word_get(&cell[i]);
    return !(any | states);
}

/* Removes the sync objects of a few granules, and sets the granules to the record; 0: clears them.
 * Returns false if there may be sets; then the caller must clear them all. */
static inline __attribute__((always_inline)) bool reset_small(uintptr_t addr, uintptr_t end,
                                                              uint64_t record)
{
    uint64_t *cell = pf_cell_of(addr), *to = cell + (((end + 7) & ~7ull) - (addr & ~7ull)) / 4;
    if (pf_rt.oracle)
        return false;
    if ((pf_sync_page_used(addr) || pf_sync_page_used(end - 1)) && !pf_sync_absent_range(addr, end))
        pf_hb_forget((void *)addr, end - addr);
    pf_prefault(cell);
    pf_prefault(to - 1);
    while (!record && to - cell >= 8 && four_are_empty(cell))
        cell += 8;
    for (; cell < to; cell += 2) {
        uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
        if (!(s0 | s1 | record | *pf_cell_overflow_state(cell)))
            continue;
        if (pf_word_is_ref(s1))
            return false;
        pf_word_put(&cell[0], record);
        pf_word_put(&cell[1], record);
        pf_cell_overflow_set_state(cell, 0);
    }
    return true;
}

void pf_shadow_new(const volatile void *p, size_t size)
{
    if (size && !pf_rt.plain &&
        (size > SMALL || !reset_small((uintptr_t)p, (uintptr_t)p + size, 0)))
        reset((uintptr_t)p, (uintptr_t)p + size, false);
}

void pf_shadow_allocated(struct pf_thread *t, const volatile void *p, size_t size, uint32_t where)
{
    uintptr_t addr = (uintptr_t)p, end = addr + size;
    if (!where || addr & 7 || !pf_rt.heap_marks || pf_ignores(t, true) || !pf_stack_watched()) {
        pf_shadow_new(p, size);
        return;
    }
    uint64_t record = pf_access_make(t, 0xff, true, true) | where;
    t->order.dirty = true;
    if (size > SMALL || !reset_small(addr, end, record)) {
        reset(addr, end, false);
        if (size > WRITTEN_MAX)
            end = addr + WRITTEN_START;
        uint64_t *cell = pf_cell_of(addr);
        pf_prefault_range(cell, (end - addr + 7) / 8 * 16);
        for (uint64_t *to = cell + (end - addr + 7) / 8 * 2; cell < to; cell++)
            pf_word_put(cell, record);
    }
    /* The record must not cover the bytes behind the block: no access ever replaces that part, so
     * the record would stay in the cell for ever. */
    if (end & 7) {
        uint64_t *last = pf_cell_of(end), beyond = PF_MASK_ALL << (end & 7) & PF_MASK_ALL;
        pf_word_put(&last[0], record & ~beyond);
        pf_word_put(&last[1], record & ~beyond);
    }
}

/* A record of freed memory; clk and id must fit into their fields. */
static uint64_t freed_record(uint64_t clk, uint64_t id)
{
    return (uint64_t)PF_SID_FREED << PF_SID_SHIFT | clk << PF_CLK_SHIFT | PF_BIT_W | id;
}
static uint64_t freed_by(const struct pf_thread *t)
{
    return t->number < PF_CLK_MAX ? t->number + 1 : PF_CLK_MAX;
}

/*
 * t frees the block, and libc may reuse it at once. The free is checked as a write, and two records
 * replace those of each granule, except in granules with a read set or a spill. They are ordered
 * before no access, so that every later one is reported:
 *
 *      cell[0]: write,        clk: the thread + 1,             id: the site of the free
 *      cell[1]: atomic write, clk: the epoch of the free,      id: its slot
 *
 * When an access is reported, both are read: if the free did not happen before the access, the two
 * race; otherwise it is a use after free.
 */
struct freed_marks {
    uint64_t by, when;
};
/* The overflow states of eight cells. */
typedef uint64_t overflow_states8 __attribute__((aligned(1), may_alias));

/* A granule, or the part of it that the block has, on the slow path. */
static __attribute__((noinline)) void free_granule(struct pf_thread *t, uintptr_t addr, size_t size,
                                                   struct freed_marks m)
{
    uint64_t *cell = pf_cell_of(addr), mask = ((1ull << size) - 1) << PF_MASK_SHIFT;
    pf_check_write(t, (void *)addr, size, pf_access_id(m.by));
    if (pf_word_is_ref(pf_word_get(&cell[1])))
        return;
    pf_word_put(&cell[0], m.by | mask);
    pf_word_put(&cell[1], m.when | mask);
    if (*pf_cell_overflow_state(cell))
        pf_cell_overflow_set_state(cell, 0);
}

/* Frees the leading ones of n granules, 8 at most, whose records are all in the front words and
 * ordered before the free. Returns their number. */
static inline __attribute__((always_inline)) uint64_t free_ordered(const uint32_t *clock,
                                                                   uint64_t *cell, uint64_t n,
                                                                   struct freed_marks m)
{
    uint64_t states = *(const overflow_states8 *)pf_cell_overflow_state(cell), i = 0;
    if (states << (64 - 8 * n))
        return 0;
    for (; i < n; i++, cell += 2) {
        uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]);
        if (!pf_access_ordered(clock, s0) || (s1 != s0 && !pf_access_ordered(clock, s1)))
            break;
        pf_word_put(&cell[0], m.by);
        pf_word_put(&cell[1], m.when);
    }
    return i;
}

void pf_shadow_free(struct pf_thread *t, void *p, size_t size, uint32_t where)
{
    uintptr_t addr = (uintptr_t)p;
    if (!pf_rt.heap_marks || !where || addr & 7 || size >= MAPPED_MIN || pf_ignores(t, true) ||
        !pf_stack_watched()) {
        pf_check_write(t, p, size, where);
        return;
    }
    struct freed_marks m = {freed_record(freed_by(t), where),
                            freed_record(t->order.clk, t->order.sid) | PF_BIT_A};
    struct freed_marks whole = {m.by | PF_MASK_ALL, m.when | PF_MASK_ALL};
    bool slow = pf_rt.slow_path_only | t->check_only;
    uintptr_t end = addr + size, marked = size > FREED_MAX ? addr + FREED_MAX : end;
    t->order.dirty = true; /* the marks have its epoch */
    if (t->order.lockset)
        pf_epoch_keep_lockset(t); /* a report of a use after this free names the locks */
    while (marked - addr >= 8) {
        uint64_t *cell = pf_cell_of(addr), n = (marked - addr) / 8;
        uint64_t done = slow ? 0 : free_ordered(t->order.clock, cell, n < 8 ? n : 8, whole);
        if (!done) {
            free_granule(t, addr, 8, m);
            done = 1;
        }
        addr += 8 * done;
    }
    if (addr < marked)
        free_granule(t, addr, marked - addr, m);
    if (marked < end)
        pf_check_write(t, (void *)marked, end - marked, where);
}

void pf_shadow_not_freed(struct pf_thread *t, uintptr_t addr, size_t size, uint32_t where)
{
    uint64_t record = pf_access_make(t, 0, true, false) | where;
    size = size < FREED_MAX ? size : FREED_MAX;
    for (uint64_t *cell = pf_cell_of(addr), *end = cell + (size + 7) / 8 * 2; cell < end; cell++) {
        uint64_t s = pf_word_get(cell);
        if (pf_access_sid(s) == PF_SID_FREED)
            pf_word_put(cell, record | (s & PF_MASK_ALL));
    }
    t->order.dirty = true;
}

void pf_memory_mark_freed(struct pf_thread *t, const volatile void *p, size_t size, uint32_t where)
{
    uintptr_t addr = (uintptr_t)p, end = addr + size, from = addr & ~(uintptr_t)7;
    uint64_t record = freed_record(freed_by(t), where);
    reset(addr, end, false);
    pf_prefault_range(pf_cell_of(from), (end - from + 7) / 8 * 16);
    for (uintptr_t a = from; a < end; a += 8) {
        uint64_t mask = (a < addr ? 0xffull << (addr - a) : 0xffull) & 0xff;
        mask &= end - a < 8 ? (1ull << (end - a)) - 1 : 0xff;
        uint64_t *cell = pf_cell_of(a);
        pf_word_put(&cell[0], record | mask << PF_MASK_SHIFT);
        pf_word_put(&cell[1], record | mask << PF_MASK_SHIFT);
    }
}

void pf_shadow_unmapped(const volatile void *p, size_t size)
{
    if (size && !pf_rt.plain)
        reset((uintptr_t)p, (uintptr_t)p + size, true);
}

void pf_shadow_module_loaded(uintptr_t lo, uintptr_t hi)
{
    pf_nest();
    if (pf_rt.ready)
        pf_shadow_new((void *)lo, hi - lo);
    pf_unnest();
}

/* Sync objects stay: libc may hand out the range again at this moment, and a sync object created in
 * it must not be lost. Losing an access record is acceptable. */
static void drop(uintptr_t from, uintptr_t to)
{
    clear_existing(from, to);
    give_back(from, to);
}

/* Finds which of the n pages from addr on are in memory; unmapped pages are not. */
static void find_resident(uintptr_t addr, uintptr_t n, unsigned char *in)
{
    if (pf_sys_mincore((void *)addr, n * PF_PAGE, in) == 0)
        return;
    for (uintptr_t i = 0; i < n; i++)
        if (pf_sys_mincore((void *)(addr + i * PF_PAGE), PF_PAGE, &in[i]))
            in[i] = 0;
}

bool pf_memory_drop_returned(const volatile void *p, size_t size)
{
    unsigned char in[SCAN_PAGES];
    uintptr_t from = pf_page_up((uintptr_t)p), to = pf_page_down((uintptr_t)p + size);
    bool all = true;
    while (from < to) {
        uintptr_t n = (to - from) / PF_PAGE < SCAN_PAGES ? (to - from) / PF_PAGE : SCAN_PAGES;
        find_resident(from, n, in);
        for (uintptr_t i = 0, k; i < n; i = k) {
            for (k = i + 1; k < n && (in[k] & 1) == (in[i] & 1); k++)
                ;
            if (in[i] & 1)
                all = false;
            else
                drop(from + i * PF_PAGE, from + k * PF_PAGE);
        }
        from += n * PF_PAGE;
    }
    return all;
}
