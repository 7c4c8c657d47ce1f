/*
 * answer_table.h - answers of the outside world that the runs of an exploration share.
 *
 * Model:   a map from a key to a record of stream `input` (input_record.h). The key of a call is
 *          made of its thread, how many such calls the thread made before, and its arguments. The
 *          first run that makes the call adds the answer; later runs get the same one. The key of
 *          a file is made of its path; its record describes the version that the first run used.
 * Memory:  a file in memory, which pf makes and all copies of the target map. Entries are only
 *          added. An entry is complete before its slot refers to it, so a process that is killed
 *          leaves no half entry.
 * Threads: several processes may add entries at the same time; the first entry of a key counts.
 *
 * The runtime includes this header, so nothing here may need a library.
 */
#ifndef PF_CLIP_ANSWER_TABLE_H
#define PF_CLIP_ANSWER_TABLE_H

#include "input_record.h"
#include <stdbool.h>
#include <stddef.h>

#define PF_ANSWER_FILE "answers" /* its name in the folder of continuations */
#define PF_ANSWER_SLOTS 16384u
#define PF_ANSWER_BYTES (32u << 20)

struct pf_pinned {
    uint64_t key;
    struct pf_input record; /* its payload follows */
};

struct pf_answer_table {
    uint32_t recording; /* the first run: every answer is new */
    uint32_t used;      /* of data, in units of 8 bytes */
    uint32_t slot[PF_ANSWER_SLOTS]; /* 1 + offset in data, in units of 8 bytes; 0: free */
    uint64_t data[PF_ANSWER_BYTES / 8];
};

/* The entry with this key; NULL: there is none. */
static inline const struct pf_pinned *pf_answer_find(const struct pf_answer_table *t, uint64_t key)
{
    for (uint32_t i = 0; i < PF_ANSWER_SLOTS; i++) {
        uint32_t at = __atomic_load_n(&t->slot[(key + i) % PF_ANSWER_SLOTS], __ATOMIC_ACQUIRE);
        const struct pf_pinned *a = at ? (const struct pf_pinned *)&t->data[at - 1] : NULL;
        if (!a || a->key == key)
            return a;
    }
    return NULL;
}

/* Room for an entry with a payload of n bytes, which the caller fills; NULL: the table is full. */
static inline struct pf_pinned *pf_answer_room(struct pf_answer_table *t, size_t n)
{
    size_t words = (sizeof(struct pf_pinned) + n + 7) / 8;
    if (words > PF_ANSWER_BYTES / 8 / 4)
        return NULL;
    uint32_t at = __atomic_load_n(&t->used, __ATOMIC_RELAXED);
    do { /* `used` must never decrease: another process may have got room above it */
        if (at + words > PF_ANSWER_BYTES / 8)
            return NULL;
    } while (!__atomic_compare_exchange_n(&t->used, &at, at + (uint32_t)words, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return (struct pf_pinned *)&t->data[at];
}

/* Adds a filled entry. False: another one has its key, or there is no room. */
static inline bool pf_answer_add(struct pf_answer_table *t, struct pf_pinned *a)
{
    uint32_t at = (uint32_t)((uint64_t *)a - t->data) + 1;
    for (uint32_t i = 0; i < PF_ANSWER_SLOTS; i++) {
        uint32_t *slot = &t->slot[(a->key + i) % PF_ANSWER_SLOTS], now = 0;
        if (__atomic_compare_exchange_n(slot, &now, at, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return true;
        if (((const struct pf_pinned *)&t->data[now - 1])->key == a->key)
            return false;
    }
    return false;
}

#endif
