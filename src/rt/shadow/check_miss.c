/*
 * check_miss.c - where neither the quick test of compiled code nor the plainest cases of a first
 * touch (check_entry.S) passed: the other cases of it. These functions keep every register they use
 * (clang's preserve_most), so nothing is saved that is not needed; all else goes through stubs that
 * save everything.
 */
#include "check.h"
#include "range.h"
#include "rt.h"
#include "stack.h"

/* What check_entry.S counts on. */
_Static_assert(offsetof(struct pf_tls, key) == 0 && offsetof(struct pf_tls, frame) == 16 &&
                   offsetof(struct pf_tls, thread) == 32 && offsetof(struct pf_tls, clock) == 40,
               "TLS_*");
_Static_assert(offsetof(struct pf_thread, dirty) == 20, "THREAD_DIRTY");
_Static_assert(offsetof(struct pf_rt, settled) == 12, "RT_SETTLED");
_Static_assert(offsetof(struct pf_thread, pairs) == 32 && PF_PAIRS_BITS == 12 &&
                   offsetof(struct pf_pair_cache, id) == 8 * PF_PAIRS_CACHED,
               "THREAD_PAIRS");
_Static_assert(offsetof(struct pf_thread, met) == 32 + 12 * PF_PAIRS_CACHED && PF_MET == 64 &&
                   sizeof(struct pf_met) == 16 && offsetof(struct pf_met, stmt) == 8,
               "THREAD_MET");
_Static_assert(PF_MORE_BASE - 2 * PF_SHADOW_BASE == -(1ull << 44) && PF_MORE_WORDS == 4,
               "8: in MISS");
_Static_assert(offsetof(struct pf_thread, paths) ==
                       offsetof(struct pf_thread, met) + PF_MET * sizeof(struct pf_met) &&
                   PF_PATH_BITS == 12 && sizeof(struct pf_path) == 16 &&
                   offsetof(struct pf_path, call) == 4 && offsetof(struct pf_path, func) == 8 &&
                   offsetof(struct pf_path, node) == 12,
               "THREAD_PATHS");
_Static_assert(offsetof(struct pf_thread, span) ==
                       offsetof(struct pf_thread, paths) + sizeof(struct pf_path) * 4096 &&
                   offsetof(struct pf_epochs, from) == 0 && offsetof(struct pf_epochs, more) == 4,
               "THREAD_SPAN");
_Static_assert(sizeof(struct pf_frame) == 16 && offsetof(struct pf_frame, func) == 0 &&
                   offsetof(struct pf_frame, call) == 8 && PF_CALL_UNWATCHED == 0x40000000 &&
                   offsetof(struct pf_func, number) == 20 && PF_NODE_ROOT == 1,
               "pf_stack_near");
_Static_assert(PF_PLACES_BASE == 0x17f000000000 && PF_ID_PLACES == 0xc00000 &&
                   PF_PLACES_MAX == 0x400000 && sizeof(struct pf_places) == 40 &&
                   offsetof(struct pf_places, tag) == 0 && offsetof(struct pf_places, id) == 8,
               "4: in GROW");
_Static_assert(offsetof(struct pf_tls, shared) == 8 && PF_SID_REF == 1023, "8: in MISS");
_Static_assert(offsetof(struct pf_node, block) == 24 && PF_IDS_PER_BLOCK == 16, "NODE_BLOCKS");
_Static_assert(sizeof(struct pf_frame) - offsetof(struct pf_frame, node) == 4, "frame[-1].node");
_Static_assert(PF_READY_PLANE == 0x150000000000 && PF_READY_SHIFT == 16, "FIRST");
_Static_assert(PF_STORE_BASE == 0x160000000000 && PF_MORE_USED == 0x140000000000, "bases");
_Static_assert(PF_APP_BITS == 43 && PF_SHADOW_BASE == 1ull << 45, "the cell of an address");
_Static_assert(PF_SID_SHIFT == 45 && PF_CLK_SHIFT == 25 && PF_CLK_BITS == 20 &&
                   PF_WRITE_BIT == 24 && PF_ATOMIC_BIT == 55 && PF_MASK_SHIFT == 56,
               "the fields of a statement");

