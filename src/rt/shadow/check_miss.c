/*
 * check_miss.c - the second fast path: checks for which neither the inline test nor the cases
 * written in assembler (check_entry.S) were enough.
 *
 * These functions preserve all registers except r11 (clang's preserve_most): they save only the
 * registers they use, and that is cheaper than the stubs of check_entry.S, which save everything
 * before they call the slow path in check.c.
 */
#include "check.h"
#include "range.h"
#include "rt.h"
#include "stack.h"

/* The complete fast update, for cells with overflow words and for the less simple cases. All entry
 * points share one copy of it for each kind, because it is long. */
PF_PRESERVE_MOST static __attribute__((noinline)) bool update_read(const uint32_t *clock,
                                                                   uint64_t *cell, uint64_t mine)
{
    return pf_cell_fast_update_read(clock, cell, mine);
}
PF_PRESERVE_MOST static __attribute__((noinline)) bool update_write(const uint32_t *clock,
                                                                    uint64_t *cell, uint64_t mine)
{
    return pf_cell_fast_update_write(clock, cell, mine);
}

static inline __attribute__((always_inline)) bool update(const uint32_t *clock, uint64_t *cell,
                                                         uint64_t mine, bool write)
{
    return write ? update_write(clock, cell, mine) : update_read(clock, cell, mine);
}

/* An access of `size` bytes. Returns false if it needs the slow path; then a part of a 16-byte
 * access may be done, and doing it again is harmless. */
static inline __attribute__((always_inline)) bool miss(uintptr_t addr, uint32_t site, unsigned size,
                                                       bool write)
{
    const uint32_t *clock = __pf_tls.clock;
    /* an unregistered thread, a pending signal, or a special mode */
    if (__builtin_expect(!clock, 0))
        return false;
    uint32_t id = pf_stack_id_resolved(site); /* check_entry.S has tried the recent contexts */
    if (__builtin_expect(!id, 0))
        return false;
    uint64_t mine = (__pf_tls.key & (PF_BITS_SID | PF_BITS_CLK)) | id | (write ? PF_BIT_W : 0);
    mine |= ((1ull << (size < 8 ? size : 8)) - 1) << (PF_MASK_SHIFT + (size < 8 ? addr & 7 : 0));
    uint64_t *cell = pf_cell_of(addr);
    for (unsigned i = 0; i < size; i += 8, cell += 2)
        if (!update(clock, cell, mine, write))
            return false;
    return true;
}

#define MISS(name, size, write)                                                                    \
    PF_PRESERVE_MOST void name##_full(uintptr_t addr, uint32_t site);                              \
    PF_PRESERVE_MOST void pf_stub_##name(uintptr_t addr, uint32_t site);                           \
    void name##_full(uintptr_t addr, uint32_t site)                                                \
    {                                                                                              \
        if (!miss(addr, site, size, write))                                                        \
            pf_stub_##name(addr, site);                                                            \
    }

MISS(__pf_read1, 1, false)
MISS(__pf_read2, 2, false)
MISS(__pf_read4, 4, false)
MISS(__pf_read8, 8, false)
MISS(__pf_read16, 16, false)
MISS(__pf_write1, 1, true)
MISS(__pf_write2, 2, true)
MISS(__pf_write4, 4, true)
MISS(__pf_write8, 8, true)
MISS(__pf_write16, 16, true)

/* Ranges up to this size are often loops over a few bytes, or strings. */
#define SHORT 64

/* True if records of this epoch cover the range, which has at most SHORT bytes. For reads, a
 * granule whose cell[1] is the thread's current read set counts as covered, too. False for longer
 * ranges. */
