/*
 * access_set.h - access records that do not fit into the words of a cell: spills and read sets.
 *
 * Model:   a spill is a list of any access records, private to one granule. A read set is an
 *          immutable, sorted, interned set of plain reads: equal sets are one object, which many
 *          cells share. Adding a read to a read set is a pure function of (set, read); each thread
 *          memoises it. Both are struct pf_access_set, and cell[1] refers to them.
 * Memory:  store blocks of 64 << order bytes: a header word and the records. Spills are freed by
 *          the cell rule; read sets are never freed.
 * Threads: a spill may be changed by the thread that holds the stripe of its granule (cell.h). Read
 *          sets may be read by any thread.
 * Errors:  functions return 0 or NULL when memory runs out; the store counts it.
 */
#ifndef PF_RT_ACCESS_SET_H
#define PF_RT_ACCESS_SET_H

#include "pf_shadow.h"
#include "store.h"
#include "thread.h"

struct pf_access_set {
    uint16_t n;
    uint8_t order : 7, interned : 1;
    uint8_t kinds; /* a spill: PF_ACCESS_KIND of every record in it, and possibly of others */
    /* a read set: how often a cell was set to refer to it; saturates at a small number */
    uint32_t uses;
    uint64_t record[];
};

/* Kinds of access records, one bit each: 1 plain read, 2 plain write, 4 atomic read, 8 atomic
 * write. */
#define PF_ACCESS_KIND(s) (1u << ((s) >> PF_WRITE_BIT & 1 | (s) >> (PF_ATOMIC_BIT - 1) & 2))
#define PF_ACCESS_KINDS_PLAIN 3u
#define PF_ACCESS_KINDS_WRITE 10u

/*
 * A reference in cell[1], made from the 32-bit store handle of the set:
 *
 *     63      56 55 54     45 44          33 32      25 24 23                 0
 *    +----------+--+---------+--------------+----------+--+--------------------+
 *    |    0     |0 |   REF   |   all ones   | h >> 24  |1 |    h & 0xffffff    |   h: handle
 *    +----------+--+---------+--------------+----------+--+--------------------+
 *     mask      |A    sid      clk, upper     clk, lower |W        id
 *
 * REF is PF_SID_REF. Read as an access record, the word is a write of no bytes in an epoch that no
 * thread has seen, so tests that do not expect a reference fail safely.
 */
static inline bool pf_word_is_ref(uint64_t s)
{
    return (s >> PF_SID_SHIFT & PF_SID_MASK) == PF_SID_REF;
}
static inline struct pf_access_set *pf_access_set_at(uint64_t ref)
{
    uint32_t low = ref & 0xffffff, high = ref >> 25 & 0xff;
    return pf_store_at(low | high << 24);
}
/* True if `ref`, which the caller read from cell[1], refers to a read set and is still in cell[1].
 * Read sets are never freed, so the result stays valid. A spill may be freed and reused at any time
 * unless the caller holds the stripe; that is why cell[1] is read again. */
static inline bool pf_ref_is_read_set(const uint64_t *cell, uint64_t ref)
{
    bool interned = pf_access_set_at(ref)->interned;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return interned && __atomic_load_n(&cell[1], __ATOMIC_RELAXED) == ref;
}
/* True if `ref` is a read set of the cell, and the plain write `a` of a thread with this clock
 * happens after all reads in it and covers their bytes. */
bool pf_read_set_replaceable(const uint32_t *clock, const uint64_t *cell, uint64_t ref, uint64_t a);
/* How many records the set has room for. */
static inline unsigned pf_access_set_capacity(const struct pf_access_set *s)
{
    return (8u << s->order) - 1;
}

/* A read set pays off when many cells share it, as in an array that several threads read. If every
 * read set is used by one cell, they only waste memory. So a thread has a debt. Each use of a
 * memoised read set reduces it. Each try to make a read set adds to it, also if the same set exists
 * already. At PF_READ_SET_DEBT_MAX the debt no longer grows, and only one try in
 * PF_READ_SET_TRY_EVERY makes a read set. */
#define PF_READ_SET_DEBT_MAX 512
#define PF_READ_SET_TRY_EVERY 64
/* True if t would make a read set now. Does not count as a try. */
static inline bool pf_read_set_wanted(const struct pf_thread *t)
{
    return t->shadow.set_debt < PF_READ_SET_DEBT_MAX ||
           (t->shadow.set_tries + 1) % PF_READ_SET_TRY_EVERY == 0;
}

#define PF_READ_SET_POPULAR 4 /* uses after which a set is worth extending (pf_read_set_add) */

/* Makes a spill of list[0..n), and of s unless it is 0, with room for two more records. Returns its
 * reference. */
uint64_t pf_spill_new(const uint64_t *list, unsigned n, uint64_t s);
/* The read set of list[0..n) and a. Returns 0 if one of them is not a plain read, or if no set can
 * be made. */
uint64_t pf_read_set_of_list(struct pf_thread *t, const uint64_t *list, unsigned n, uint64_t a);
/* The read set of s and the new a, plain reads of different epochs. Returns 0 if it would not pay
 * off. */
uint64_t pf_read_set_of_two(struct pf_thread *t, uint64_t s, uint64_t a);
/* The read set that results when t adds the plain read a to the read set `ref`. Returns `a` itself
 * if it replaces everything in the set; 0 if the caller should use a spill instead. */
uint64_t pf_read_set_add(struct pf_thread *t, uint64_t ref, uint64_t a);
/* The result of the addition if t recently made exactly this one; else 0. `from` is a read set, or
 * the first read of a new set (pf_read_set_of_two); any other word gives 0. */
uint64_t pf_read_set_add_memoised(struct pf_thread *t, uint64_t from, uint64_t a);

/* Returns a spill that may be modified: that of *ref if it is a spill, else a private copy of the
 * read set, and *ref is set to it. */
struct pf_access_set *pf_spill_for_update(uint64_t *ref);
/* Appends a record to a spill; if it is full, because memory ran out before, the record is dropped.
 * The spill may be copied to a larger block: sets *ref and returns the block. The caller frees the
 * old block when *ref has changed. */
struct pf_access_set *pf_spill_push(struct pf_access_set *set, uint64_t *ref, uint64_t s);
/* Returns the reference of a spill with room for two more records: `ref` itself, or that of a
 * larger copy. Does not free the old block. */
uint64_t pf_spill_reserve(struct pf_access_set *set, uint64_t ref);
/* Recomputes the field `kinds` of a spill after its records were changed. */
void pf_spill_update_kinds(struct pf_access_set *set);
/* Frees a spill. The caller has removed its last reference. No effect on a read set. */
void pf_spill_free(uint64_t ref);

void pf_read_set_lock(void); /* around fork */
void pf_read_set_unlock(void);

#endif
