/*
 * site_per_byte.c - see site_per_byte.h.
 *
 * Reclaiming scans the blocks of one slot and looks in each block's cell for a word that names it.
 * Reference counts were not used: every fast path that overwrites a word would have to update them.
 */
#include "site_per_byte.h"
#include "access_set.h"
#include "limits.h"
#include "sys.h"

#define CHUNK 128u /* blocks */
#define CHUNKS (PF_SITE_PER_BYTE_MAX / CHUNK)
#define RECLAIM_FIRST                                                                              \
    (8 * CHUNK) /* least number of blocks of a slot that are searched for unused ones */

static bool ready;
static uint32_t nchunks;
static uint32_t next_chunk[CHUNKS]; /* the next chunk of the same slot: 1 + its number */

static struct owner {
    uint32_t chunks; /* 1 + the number of the newest chunk */
    uint32_t next;   /* blocks next .. up to the next multiple of CHUNK were never used */
    uint32_t free;   /* 1 + the number of a free block; the next one is in its id[0] */
    uint32_t count, reclaim; /* blocks in all chunks; the count at which to reclaim */
    bool busy;       /* in use; a signal handler of the thread must not enter */
} owners[PF_SID_MAX + 1];

void pf_site_per_byte_init(void)
{
    ready = pf_sys_map((void *)PF_SITE_PER_BYTE_BASE,
                       sizeof(struct pf_site_per_byte) * PF_SITE_PER_BYTE_MAX) != NULL;
}

static struct pf_site_per_byte *record(uint32_t n)
{
    return (struct pf_site_per_byte *)PF_SITE_PER_BYTE_BASE + n;
}

/* True if a word of the granule may name the block. Words move from cell[1] to other words, or
 * swap places with them; so cell[1] is tested twice. If the cell has a set, the block counts as
 * named. */
static bool is_named(uint64_t tag, uint32_t n)
{
    uint64_t *cell = (uint64_t *)(tag >> PF_SITE_PER_BYTE_TAG_SHIFT & ~15ull);
    uint64_t s = __atomic_load_n(&cell[1], __ATOMIC_ACQUIRE), id = PF_ID_SITE_PER_BYTE | n;
    if (pf_word_is_ref(s) || (s & PF_BITS_ID) == id ||
        (__atomic_load_n(&cell[0], __ATOMIC_ACQUIRE) & PF_BITS_ID) == id)
        return true;
    s = __atomic_load_n(&cell[1], __ATOMIC_ACQUIRE);
    if (pf_word_is_ref(s) || (s & PF_BITS_ID) == id)
        return true;
    if (*pf_cell_overflow_state(cell))
        for (unsigned i = 0; i < PF_OVERFLOW_WORDS; i++)
            if ((__atomic_load_n(&pf_cell_overflow(cell)[i], __ATOMIC_ACQUIRE) & PF_BITS_ID) == id)
                return true;
    return false;
}

/* All blocks of the owner were used: frees those that no word names. */
static void reclaim(struct owner *o)
{
    uint32_t named = 0;
    for (uint32_t c = o->chunks; c; c = next_chunk[c - 1])
        for (uint32_t n = (c - 1) * CHUNK; n < c * CHUNK; n++) {
            uint64_t tag = record(n)->tag;
            if (tag && is_named(tag, n)) {
                named++;
            } else if (tag) {
                __atomic_store_n(&record(n)->tag, 0, __ATOMIC_RELEASE);
                record(n)->id[0] = o->free;
                o->free = n + 1;
            }
        }
    o->reclaim = 2 * named < RECLAIM_FIRST ? RECLAIM_FIRST : 2 * named;
}