static inline __attribute__((always_inline)) bool is_covered(uintptr_t addr, uint64_t size,
                                                             bool write)
{
    if (size - 1 >= SHORT)
        return !size;
    const uint64_t *cell = pf_cell_of(addr) + !write;
    /* 1: a value that no word of a cell has */
    uint64_t key = __pf_tls.key, shared = write ? 1 : __pf_tls.read_set;
    uint64_t same = PF_BITS_SID | PF_BITS_CLK | PF_BIT_A | (write ? PF_BIT_W : 0);
    uint64_t mask = PF_MASK_ALL << (addr & 7);
    for (uint64_t end = (addr & 7) + size;; end -= 8, cell += 2, mask = PF_MASK_ALL) {
        if (end < 8)
            mask &= ~(~0ull << (PF_MASK_SHIFT + end));
        uint64_t s = pf_word_get(cell);
        if (((s ^ key) & (same | mask)) && s != shared)
            return false;
        if (end <= 8)
            return true;
    }
}

/* The same for a range within one granule. */
static inline __attribute__((always_inline)) bool is_part_covered(uintptr_t addr, uint64_t size,
                                                                  bool write)
{
    uint64_t s = pf_word_get(pf_cell_of(addr) + !write);
    uint64_t same = PF_BITS_SID | PF_BITS_CLK | PF_BIT_A | (write ? PF_BIT_W : 0);
    uint64_t mask = ((1ull << size) - 1) << (PF_MASK_SHIFT + (addr & 7));
    return !((s ^ __pf_tls.key) & (same | mask)) || (!write && s == __pf_tls.read_set);
}

/* The same for an unaligned access of at most eight bytes in two granules. */
static inline __attribute__((always_inline)) bool is_pair_covered(uintptr_t addr, uint64_t size,
                                                                  bool write)
{
    const uint64_t *cell = pf_cell_of(addr) + !write;
    uint64_t key = __pf_tls.key, s = pf_word_get(cell), next = pf_word_get(cell + 2);
    uint64_t same = PF_BITS_SID | PF_BITS_CLK | PF_BIT_A | (write ? PF_BIT_W : 0);
    uint64_t mask = PF_MASK_ALL << (addr & 7);
    uint64_t rest = ~(~0ull << (PF_MASK_SHIFT - 8 + (addr & 7) + size)) & PF_MASK_ALL;
    return (!((s ^ key) & (same | mask)) || (!write && s == __pf_tls.read_set)) &&
           (!((next ^ key) & (same | rest)) || (!write && next == __pf_tls.read_set));
}

/* The id of the site if the fast path may be used; 0 if not. */
static inline __attribute__((always_inline)) uint32_t fast_path_id(uint32_t site)
{
    if (__builtin_expect(!__pf_tls.clock || __pf_tls.nested, 0))
        return 0;
    uint32_t id = pf_stack_id_resolved(site);
    return id ? id : pf_stack_id_recent(site);
}

/* True if the plain read `a` cannot race with the writes among the overflow words. */
static inline __attribute__((always_inline)) bool overflow_cannot_race(const uint32_t *clock,
                                                                       uint64_t *cell, uint64_t a)
{
    for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++)
        if (!pf_access_cannot_race(clock, pf_word_get(&pf_cell_overflow(cell)[i]), a))
            return false;
    return true;
}

/* Updates a short range, granule by granule. Returns the first address that needs the slow path, or
 * the end of the range. */
static inline __attribute__((always_inline)) uintptr_t update_short(uintptr_t addr, uint64_t size,
                                                                    uint32_t site, bool write)
{
    uint32_t id = fast_path_id(site);
    if (__builtin_expect(!id, 0))
        return addr;
    const uint32_t *clock = __pf_tls.clock;
    uint64_t mine = (__pf_tls.key & (PF_BITS_SID | PF_BITS_CLK)) | id | (write ? PF_BIT_W : 0);
    uint64_t same = PF_BITS_SID | PF_BITS_CLK | PF_BIT_A | (write ? PF_BIT_W : 0);
    uint64_t *cell = pf_cell_of(addr), mask = PF_MASK_ALL << (addr & 7);
    for (uint64_t end = (addr & 7) + size;; end -= 8, cell += 2, mask = PF_MASK_ALL) {
        if (end < 8)
            mask &= ~(~0ull << (PF_MASK_SHIFT + end));
        uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]), s = write ? s0 : s1;
        uint64_t a = mine | mask;
        bool more = *pf_cell_overflow_state(cell) & (uint8_t)PF_STATES_FOR(write);
        if ((((s ^ a) & same) || (a & ~s & PF_MASK_ALL)) && (write || s != __pf_tls.read_set) &&
            ((more && (write || !overflow_cannot_race(clock, cell, a))) ||
             !pf_cell_update_front(clock, cell, s0, s1, a, write)) &&
            !update(clock, cell, a, write))
            return addr;
        if (end <= 8)
            return addr + end - (addr & 7);
        addr = (addr & ~7ull) + 8;
    }
}

