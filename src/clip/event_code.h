/*
 * event_code.h - how an event becomes bytes: prediction, and what is left to say. The normative text
 * is docs/format/trace.md.
 *
 * Model:   writer and reader keep the same books and make the same guesses: the next site of the
 *          thread (one of the two that followed last time), the address (by stride, or relative to the
 *          pointer the thread loaded last), the value (what was last seen at that address, or at that
 *          site, with or without a step). One head byte says which guesses were right; what was not
 *          guessed follows in two other streams, addresses and values, because bytes of one sort
 *          compress better.
 *
 *                7     5 4     2 1  0
 *               +-------+-------+----+
 *               | value | addr  |site|      site 3: not an access, see PF_CODE_OTHER
 *               +-------+-------+----+
 *
 *          A plain access of 1, 2, 4 or 8 bytes takes one byte when all was guessed.
 * Memory:  struct pf_code is the caller's, zero at the start; its table of sites too.
 * Threads: one at a time.
 *
 * Included by the runtime: no library, no vector registers.
 */
#ifndef PF_CLIP_EVENT_CODE_H
#define PF_CLIP_EVENT_CODE_H

#include "pf_event.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PF_CODE_NEXT, PF_CODE_NEXT2, PF_CODE_SITE, PF_CODE_OTHER };
/* Of addresses; _1 to _8: so many bytes of difference to the site's last one. */
enum {
    PF_CODE_STRIDE,
    PF_CODE_POINTER,
    PF_CODE_SAME,
    PF_CODE_1,
    PF_CODE_2,
    PF_CODE_3,
    PF_CODE_4,
    PF_CODE_8
};
/* Of values; the rest as above. */
enum { PF_CODE_MEMORY, PF_CODE_EQUAL, PF_CODE_STEP };

/* The other records: the upper six bits of the head. */
enum {
    PF_CODE_THREAD, /* who runs from here on */
    PF_CODE_INDEX, /* the number of the thread's event before the next, when it was not the last */
    PF_CODE_EVENT, /* + kind: every other event */
};

/* What an event outside of the short form has; a byte before its fields. */
enum {
    PF_HAS_OPERAND = 1,
    PF_HAS_SECOND = 2,
    PF_HAS_VALUE = 4,
    PF_HAS_OLD = 8,
    PF_HAS_FLAGS = 16,
    PF_HAS_BYTES = 32,
    PF_HAS_NO_INDEX = 64, /* part of the operation of the record before */
};

struct pf_code_site {
    uint64_t addr, value; /* of its last access */
    uint64_t stride, offset; /* addr: from the one before; from the thread's pointer */
    uint64_t step; /* value: from the one before */
    uint32_t next[2]; /* sites that came next, the latest first */
    uint8_t size, kind; /* of the access; size 0: not known yet, or not of the short form */
    uint8_t reserved[6];
    uint64_t mask; /* reader: of the size */
};
_Static_assert(sizeof(struct pf_code_site) == 64, "a cache line each");

struct pf_code_thread {
    uint64_t pointer; /* the last value of 8 bytes */
    uint64_t index; /* of the event before */
    uint32_t site; /* of the event before */
    uint32_t reserved;
};

#define PF_CODE_MEMORY_BITS 14
struct pf_code_memory {
    uint64_t addr, value;
};

struct pf_code {
    struct pf_code_site *site; /* by number */
    struct pf_code_memory memory[1 << PF_CODE_MEMORY_BITS];
};

/* At most so many bytes of addresses, of values, for one access. */
#define PF_CODE_MOST_ADDRESS 16
#define PF_CODE_MOST_VALUE 8

typedef uint64_t __attribute__((aligned(1), may_alias)) pf_code_u64;

static inline struct pf_code_memory *pf_code_memory(struct pf_code_memory *table, uint64_t addr)
{
    return &table[(addr >> 2 ^ addr >> 16) & ((1 << PF_CODE_MEMORY_BITS) - 1)];
}

static inline unsigned char *pf_code_varint(unsigned char *p, uint64_t v)
{
    for (; v > 127; v >>= 7)
        *p++ = (unsigned char)(v | 128);
    *p++ = (unsigned char)v;
    return p;
}
static inline uint64_t pf_code_zigzag(int64_t v) { return (uint64_t)v << 1 ^ (uint64_t)(v >> 63); }
static inline int64_t pf_code_unzigzag(uint64_t v) { return (int64_t)(v >> 1 ^ -(v & 1)); }

/* The code for a difference, and how many bytes it takes. */
static const uint8_t pf_code_of[9] = {PF_CODE_1, PF_CODE_1, PF_CODE_2, PF_CODE_3, PF_CODE_4,
                                      PF_CODE_8, PF_CODE_8, PF_CODE_8, PF_CODE_8};
static const uint8_t pf_code_width[8] = {0, 0, 0, 1, 2, 3, 4, 8};

static inline unsigned pf_code_difference(unsigned char **p, uint64_t d)
{
    unsigned bits = 65u - (unsigned)__builtin_clzll((d ^ (uint64_t)((int64_t)d >> 63)) | 1);
    unsigned code = pf_code_of[(bits + 7) / 8 > 8 ? 8 : (bits + 7) / 8];
    *(pf_code_u64 *)*p = d;
    *p += pf_code_width[code];
    return code;
}

static inline uint64_t pf_code_extend(uint64_t v, unsigned bytes)
{
    unsigned shift = 64 - 8 * bytes;
    return (uint64_t)((int64_t)(v << shift) >> shift);
}

