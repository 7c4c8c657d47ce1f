/*
 * access_set.h - records of statements beyond the words of a cell: private to a granule, or interned and shared.
 *
 * Model:   an interned set is immutable, sorted, holds plain reads only, and equal sets are the same
 *          set. Adding a read to one is a pure function of (set, read), remembered per thread.
 * Memory:  store blocks of 64 << order bytes: a header word and the statements.
 * Threads: a private record belongs to whoever holds the stripe of its granule (cell.c).
 * Errors:  0 or NULL when memory is out, counted by the store.
 */
#ifndef PF_RT_SET_H
#define PF_RT_SET_H

#include "pf_shadow.h"
#include "store.h"
#include "thread.h"

struct pf_set {
    uint16_t n;
    uint8_t order : 7, interned : 1;
    uint8_t kinds; /* PF_KIND of every statement in a private one, maybe of more */
    uint32_t uses; /* how often a cell was made to refer to it; stops at a few */
    uint64_t stmt[];
};

/* Kinds of statements: bit 0 a plain read, 1 a plain write, 2 and 3 the atomic ones. */
#define PF_KIND(s) (1u << ((s) >> PF_WRITE_BIT & 1 | (s) >> (PF_ATOMIC_BIT - 1) & 2))
#define PF_KINDS_PLAIN 3u
#define PF_KINDS_WRITE 10u

/* A reference: the store name of the record around bit 24, which is set as in a write. Taken for a
 * statement it would be a write to no byte, in an epoch that nobody knows. */
static inline bool pf_is_ref(uint64_t s) { return (s >> PF_SID_SHIFT & 1023) == PF_SID_REF; }
static inline struct pf_set *pf_set_at(uint64_t ref)
{
    uint32_t low = ref & 0xffffff, high = ref >> 25 & 0xff;
    return pf_store_at(low | high << 24);
}
/* Is `ref`, which cell[1] was seen to be, an interned set of that cell? Those stay; a private record may be somebody
 * else's by now, for who does not hold the stripe. */
static inline bool pf_set_stays(const uint64_t *cell, uint64_t ref)
{
    bool interned = pf_set_at(ref)->interned;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return interned && __atomic_load_n(&cell[1], __ATOMIC_RELAXED) == ref;
}
/* Is `ref` such a set, and does the write `a` with this clock replace all that is in it? */
bool pf_set_yields(const uint32_t *clock, const uint64_t *cell, uint64_t ref, uint64_t a);
static inline unsigned pf_set_room(const struct pf_set *s) { return (8u << s->order) - 1; }

/*
 * Sets pay when many cells come to hold the same one, as in an array that several threads read.
 * Where every set made serves one cell they are only garbage. Each one made puts a thread in debt,
 * each one used again pays back; deep in debt, only now and then one is tried.
 */
#define PF_SET_DEBT_MAX 512
#define PF_SET_TRY_EVERY 64
/* Would t make a set now? Asking costs nothing, but the number of the try. */
static inline bool pf_set_wanted(const struct pf_thread *t)
{
    return t->set_debt < PF_SET_DEBT_MAX || (t->set_tries + 1) % PF_SET_TRY_EVERY == 0;
}

/* A private record of list[0..n) and, unless it is 0, s; with room for two more. */
uint64_t pf_set_private_of(const uint64_t *list, unsigned n, uint64_t s);
/* The interned set of list[0..n) and a; 0 if they are not all plain reads, or cannot be had. */
uint64_t pf_set_of_reads(struct pf_thread *t, const uint64_t *list, unsigned n, uint64_t a);
/* A set of s and the new a, both plain reads of different epochs; 0 when it would not pay. */
uint64_t pf_set_of_two(struct pf_thread *t, uint64_t s, uint64_t a);
/* The interned set that `ref` becomes when t makes the plain read a; a plain statement when a is
 * all that remains; 0 when a private record is the better choice. */
uint64_t pf_set_add(struct pf_thread *t, uint64_t ref, uint64_t a);
/* Did t lately make exactly this read under `ref`? Then it is not in that set. */
bool pf_set_added(struct pf_thread *t, uint64_t ref, uint64_t a);

/* The record of *ref for changing: itself if private, else a private copy, with *ref set to it. */
struct pf_set *pf_set_private(uint64_t *ref);
/* Appends to a private record, which may move: *ref is set. Returns where it is. The old one is the caller's to drop. */
struct pf_set *pf_set_push(struct pf_set *set, uint64_t *ref, uint64_t s);
/* *set, or a larger copy if it has not room for two more; returns the reference. Drops nothing. */
uint64_t pf_set_with_room(struct pf_set *set, uint64_t ref);
/* The statements of a private record were changed: its kinds again. */
void pf_set_kinds(struct pf_set *set);
/* No cell refers to it any more, nor will. */
void pf_set_drop(uint64_t ref);

void pf_set_lock(void); /* around fork */
void pf_set_unlock(void);

#endif