static bool take_chunk(struct owner *o)
{
    uint32_t c = __atomic_load_n(&nchunks, __ATOMIC_RELAXED);
    do
        if (c >= CHUNKS)
            return false;
    while (!__atomic_compare_exchange_n(&nchunks, &c, c + 1, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    next_chunk[c] = o->chunks;
    o->chunks = c + 1;
    o->next = c * CHUNK;
    o->count += CHUNK;
    return true;
}

/* Takes a block; returns 1 + its number, 0 if there is none. */
static uint32_t take(struct owner *o)
{
    if (!o->free && o->next % CHUNK == 0) {
        if (o->count && o->count >= (o->reclaim ? o->reclaim : RECLAIM_FIRST))
            reclaim(o);
        if (!o->free && !take_chunk(o))
            return 0;
    }
    uint32_t n = o->free;
    if (n) {
        o->free = record(n - 1)->id[0];
        return n;
    }
    n = ++o->next; /* at the end of a chunk this is a multiple of CHUNK: the chunk is used up */
    return n;
}

/* Makes a block for the union of s and `mine`, with the epoch of `mine`, which has no block;
 * returns its id, or 0. */
static uint32_t make(const uint64_t *cell, uint64_t s, uint64_t mine)
{
    struct owner *o = &owners[pf_access_sid(mine)];
    if (!ready || o->busy || (mine & PF_BIT_A))
        return 0;
    o->busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint32_t n = take(o);
    if (n--) {
        struct pf_site_per_byte *p = record(n);
        for (unsigned b = 0; b < 8; b++) {
            uint32_t id = 0;
            if (mine >> (PF_MASK_SHIFT + b) & 1)
                id = pf_access_id(mine);
            else if (s >> (PF_MASK_SHIFT + b) & 1)
                id = pf_site_per_byte_lookup(cell, s, b);
            __atomic_store_n(&p->id[b], id, __ATOMIC_RELAXED);
        }
        __atomic_store_n(&p->tag, pf_site_per_byte_tag(cell, mine), __ATOMIC_RELEASE);
        n |= PF_ID_SITE_PER_BYTE;
    } else {
        n = 0;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    o->busy = false;
    return n;
}

uint32_t pf_site_per_byte_join_slow(uint64_t *cell, uint64_t s, uint64_t mine)
{
    struct pf_site_pair_cache *c = &__pf_tls.thread->shadow.site_pairs;
    unsigned alone = (unsigned)((s & ~mine) >> PF_MASK_SHIFT);
    uint32_t first = pf_access_id(s), second = pf_access_id(mine);
    uint32_t id = pf_site_pair_make_limited(first, alone, second);
    if (!id && first && second) {
        id = make(cell, s, mine);
        if (id)
            return id;
        id = pf_site_pair_make(first, alone, second);
    }
    if (id)
        pf_site_pair_cache_put(c, first, alone, second, id);
    return id;
}

uint32_t pf_site_per_byte_lookup(const uint64_t *cell, uint64_t s, unsigned byte)
{
    if (!pf_id_is_site_per_byte(s))
        return pf_site_pair_at(pf_access_id(s), byte);
    const struct pf_site_per_byte *p = pf_site_per_byte_at(s);
    uint64_t tag = pf_site_per_byte_tag(cell, s);
    if (__atomic_load_n(&p->tag, __ATOMIC_ACQUIRE) == tag) {
        uint32_t id = __atomic_load_n(&p->id[byte], __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&p->tag, __ATOMIC_ACQUIRE) == tag)
            return pf_site_pair_at(id, byte);
    }
    pf_limit_hit(PF_LIMIT_CONTEXTS);
    return 0;
}

uint32_t pf_site_per_byte_unite(uint64_t *cell, uint64_t later, uint64_t earlier)
{
    struct pf_site_pair_cache *c = &__pf_tls.thread->shadow.site_pairs;
    unsigned alone = (unsigned)((earlier & ~later) >> PF_MASK_SHIFT);
    uint32_t first = pf_access_id(earlier), second = pf_access_id(later), id = 0;
    if (!alone || first == second)
        return second;
    if (pf_id_is_site_per_byte(later)) {
        struct pf_site_per_byte *p = pf_site_per_byte_at(later);
        if (p->tag != pf_site_per_byte_tag(cell, later))
            return 0;
        for (unsigned b = 0; b < 8; b++)
            if (alone >> b & 1)
                __atomic_store_n(&p->id[b], pf_site_per_byte_lookup(cell, earlier, b),
                                 __ATOMIC_RELAXED);
        return second;
    }
    if (!pf_id_is_site_per_byte(earlier) && !(id = pf_site_pair_cached(c, first, alone, second)) &&
        (id = pf_site_pair_make_limited(first, alone, second)))
        pf_site_pair_cache_put(c, first, alone, second, id);
    return id ? id : make(cell, earlier, later);
}

uint64_t pf_site_per_byte_detach(const uint64_t *cell, uint64_t s)
{
    if (!pf_id_is_site_per_byte(s))
        return s;
    uint32_t all = 0;
    for (uint64_t left = s & PF_MASK_ALL; left;) {
        unsigned byte = (unsigned)__builtin_ctzll(left >> PF_MASK_SHIFT), mask = 0;
        uint32_t id = pf_site_per_byte_lookup(cell, s, byte);
        for (unsigned b = byte; b < 8; b++)
            if (left >> (PF_MASK_SHIFT + b) & 1 && pf_site_per_byte_lookup(cell, s, b) == id)
                mask |= 1u << b;
        all = all ? pf_site_pair_make(id, mask, all) : id;
        if (!all)
            return 0;
        left &= ~((uint64_t)mask << PF_MASK_SHIFT);
    }
    return (s & ~PF_BITS_ID) | all;
}

__attribute__((preserve_most)) uint64_t pf_site_per_byte_merge(uint64_t *cell, uint64_t s,
                                                               uint64_t mine)
{
    uint32_t id = pf_site_per_byte_join_cached(__pf_tls.thread, cell, s, mine);
    return id ? ((s | mine) & ~PF_BITS_ID) | id : 0;
}