/* Updates a part of one granule; `mine` is the record for a whole one. */
static inline __attribute__((always_inline)) bool
update_partial(const uint32_t *clock, uintptr_t addr, uint64_t size, uint64_t mine, bool write)
{
    if (is_covered(addr, size, write))
        return true;
    uint64_t mask = ((1ull << size) - 1) << (PF_MASK_SHIFT + (addr & 7));
    return update(clock, pf_cell_of(addr), (mine & ~PF_MASK_ALL) | mask, write);
}

/* Updates a range, in runs of equal granules (range.h). Returns the first address that needs the
 * slow path, or the end of the range. */
static inline __attribute__((always_inline)) uintptr_t update_range(uintptr_t addr, uintptr_t end,
                                                                    uint32_t site, bool write)
{
    uint32_t id = fast_path_id(site);
    if (__builtin_expect(!id, 0))
        return addr;
    const uint32_t *clock = __pf_tls.clock;
    uint64_t mine =
        (__pf_tls.key & (PF_BITS_SID | PF_BITS_CLK)) | PF_MASK_ALL | id | (write ? PF_BIT_W : 0);
    if (addr & 7 || end - addr < 8) {
        uint64_t n = 8 - (addr & 7) < end - addr ? 8 - (addr & 7) : end - addr;
        if (!update_partial(clock, addr, n, mine, write))
            return addr;
        addr += n;
    }
    struct pf_transition last = PF_TRANSITION_NONE;
    while (end - addr >= 8) {
        uint64_t *cell = pf_cell_of(addr);
        uint64_t n = pf_range_fast_update(clock, cell, (end - addr) / 8, mine, write, &last);
        addr += 8 * n;
        if (end - addr < 8)
            break;
        if (!update(clock, pf_cell_of(addr), mine, write))
            return addr;
        addr += 8;
    }
    if (addr < end && update_partial(clock, addr, end - addr, mine, write))
        return end;
    return addr;
}

/* __pf_read_range and __pf_write_range after the test in range_entry.S: a range in one granule, an
 * unaligned access in two, a short range, a long one. */
#define RANGE(name, write)                                                                         \
    PF_PRESERVE_MOST void name##_miss(uintptr_t addr, uint64_t size, uint32_t site);               \
    PF_PRESERVE_MOST void pf_stub_##name(uintptr_t addr, uint64_t size, uint32_t site);            \
    PF_PRESERVE_MOST static __attribute__((noinline)) void name##_by_runs(                         \
        uintptr_t addr, uint64_t size, uint32_t site)                                              \
    {                                                                                              \
        uintptr_t end = addr + pf_range_limited(size);                                             \
        uintptr_t to = update_range(addr, end, site, write);                                       \
        if (to < end)                                                                              \
            pf_stub_##name(to, end - to, site);                                                    \
    }                                                                                              \
    PF_PRESERVE_MOST static __attribute__((noinline)) void name##_by_granule(                      \
        uintptr_t addr, uint64_t size, uint32_t site)                                              \
    {                                                                                              \
        uintptr_t end = addr + size, to = update_short(addr, size, site, write);                   \
        if (__builtin_expect(to < end, 0))                                                         \
            pf_stub_##name(to, end - to, site);                                                    \
    }                                                                                              \
    PF_PRESERVE_MOST static                                                                        \
        __attribute__((noinline)) void name##_multi(uintptr_t addr, uint64_t size, uint32_t site)  \
    {                                                                                              \
        if (is_covered(addr, size, write))                                                         \
            return;                                                                                \
        if (size <= SHORT)                                                                         \
            name##_by_granule(addr, size, site);                                                   \
        else                                                                                       \
            name##_by_runs(addr, size, site);                                                      \
    }                                                                                              \
    void name##_miss(uintptr_t addr, uint64_t size, uint32_t site)                                 \
    {                                                                                              \
        if (__builtin_expect(size - 1 <= 7 - (addr & 7), 1)) {                                     \
            if (!is_part_covered(addr, size, write))                                               \
                name##_by_granule(addr, size, site);                                               \
            return;                                                                                \
        }                                                                                          \
        if (size - 1 >= 8)                                                                         \
            name##_multi(addr, size, site);                                                        \
        else if (!is_pair_covered(addr, size, write))                                              \
            name##_by_granule(addr, size, site);                                                   \
    }