#define KEEP __attribute__((preserve_most))

static inline __attribute__((always_inline)) bool miss(uintptr_t addr, uint32_t site, unsigned size,
                                                       bool write)
{
    const uint32_t *clock = __pf_tls.clock;
    if (__builtin_expect(!clock, 0)) /* an unknown thread, a waiting signal, a special mode */
        return false;
    uint32_t id = pf_stack_id_known(site); /* check_entry.S has looked near */
    if (__builtin_expect(!id, 0))
        return false;
    uint64_t mine = (__pf_tls.key & (PF_BITS_SID | PF_BITS_CLK)) | id | (write ? PF_BIT_W : 0);
    mine |= ((1ull << (size < 8 ? size : 8)) - 1) << (PF_MASK_SHIFT + (size < 8 ? addr & 7 : 0));
    uint64_t *cell = pf_cell_of(addr);
    for (unsigned i = 0; i < size; i += 8, cell += 2) /* a half that is touched twice is no harm */
        if (!pf_cell_touch(clock, cell, mine))
            return false;
    return true;
}

#define MISS(name, size, write)                                                                    \
    KEEP void name##_full(uintptr_t addr, uint32_t site);                                          \
    KEEP void pf_stub_##name(uintptr_t addr, uint32_t site);                                       \
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

/* Short ranges are often loops over a few bytes, or strings: those that statements of this epoch cover
 * need no more. */
#define SHORT 64