/* --- writing --- */

/* The site of the thread's next event, for records of every form; the code, with what it needs. */
static inline unsigned pf_code_put_site(struct pf_code *c, struct pf_code_thread *t, uint32_t site,
                                        unsigned char **a)
{
    struct pf_code_site *before = &c->site[t->site];
    unsigned code = PF_CODE_NEXT;
    if (before->next[0] != site) {
        code = before->next[1] == site ? PF_CODE_NEXT2 : PF_CODE_SITE;
        before->next[1] = before->next[0];
        before->next[0] = site;
        if (code == PF_CODE_SITE)
            *a = pf_code_varint(*a, pf_code_zigzag((int64_t)site - t->site));
    }
    t->site = site;
    return code;
}

/* A plain access in the short form: its head; a and v move on. */
static inline unsigned char pf_code_put(struct pf_code *c, struct pf_code_thread *t, uint32_t site,
                                        uint64_t addr, uint64_t value, unsigned char **a,
                                        unsigned char **v)
{
    struct pf_code_site *s = &c->site[site];
    unsigned head = pf_code_put_site(c, t, site, a), code;
    uint64_t d = addr - s->addr, offset = addr - t->pointer;
    if (d == s->stride)
        code = PF_CODE_STRIDE;
    else if (offset == s->offset)
        code = PF_CODE_POINTER;
    else if (d == 0)
        code = PF_CODE_SAME;
    else
        code = pf_code_difference(a, d);
    s->stride = d;
    s->offset = offset;
    s->addr = addr;
    head |= code << 2;
    struct pf_code_memory *m = pf_code_memory(c->memory, addr);
    uint64_t step = pf_code_extend(value - s->value, s->size);
    if (m->addr == addr && m->value == value)
        code = PF_CODE_MEMORY;
    else if (step == 0)
        code = PF_CODE_EQUAL;
    else if (step == s->step)
        code = PF_CODE_STEP;
    else
        code = pf_code_difference(v, step);
    m->addr = addr;
    m->value = value;
    s->step = step;
    s->value = value;
    t->pointer = s->size == 8 ? value : t->pointer;
    t->index++;
    return (unsigned char)(head | code << 5);
}

/* --- reading: the same books --- */

/* `next`: the site was in the stream. */
static inline void pf_code_take_site(struct pf_code *c, struct pf_code_thread *t, uint32_t site)
{
    struct pf_code_site *before = &c->site[t->site];
    if (before->next[0] != site) {
        before->next[1] = before->next[0];
        before->next[0] = site;
    }
    t->site = site;
}

/* What a code of the head says of a number, so that it is made without branches: heads cannot be
 * predicted. */
struct pf_code_way {
    uint64_t mask, sign; /* of the difference in the stream; 0: there is none */
    uint64_t guess; /* all ones: the site's stride, or step, is added */
    uint64_t width; /* bytes in the stream */
};
#define PF_CODE_WIDE(bytes) {~0ull >> (64 - 8 * (bytes)), 1ull << (8 * (bytes) - 1), 0, (bytes)}
#define PF_CODE_WIDTHS                                                                             \
    PF_CODE_WIDE(1), PF_CODE_WIDE(2), PF_CODE_WIDE(3), PF_CODE_WIDE(4), PF_CODE_WIDE(8)
static const struct pf_code_way pf_code_address[8] = {
    {0, 0, ~0ull, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, PF_CODE_WIDTHS};
static const struct pf_code_way pf_code_value[8] = {
    {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, ~0ull, 0}, PF_CODE_WIDTHS};

static inline uint64_t pf_code_add(const struct pf_code_way *w, uint64_t guess,
                                   const unsigned char **from)
{
    uint64_t d = ((*(const pf_code_u64 *)*from & w->mask) ^ w->sign) - w->sign;
    *from += w->width;
    return d + (guess & w->guess);
}

/* Where `test` is 0, a, else b; the compiler would make branches of it. */
static inline uint64_t pf_code_choose(uint64_t test, uint64_t a, uint64_t b)
{
    __asm__("test %1, %1\n\tcmovz %2, %0" : "+r"(b) : "r"(test), "r"(a) : "cc");
    return b;
}

/* The address and value of an access in the short form whose site is known: at least 8 bytes can be
 * read at *a and *v. `step` is right as far as the size goes, and more is not asked of it. */
static inline void pf_code_take(struct pf_code_site *s, struct pf_code_memory *memory,
                                uint64_t *pointer, unsigned head, uint64_t *addr, uint64_t *value,
                                const unsigned char **a, const unsigned char **v)
{
    unsigned code = head >> 2 & 7;
    uint64_t last = s->addr, now = last + pf_code_add(&pf_code_address[code], s->stride, a);
    now = pf_code_choose(code ^ PF_CODE_POINTER, *pointer + s->offset, now);
    s->stride = now - last;
    s->offset = now - *pointer;
    s->addr = now;
    *addr = now;
    struct pf_code_memory *m = pf_code_memory(memory, now);
    code = head >> 5;
    last = s->value;
    uint64_t held = pf_code_choose(m->addr ^ now, m->value, last);
    m->addr = now;
    now = last + pf_code_add(&pf_code_value[code], s->step, v);
    now = pf_code_choose(code, held, now) & s->mask;
    s->step = now - last;
    s->value = now;
    m->value = now;
    *pointer = pf_code_choose(~s->mask, now, *pointer);
    *value = now;
}

#endif