RANGE(__pf_read_range, false)
RANGE(__pf_write_range, true)

/* Interleaved accesses (`__pf_*_turns`): one-byte accesses of a loop from n = 2 to 4 sites; byte i
 * of the range is from site i modulo n. */

/* n, from the sites as compiled code passes them (pf_abi.def). */
static inline unsigned interleaved_count(uint64_t others)
{
    return (uint32_t)others == UINT32_MAX ? 2 : others >> 32 == UINT32_MAX ? 3 : 4;
}

/* Computes the ids of whole granules. A granule can begin at any of the n sites; there is one id
 * for each beginning. An id is made of n - 1 nested site pairs. Returns NULL if an id is not
 * available. */
PF_PRESERVE_MOST static __attribute__((noinline, cold)) const struct pf_interleaved_sites *
interleaved_make(struct pf_interleaved_sites *m, uint64_t two, uint64_t others, uint32_t node)
{
    uint32_t site[] = {(uint32_t)two, two >> 32, (uint32_t)others, others >> 32}, id[4], made[4];
    unsigned n = interleaved_count(others), bytes = n == 2 ? 0x55 : n == 3 ? 0x49 : 0x11;
    for (unsigned i = 0; i < n; i++)
        if (!(id[i] = pf_stack_id_resolved(site[i])))
            return NULL;
    for (unsigned at = 0; at < n; at++) {
        made[at] = id[0];
        for (unsigned i = 1; i < n && made[at]; i++)
            made[at] = pf_site_pair_make(id[i], bytes << (i + n - at) % n & 0xff, made[at]);
        if (!made[at])
            return NULL;
    }
    m->two = UINT64_MAX; /* a signal handler may run in between */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    for (unsigned at = 0; at < n; at++)
        m->id[at] = made[at];
    m->others = others;
    m->node = node;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    m->two = two;
    return m;
}

/* The same, from the thread's cache. */
static inline __attribute__((always_inline)) const struct pf_interleaved_sites *
interleaved_find(uint64_t two, uint64_t others)
{
    if (__builtin_expect(!fast_path_id((uint32_t)two), 0))
        return NULL;
    uint32_t node = __pf_tls.frame[-1].node;
    struct pf_interleaved_sites *m =
        &__pf_tls.thread->shadow.interleaved[(two ^ node) % PF_INTERLEAVED_CACHE_SIZE];
    if (__builtin_expect(m->two == two && m->others == others && m->node == node, 1))
        return m;
    return interleaved_make(m, two, others, node);
}

/* Updates the granules of a range of interleaved accesses from `from` on, which is its start or the
 * start of a granule. Returns where it stopped: at the end, or at a granule that needs the slow
 * path. */