static inline __attribute__((always_inline)) bool is_covered(uintptr_t addr, uint64_t size,
                                                             bool write)
{
    if (size - 1 >= SHORT)
        return !size;
    const uint64_t *cell = pf_cell_of(addr) + !write;
    uint64_t key = __pf_tls.key, shared = write ? 1 : __pf_tls.shared; /* 1: no statement is */
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

/* The same of a part of one granule. */
static inline __attribute__((always_inline)) bool is_part_covered(uintptr_t addr, uint64_t size,
                                                                  bool write)
{
    uint64_t s = pf_word_get(pf_cell_of(addr) + !write);
    uint64_t same = PF_BITS_SID | PF_BITS_CLK | PF_BIT_A | (write ? PF_BIT_W : 0);
    uint64_t mask = ((1ull << size) - 1) << (PF_MASK_SHIFT + (addr & 7));
    return !((s ^ __pf_tls.key) & (same | mask)) || (!write && s == __pf_tls.shared);
}

/* The same of a part of two, of at most eight bytes: an access that is not aligned. */
static inline __attribute__((always_inline)) bool is_pair_covered(uintptr_t addr, uint64_t size,
                                                                  bool write)
{
    const uint64_t *cell = pf_cell_of(addr) + !write;
    uint64_t key = __pf_tls.key, s = pf_word_get(cell), next = pf_word_get(cell + 2);
    uint64_t same = PF_BITS_SID | PF_BITS_CLK | PF_BIT_A | (write ? PF_BIT_W : 0);
    uint64_t mask = PF_MASK_ALL << (addr & 7);
    uint64_t rest = ~(~0ull << (PF_MASK_SHIFT - 8 + (addr & 7) + size)) & PF_MASK_ALL;
    return (!((s ^ key) & (same | mask)) || (!write && s == __pf_tls.shared)) &&
           (!((next ^ key) & (same | rest)) || (!write && next == __pf_tls.shared));
}

/* Of a cell whose words are all it has: the statement grows by what another place of this epoch touches, if the thread made
 * that pair lately; or what is left of an older write moves back. As check_entry.S does it. */
static inline __attribute__((always_inline)) bool
touch_beside(const uint32_t *clock, uint64_t *cell, uint64_t a, bool write)
{
    uint64_t s0 = pf_word_get(&cell[0]), s1 = pf_word_get(&cell[1]), s = write ? s0 : s1;
    if (!pf_stmt_calm(clock, s0) || (write && !pf_stmt_known(clock, s1)))
        return false;
    if (pf_stmt_same_epoch(s, a)) {
        uint32_t id = pf_places_quick(__pf_tls.thread, cell, s, a);
        if (!id)
            return false;
        a = ((s | a) & ~PF_BITS_ID) | id;
    } else if (!write || !s0 || !pf_stmt_known(clock, s0) || (s1 != s0 && !pf_stmt_inside(s1, a))) {
        return false; /* an empty one is for pf_cell_first */
    } else {
        s1 = s0 & ~(a & PF_MASK_ALL);
    }
    if (write) {
        pf_word_put(&cell[0], a);
        s1 &= ~(a & PF_MASK_ALL);
        a = s1 & PF_MASK_ALL ? s1 : a;
    }
    pf_word_put(&cell[1], a);
    __pf_tls.thread->dirty = true;
    return true;
}

KEEP static __attribute__((noinline)) bool read_beside(const uint32_t *clock, uint64_t *cell,
                                                       uint64_t a)
{
    return touch_beside(clock, cell, a, false);
}
KEEP static __attribute__((noinline)) bool write_beside(const uint32_t *clock, uint64_t *cell,
                                                        uint64_t a)
{
    return touch_beside(clock, cell, a, true);
}

/* The rule, for a cell whose words are not all it has, or that needs more than the plainest cases. */
KEEP static __attribute__((noinline)) bool touch_read(const uint32_t *clock, uint64_t *cell,
                                                      uint64_t mine)
{
    return pf_cell_touch_read(clock, cell, mine);
}
KEEP static __attribute__((noinline)) bool touch_write(const uint32_t *clock, uint64_t *cell,
                                                       uint64_t mine)
{
    return pf_cell_touch_write(clock, cell, mine);
}

/* The id of the site for a range that goes the quick way; 0: it does not. */
static inline __attribute__((always_inline)) uint32_t quick_id(uint32_t site)
{
    if (__builtin_expect(!__pf_tls.clock || __pf_tls.nested || pf_rt.events, 0))
        return 0;
    uint32_t id = pf_stack_id_known(site);
    return id ? id : pf_stack_id_near(site);
}

/* Does the read `a` know the writes among the other words? */
static inline __attribute__((always_inline)) bool is_calm(const uint32_t *clock, uint64_t *cell,
                                                          uint64_t a)
{
    for (unsigned i = 0; i < PF_MORE_WORDS; i++)
        if (!pf_stmt_harmless(clock, pf_word_get(&pf_cell_more(cell)[i]), a))
            return false;
    return true;
}

/* The quick ways through a short range, granule by granule: returns where they end. */
static inline __attribute__((always_inline)) uintptr_t touch_short(uintptr_t addr, uint64_t size,
                                                                   uint32_t site, bool write)
{
    uint32_t id = quick_id(site);
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
        bool more = *pf_cell_more_used(cell) & (uint8_t)PF_MARKS_FOR(write);
        if ((((s ^ a) & same) || (a & ~s & PF_MASK_ALL)) && (write || s != __pf_tls.shared) &&
            ((more && (write || !is_calm(clock, cell, a))) ||
             (!pf_cell_touch_lean(clock, cell, s0, s1, a, write) &&
              !(write ? write_beside(clock, cell, a) : read_beside(clock, cell, a)))) &&
            !(write ? touch_write(clock, cell, a) : touch_read(clock, cell, a)))
            return addr;
        if (end <= 8)
            return addr + end - (addr & 7);
        addr = (addr & ~7ull) + 8;
    }
}

/* A part of one granule; `mine` is of whole ones. */
static inline __attribute__((always_inline)) bool
touch_part(const uint32_t *clock, uintptr_t addr, uint64_t size, uint64_t mine, bool write)
{
    if (is_covered(addr, size, write))
        return true;
    uint64_t mask = ((1ull << size) - 1) << (PF_MASK_SHIFT + (addr & 7));
    return pf_cell_touch(clock, pf_cell_of(addr), (mine & ~PF_MASK_ALL) | mask);
}

