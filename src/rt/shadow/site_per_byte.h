/*
 * site_per_byte.h - one site id for the sites of all eight bytes of a granule.
 *
 * Model:   a decoder accesses each byte of its input from another line. A nested site pair
 *          (site_pair.h) made for one granule is then hardly ever useful for another one. In such
 *          cases the id of an access record names a block with one site id per byte. The block
 *          belongs to this one access record: its granule, slot, epoch and kind. Only the thread
 *          of that slot writes to it, and for each byte it writes only a site from which it
 *          accessed that byte. So each id in the block is correct for its byte, no matter which
 *          words of the cell name the block.
 * Memory:  40 bytes per block, in chunks that belong to one slot for ever. Blocks that no word of
 *          their granule names are reused. The search for such blocks starts when there are twice
 *          as many blocks as were in use after the last search.
 * Threads: a block is written by the thread that has its slot. Other threads may read it, and
 *          compare its tag before and after. The tag may differ: the search for unused blocks can
 *          miss a word that moves, and free the block.
 * Errors:  functions return 0 when no block is available.
 */
#ifndef PF_RT_SITE_PER_BYTE_H
#define PF_RT_SITE_PER_BYTE_H

#include "cell.h"
#include "site_pair.h"

#define PF_ID_SITE_PER_BYTE (3u << (PF_ID_BITS - 2)) /* both bits are set in the ids of blocks */
#define PF_SITE_PER_BYTE_MAX (1u << (PF_ID_BITS - 2))
#define PF_SITE_PER_BYTE_BASE 0x17f000000000ull

struct pf_site_per_byte {
    uint64_t tag; /* 0: free */
    uint32_t id[8]; /* plain ids, or site pairs */
};

static inline bool pf_id_is_site_per_byte(uint64_t id)
{
    return (id & PF_ID_SITE_PER_BYTE) == PF_ID_SITE_PER_BYTE;
}

static inline struct pf_site_per_byte *pf_site_per_byte_at(uint64_t s)
{
    return (struct pf_site_per_byte *)PF_SITE_PER_BYTE_BASE + (s & (PF_SITE_PER_BYTE_MAX - 1));
}

/*
 * The tag that identifies the access record of a block: the cell, the epoch and the write bit. The
 * block's chunk belongs to a slot, so the slot is not in it.
 *
 *      63                    21 20          1  0
 *     +------------------------+-------------+--+
 *     |       cell >> 4        |     clk     |W |
 *     +------------------------+-------------+--+
 */
#define PF_SITE_PER_BYTE_TAG_SHIFT (PF_CLK_BITS + 1 - PF_CELL_SHIFT)
static inline uint64_t pf_site_per_byte_tag(const uint64_t *cell, uint64_t s)
{
    return (uintptr_t)cell << PF_SITE_PER_BYTE_TAG_SHIFT |
           (s >> PF_WRITE_BIT & (2 * PF_CLK_MAX + 1));
}

void pf_site_per_byte_init(void);

/* The plain site id of one byte of the access record s of the cell. 0 if it is no longer known,
 * which is counted as a lost context. */
uint32_t pf_site_per_byte_lookup(const uint64_t *cell, uint64_t s, unsigned byte);
/* s with an id that does not refer to this granule (site pairs instead of a block); 0 if there is
 * none. */
uint64_t pf_site_per_byte_detach(const uint64_t *cell, uint64_t s);

/* A site id for the union of the record s of the cell and `mine`, which has the caller's epoch and
 * another site; 0 if there is none. Preserves all registers. */
__attribute__((preserve_most)) uint32_t pf_site_per_byte_join_slow(uint64_t *cell, uint64_t s,
                                                                   uint64_t mine);
/* A site id for the union of two records of the cell that have the caller's slot and the same kind;
 * the union has the epoch of `later`. 0 if there is none. */
uint32_t pf_site_per_byte_unite(uint64_t *cell, uint64_t later, uint64_t earlier);
/* The same as pf_site_per_byte_join_slow if the site-pair cache has the pair, or if s has a block
 * already; else 0. */
static inline uint32_t pf_site_per_byte_join_cached(struct pf_thread *t, uint64_t *cell, uint64_t s,
                                                    uint64_t mine)
{
    unsigned alone = (unsigned)((s & ~mine) >> PF_MASK_SHIFT);
    uint32_t id =
        pf_site_pair_cached(&t->shadow.site_pairs, pf_access_id(s), alone, pf_access_id(mine));
    if (id || !pf_id_is_site_per_byte(s))
        return id;
    struct pf_site_per_byte *p = pf_site_per_byte_at(s);
    if (p->tag != pf_site_per_byte_tag(cell, s))
        return 0;
    for (unsigned b = 0; b < 8; b++)
        if (mine >> (PF_MASK_SHIFT + b) & 1)
            __atomic_store_n(&p->id[b], pf_access_id(mine), __ATOMIC_RELAXED);
    return pf_access_id(s);
}
/* The union itself, if join_cached has an id for it; else 0. Preserves all registers. */
__attribute__((preserve_most)) uint64_t pf_site_per_byte_merge(uint64_t *cell, uint64_t s,
                                                               uint64_t mine);
/* pf_site_per_byte_join_cached or, if that fails, pf_site_per_byte_join_slow. */
static inline uint32_t pf_site_per_byte_join(struct pf_thread *t, uint64_t *cell, uint64_t s,
                                             uint64_t mine)
{
    uint32_t id = pf_site_per_byte_join_cached(t, cell, s, mine);
    return id || pf_id_is_site_per_byte(s) ? id : pf_site_per_byte_join_slow(cell, s, mine);
}

#endif