static inline __attribute__((always_inline)) uintptr_t update_interleaved(
    uintptr_t addr, uintptr_t from, uintptr_t end, uint64_t two, uint64_t others, bool write)
{
    const volatile struct pf_interleaved_sites *sites = interleaved_find(two, others);
    if (__builtin_expect(!sites, 0))
        return from;
    const uint32_t *clock = __pf_tls.clock;
    unsigned n = interleaved_count(others);
    /* each granule begins 8 bytes later in the sequence than the one before */
    unsigned at =
        n == 3 ? (24 - (addr & 7) + 2 * (((from >> 3) - (addr >> 3)) % 3)) % 3 : -addr & (n - 1);
    uint64_t mine = (__pf_tls.key & (PF_BITS_SID | PF_BITS_CLK)) | (write ? PF_BIT_W : 0);
    uint64_t *cell = pf_cell_of(from), mask = PF_MASK_ALL << (from & 7);
    for (uint64_t left = (from & 7) + (end - from);; left -= 8, cell += 2, mask = PF_MASK_ALL) {
        if (left < 8)
            mask &= ~(~0ull << (PF_MASK_SHIFT + left));
        uint64_t s = pf_word_get(&cell[!write]), a = mine | mask;
        if (!pf_access_covers(s, a) && (write || s != __pf_tls.read_set)) {
            a |= sites->id[at];
            if (sites->two != two || !update(clock, cell, a, write))
                return left == (from & 7) + (end - from) ? from : end - left;
        }
        if (left <= 8)
            return end;
        if (n == 3)
            at = at ? at - 1 : 2;
    }
}

/* Rotates the sites of interleaved accesses, so that they begin with number `first`. */
static void interleaved_rotate(uint64_t *two, uint64_t *others, unsigned first)
{
    uint32_t site[] = {(uint32_t)*two, *two >> 32, (uint32_t)*others, *others >> 32}, to[4];
    unsigned n = interleaved_count(*others);
    for (unsigned i = 0; i < 4; i++)
        to[i] = i < n ? site[(first + i) % n] : site[i];
    *two = to[0] | (uint64_t)to[1] << 32;
    *others = to[2] | (uint64_t)to[3] << 32;
}

/* The slow path gets one granule at a time, and makes the ids of the sites if they are missing. If
 * they are still missing then, it gets the rest of the range. */
#define TURNS(name, write)                                                                         \
    PF_PRESERVE_MOST void pf_stub_##name(uintptr_t addr, uint64_t size, uint64_t two,              \
                                         uint64_t others);                                         \
    PF_PRESERVE_MOST static __attribute__((noinline)) void name##_by_granule(                      \
        uintptr_t addr, uint64_t size, uint64_t two, uint64_t others)                              \
    {                                                                                              \
        uintptr_t from = addr, end = addr + size;                                                  \
        bool missing = false;                                                                      \
        while ((from = update_interleaved(addr, from, end, two, others, write)) < end) {           \
            bool known = interleaved_find(two, others) != NULL;                                    \
            uintptr_t to = known || !missing ? (from | 7) + 1 : end;                               \
            missing |= !known;                                                                     \
            uint64_t slow_two = two, slow_others = others;                                         \
            interleaved_rotate(&slow_two, &slow_others,                                            \
                               (unsigned)((from - addr) % interleaved_count(others)));             \
            pf_stub_##name(from, (to < end ? to : end) - from, slow_two, slow_others);             \
            if ((from = to) >= end)                                                                \
                break;                                                                             \
        }                                                                                          \
    }                                                                                              \
    PF_EXPORT void name(uintptr_t addr, uint64_t size, uint64_t two, uint64_t others)              \
    {                                                                                              \
        size = pf_range_limited(size);                                                             \
        if (!is_covered(addr, size, write))                                                        \
            name##_by_granule(addr, size, two, others);                                            \
    }

TURNS(__pf_read_turns, false)
TURNS(__pf_write_turns, true)

/* The slow path: byte by byte. */
void pf_check_turns(uintptr_t addr, uint64_t size, uint64_t two, uint64_t others, uint32_t what)
{
    uint32_t site[] = {(uint32_t)two, two >> 32, (uint32_t)others, others >> 32};
    for (uint64_t i = 0; i < size; i++)
        pf_check_slow(addr + i, site[i % interleaved_count(others)], what | 1);
}