/* The quick ways through a range: returns where they end. */
static inline __attribute__((always_inline)) uintptr_t touch_range(uintptr_t addr, uintptr_t end,
                                                                   uint32_t site, bool write)
{
    uint32_t id = quick_id(site);
    if (__builtin_expect(!id, 0))
        return addr;
    const uint32_t *clock = __pf_tls.clock;
    uint64_t mine =
        (__pf_tls.key & (PF_BITS_SID | PF_BITS_CLK)) | PF_MASK_ALL | id | (write ? PF_BIT_W : 0);
    if (addr & 7 || end - addr < 8) {
        uint64_t n = 8 - (addr & 7) < end - addr ? 8 - (addr & 7) : end - addr;
        if (!touch_part(clock, addr, n, mine, write))
            return addr;
        addr += n;
    }
    struct pf_turn turn = PF_TURN_NONE;
    while (end - addr >= 8) {
        uint64_t *cell = pf_cell_of(addr);
        uint64_t n = pf_range_touch(clock, cell, (end - addr) / 8, mine, write, &turn);
        addr += 8 * n;
        if (end - addr < 8)
            break;
        if (!pf_cell_touch(clock, pf_cell_of(addr), mine))
            return addr;
        addr += 8;
    }
    if (addr < end && touch_part(clock, addr, end - addr, mine, write))
        return end;
    return addr;
}

#define RANGE(name, write)                                                                         \
    KEEP void name##_part(uintptr_t addr, uint64_t size, uint32_t site);                           \
    KEEP void pf_stub_##name(uintptr_t addr, uint64_t size, uint32_t site);                        \
    KEEP static                                                                                    \
        __attribute__((noinline)) void name##_on(uintptr_t addr, uint64_t size, uint32_t site)     \
    {                                                                                              \
        uintptr_t end = addr + size, to = touch_range(addr, end, site, write);                     \
        if (to < end)                                                                              \
            pf_stub_##name(to, end - to, site);                                                    \
    }                                                                                              \
    KEEP static                                                                                    \
        __attribute__((noinline)) void name##_short(uintptr_t addr, uint64_t size, uint32_t site)  \
    {                                                                                              \
        uintptr_t end = addr + size, to = touch_short(addr, size, site, write);                    \
        if (__builtin_expect(to < end, 0))                                                         \
            pf_stub_##name(to, end - to, site);                                                    \
    }                                                                                              \
    KEEP static                                                                                    \
        __attribute__((noinline)) void name##_long(uintptr_t addr, uint64_t size, uint32_t site)   \
    {                                                                                              \
        if (is_covered(addr, size, write))                                                         \
            return;                                                                                \
        if (size <= SHORT)                                                                         \
            name##_short(addr, size, site);                                                        \
        else                                                                                       \
            name##_on(addr, size, site);                                                           \
    }                                                                                              \
    void name##_part(uintptr_t addr, uint64_t size, uint32_t site)                                 \
    {                                                                                              \
        if (__builtin_expect(size - 1 <= 7 - (addr & 7), 1)) {                                     \
            if (!is_part_covered(addr, size, write))                                               \
                name##_short(addr, size, site);                                                    \
            return;                                                                                \
        }                                                                                          \
        if (size - 1 >= 8)                                                                         \
            name##_long(addr, size, site);                                                         \
        else if (!is_pair_covered(addr, size, write))                                              \
            name##_short(addr, size, site);                                                        \
    }

RANGE(__pf_read_range, false)
RANGE(__pf_write_range, true)

/* Accesses that took turns along bytes: so many, by their sites as compiled code hands them over. */
static inline unsigned turns_count(uint64_t others)
{
    return (uint32_t)others == UINT32_MAX ? 2 : others >> 32 == UINT32_MAX ? 3 : 4;
}

