/*
 * site_per_byte.h - the places of the bytes of one granule, where pairs of ids would be made for it
 * alone.
 *
 * Model:   a decoder comes to each byte of its input from another line: what pairs (site_pair.h)
 *          tell of one granule they hardly ever tell of another. Then the id of the statement names
 *          a record with an id for each byte. The record belongs to this one statement: its
 *          granule, slot, epoch and kind. Whoever has the slot writes there from where it accessed
 *          a byte, so each id in it is true of its byte, whichever words of the cell name the
 *          record.
 * Memory:  40 bytes a record, in chunks that are a slot's for ever. Records that no word of their
 *          granule names are used again: they are looked for when there are twice as many as were
 *          in use the last time.
 * Threads: a record is written by the thread that has its slot. Others read it, and are told if it
 *          is another statement's by then (words can move while we look for them).
 * Errors:  0 when there is none to be had.
 */
#ifndef PF_RT_PLACES_H
#define PF_RT_PLACES_H

#include "cell.h"
#include "site_pair.h"

#define PF_ID_SITE_PER_BYTE (3u << (PF_ID_BITS - 2)) /* set in the ids of records */
#define PF_SITE_PER_BYTE_MAX (1u << (PF_ID_BITS - 2))
#define PF_SITE_PER_BYTE_BASE 0x17f000000000ull

struct pf_site_per_byte {
    uint64_t tag; /* 0: free */
    uint32_t id[8]; /* plain, or pairs */
};

static inline bool pf_id_is_site_per_byte(uint64_t id)
{
    return (id & PF_ID_SITE_PER_BYTE) == PF_ID_SITE_PER_BYTE;
}

static inline struct pf_site_per_byte *pf_site_per_byte_at(uint64_t s)
{
    return (struct pf_site_per_byte *)PF_SITE_PER_BYTE_BASE + (s & (PF_SITE_PER_BYTE_MAX - 1));
}

/* Which statement: the address of its cell and the bits from "write" to the epoch. The slot is the
 * record's own. */
static inline uint64_t pf_site_per_byte_tag(const uint64_t *cell, uint64_t s)
{
    return (uintptr_t)cell << 17 | (s >> PF_WRITE_BIT & (2 * PF_CLK_MAX + 1));
}

void pf_site_per_byte_init(void);

/* The plain id behind the statement s of the cell, for one of its bytes; 0: it is not known any
 * more, which is counted. */
uint32_t pf_site_per_byte_lookup(const uint64_t *cell, uint64_t s, unsigned byte);
/* s, with an id that does not depend on where it stands; 0: there is none. */
uint64_t pf_site_per_byte_detach(const uint64_t *cell, uint64_t s);

/* An id for the statement s of the cell together with `mine`, of the caller's epoch and from
 * another place; 0: there is none. Keeps all registers: for callers that must. */
__attribute__((preserve_most)) uint32_t pf_site_per_byte_join_slow(uint64_t *cell, uint64_t s,
                                                                   uint64_t mine);
/* The same, if the thread made that pair lately or s has a record; 0: neither is so. */
static inline uint32_t pf_site_per_byte_join_cached(struct pf_thread *t, uint64_t *cell, uint64_t s,
                                                    uint64_t mine)
{
    unsigned alone = (unsigned)((s & ~mine) >> PF_MASK_SHIFT);
    uint32_t id = pf_site_pair_cached(&t->site_pairs, pf_access_id(s), alone, pf_access_id(mine));
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
static inline uint32_t pf_site_per_byte_join(struct pf_thread *t, uint64_t *cell, uint64_t s,
                                             uint64_t mine)
{
    uint32_t id = pf_site_per_byte_join_cached(t, cell, s, mine);
    return id || pf_id_is_site_per_byte(s) ? id : pf_site_per_byte_join_slow(cell, s, mine);
}

#endif