/* The ids of whole granules, by whose turn their first byte is. Each is of several pairs, and made once. */
KEEP static __attribute__((noinline, cold)) const struct pf_turns *
turns_make(struct pf_turns *m, uint64_t two, uint64_t others, uint32_t node)
{
    uint32_t site[] = {(uint32_t)two, two >> 32, (uint32_t)others, others >> 32}, id[4], made[4];
    unsigned n = turns_count(others), bytes = n == 2 ? 0x55 : n == 3 ? 0x49 : 0x11;
    for (unsigned i = 0; i < n; i++)
        if (!(id[i] = pf_stack_id_known(site[i])))
            return NULL;
    for (unsigned at = 0; at < n; at++) {
        made[at] = id[0];
        for (unsigned i = 1; i < n && made[at]; i++)
            made[at] = pf_idpair(id[i], bytes << (i + n - at) % n & 0xff, made[at]);
        if (!made[at])
            return NULL;
    }
    m->two = UINT64_MAX; /* a signal's handler may come in between */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    for (unsigned at = 0; at < n; at++)
        m->id[at] = made[at];
    m->others = others;
    m->node = node;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    m->two = two;
    return m;
}

static inline __attribute__((always_inline)) const struct pf_turns *turns_of(uint64_t two,
                                                                             uint64_t others)
{
    if (__builtin_expect(!quick_id((uint32_t)two), 0))
        return NULL;
    uint32_t node = __pf_tls.frame[-1].node;
    struct pf_turns *m = &__pf_tls.thread->turns[(two ^ node) % PF_TURNS];
    if (__builtin_expect(m->two == two && m->others == others && m->node == node, 1))
        return m;
    return turns_make(m, two, others, node);
}

/* The quick ways through such a range, granule by granule; false where they end. */
static inline __attribute__((always_inline)) bool
touch_turns(uintptr_t addr, uint64_t size, uint64_t two, uint64_t others, bool write)
{
    const volatile struct pf_turns *turns = turns_of(two, others);
    if (__builtin_expect(!turns, 0))
        return false;
    const uint32_t *clock = __pf_tls.clock;
    unsigned n = turns_count(others), at = n == 3 ? (24 - (addr & 7)) % 3 : -addr & (n - 1);
    uint64_t mine = (__pf_tls.key & (PF_BITS_SID | PF_BITS_CLK)) | (write ? PF_BIT_W : 0);
    uint64_t *cell = pf_cell_of(addr), mask = PF_MASK_ALL << (addr & 7);
    for (uint64_t end = (addr & 7) + size;; end -= 8, cell += 2, mask = PF_MASK_ALL) {
        if (end < 8)
            mask &= ~(~0ull << (PF_MASK_SHIFT + end));
        uint64_t s = pf_word_get(&cell[!write]), a = mine | mask;
        if (!pf_stmt_covers(s, a) && (write || s != __pf_tls.shared)) {
            a |= turns->id[at];
            if (turns->two != two || !pf_cell_touch(clock, cell, a))
                return false;
        }
        if (end <= 8)
            return true;
        if (n == 3)
            at = at ? at - 1 : 2; /* 8 bytes on */
    }
}

#define TURNS(name, write)                                                                         \
    KEEP void pf_stub_##name(uintptr_t addr, uint64_t size, uint64_t two, uint64_t others);        \
    KEEP static __attribute__((noinline)) void name##_on(uintptr_t addr, uint64_t size,            \
                                                         uint64_t two, uint64_t others)            \
    {                                                                                              \
        if (!touch_turns(addr, size, two, others, write))                                          \
            pf_stub_##name(addr, size, two, others); /* what is done already is covered */         \
    }                                                                                              \
    PF_EXPORT void name(uintptr_t addr, uint64_t size, uint64_t two, uint64_t others)              \
    {                                                                                              \
        if (!is_covered(addr, size, write))                                                        \
            name##_on(addr, size, two, others);                                                    \
    }

TURNS(__pf_read_turns, false)
TURNS(__pf_write_turns, true)

void pf_check_turns(uintptr_t addr, uint64_t size, uint64_t two, uint64_t others, uint32_t what)
{
    uint32_t site[] = {(uint32_t)two, two >> 32, (uint32_t)others, others >> 32};
    for (uint64_t i = 0; i < size; i++)
        pf_check_slow(addr + i, site[i % turns_count(others)], what | 1);
}
