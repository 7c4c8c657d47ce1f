/*
 * event_code.h - how an event becomes bytes: prediction, and what is left to say. The normative text
 * is docs/format/trace.md.
 *
 * Model:   writer and reader keep the same books and make the same guesses: the next site of the
 *          thread (one of the two that followed last time), the address (by stride, or relative to the
 *          pointer the thread loaded last, or to where it was last), the value (what was last seen at that
 *          address, or at that site, with or without a step). One head byte says which guesses were right;
 *          what was not guessed follows in two other streams, addresses and values, because bytes of one
 *          sort compress better.
 *
 *                7     5 4     2 1  0
 *               +-------+-------+----+
 *               | value | addr  |site|      site 3: not a plain access, see PF_CODE_OTHER
 *               +-------+-------+----+
 *
 *          A plain access takes one byte when all was guessed.
 * Memory:  struct pf_code is the caller's, zero at the start; its tables of sites too.
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

#define PF_CODE_VERSION 4 /* of the format */

enum { PF_CODE_NEXT, PF_CODE_NEXT2, PF_CODE_SITE, PF_CODE_OTHER };
/* Of addresses; _1 to _8: so many bytes of difference to the site's last one. */
enum {
    PF_CODE_STRIDE,
    PF_CODE_POINTER,
    PF_CODE_NEAR,
    PF_CODE_1,
    PF_CODE_2,
    PF_CODE_3,
    PF_CODE_4,
    PF_CODE_8
};
/* Of values up to 8 bytes; the rest as above. */
enum { PF_CODE_MEMORY, PF_CODE_EQUAL, PF_CODE_STEP };
/* Of wide ones, word by word: all as in memory; none; a byte says which are not. */
enum { PF_CODE_NO_WORDS, PF_CODE_ALL_WORDS, PF_CODE_SOME_WORDS };

/* The other records: the upper six bits of the head. */
enum {
    PF_CODE_THREAD, /* who runs from here on */
    PF_CODE_INDEX, /* the thread has done more events than have a record: so many */
    PF_CODE_EVENT, /* + kind: every other event */
    PF_CODE_REPEAT =
        32, /* + 4 * code of the operand + code of the site: as the last one of its site */
    PF_CODE_RETURN = PF_CODE_REPEAT + PF_CODE_OTHER, /* RET of the thread's innermost open call */
    PF_CODE_CALL = PF_CODE_RETURN + 4, /* + 4 * code of the site: as the last call at its site */
    PF_CODE_RANGE = PF_CODE_CALL + 12, /* that the call before reaches */
};

_Static_assert(PF_CODE_EVENT + PF_EV_KINDS <= PF_CODE_REPEAT, "six bits");

/* What an event outside of the short form has; a byte before its fields. */
enum {
    PF_HAS_OPERAND = 1,
    PF_HAS_SECOND = 2,
    PF_HAS_VALUE = 4,
    PF_HAS_OLD = 8,
    PF_HAS_FLAGS = 16,
    PF_HAS_BYTES = 32,
    PF_HAS_NO_INDEX = 64, /* part of the operation of the record before */
    PF_HAS_SKIP = 128, /* as PF_CODE_INDEX, before it */
};

struct pf_code_site {
    uint64_t addr, value; /* of its last access */
    uint64_t stride, offset,
        near; /* addr: from its last, the thread's pointer, the thread's last */
    uint64_t step; /* value: from the one before */
    uint32_t next[2]; /* sites that came next, the latest first */
    uint8_t size, kind; /* of the access; size 0: not known yet, or not of the short form */
    uint8_t named; /* writer: by an event of the long form */
    uint8_t reserved[5];
};
_Static_assert(sizeof(struct pf_code_site) == 64, "a cache line each");

/* The last event of the long form at a site, without what changes. */
struct pf_code_shape {
    uint64_t more;
    uint32_t skip;
    uint8_t kind, has, flags, reserved;
};

struct pf_code_thread {
    uint64_t pointer; /* the last value of 8 bytes that can be one */
    uint64_t near; /* the last address */
    uint64_t operand; /* of the last event of the long form */
    uint64_t index; /* of the event before */
    uint32_t site; /* of the event before */
    uint32_t named; /* writer */
};

/* What was last seen in memory. Words of wide values have a table of their own, and a larger one: they come in the
 * order of their addresses, mostly, and do not mind the size of it. */
#define PF_CODE_MEMORY_BITS 14
#define PF_CODE_WORD_BITS 16
struct pf_code_memory {
    uint64_t addr, value;
};

struct pf_code {
    struct pf_code_site *site; /* by number */
    struct pf_code_shape *shape; /* likewise */
    uint64_t range; /* where the last one ends that a call reaches */
    struct pf_code_memory memory[1 << PF_CODE_MEMORY_BITS], word[1 << PF_CODE_WORD_BITS];
};

#define PF_CODE_WIDE_MIN 16
#define PF_CODE_WIDE_MAX 64 /* also: bytes of an event of the long form */
/* At most so many bytes of addresses, of values, for one access of up to 8 bytes. */
#define PF_CODE_ADDRESS_MAX 16
#define PF_CODE_VALUE_MAX 8

typedef uint64_t __attribute__((aligned(1), may_alias)) pf_code_u64;

/* Has an access of this size the short form? */
static inline bool pf_code_is_wide(uint64_t size)
{
    return size >= PF_CODE_WIDE_MIN && size <= PF_CODE_WIDE_MAX && size % 8 == 0;
}

/* Neighbouring words are neighbours, the bytes of a word are far from each other. */
static inline size_t pf_code_cell(unsigned bits, uint64_t addr)
{
    return ((addr >> 3) + (addr >> 16) * 5 + (addr << (bits - 3))) & ((1u << bits) - 1);
}
static inline struct pf_code_memory *pf_code_memory(struct pf_code *c, uint64_t addr)
{
    return &c->memory[pf_code_cell(PF_CODE_MEMORY_BITS, addr)];
}
static inline struct pf_code_memory *pf_code_word(struct pf_code *c, uint64_t addr)
{
    return &c->word[pf_code_cell(PF_CODE_WORD_BITS, addr)];
}

/* Can this value be the address of something? */
static inline bool pf_code_is_pointer(uint64_t value) { return (value - 0x10000) >> 47 == 0; }

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

/* --- both sides --- */

static inline void pf_code_step_site(struct pf_code *c, struct pf_code_thread *t, uint32_t site)
{
    struct pf_code_site *before = &c->site[t->site];
    if (before->next[0] != site) {
        before->next[1] = before->next[0];
        before->next[0] = site;
    }
    t->site = site;
}

static inline void pf_code_step_address(struct pf_code_site *s, struct pf_code_thread *t,
                                        uint64_t addr)
{
    s->stride = addr - s->addr;
    s->offset = addr - t->pointer;
    s->near = addr - t->near;
    s->addr = t->near = addr;
}

/* Relative to what an event of the long form says its value. */
static inline uint64_t pf_code_base(struct pf_code *c, const struct pf_code_site *s, unsigned has,
                                    uint64_t operand)
{
    const struct pf_code_memory *m = pf_code_memory(c, operand);
    return has & PF_HAS_OPERAND && m->addr == operand ? m->value : s->value;
}

static inline void pf_code_step_value(struct pf_code *c, struct pf_code_site *s,
                                      struct pf_code_thread *t, unsigned has, uint64_t operand,
                                      uint64_t more, uint64_t value)
{
    s->value = value;
    if (has & PF_HAS_OPERAND)
        *pf_code_memory(c, operand) = (struct pf_code_memory){operand, value};
    if (more == 8 && pf_code_is_pointer(value))
        t->pointer = value;
}

/* Is the last event of the long form at a site a call, with a set? Function and set are the site's address and value. */
static inline bool pf_code_is_call(const struct pf_code_shape *last)
{
    return last->kind == PF_EV_CALL &&
           (last->has & ~PF_HAS_SKIP) == (PF_HAS_OPERAND | PF_HAS_VALUE);
}

/* --- writing --- */

/* The site of the thread's next event; the code, with what it needs. */
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

/* Likewise its address; `first`: where the code 0 would have it. */
static inline unsigned pf_code_put_address(struct pf_code_site *s, struct pf_code_thread *t,
                                           uint64_t addr, uint64_t first, unsigned char **a)
{
    uint64_t d = addr - s->addr, offset = addr - t->pointer, near = addr - t->near;
    unsigned code;
    if (addr == first)
        code = PF_CODE_STRIDE;
    else if (offset == s->offset)
        code = PF_CODE_POINTER;
    else if (near == s->near)
        code = PF_CODE_NEAR;
    else
        code = pf_code_difference(a, d);
    s->stride = d;
    s->offset = offset;
    s->near = near;
    s->addr = t->near = addr;
    return code;
}

/* A plain access in the short form: its head; a and v move on. */
static inline unsigned char pf_code_put(struct pf_code *c, struct pf_code_thread *t, uint32_t site,
                                        uint64_t addr, uint64_t value, unsigned char **a,
                                        unsigned char **v)
{
    struct pf_code_site *s = &c->site[site];
    unsigned head = pf_code_put_site(c, t, site, a), code;
    head |= pf_code_put_address(s, t, addr, s->addr + s->stride, a) << 2;
    struct pf_code_memory *m = pf_code_memory(c, addr);
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
    if (s->size == 8 && pf_code_is_pointer(value))
        t->pointer = value;
    t->index++;
    return (unsigned char)(head | code << 5);
}

/* Likewise a wide one, of the site's size. */
static inline unsigned char pf_code_put_wide(struct pf_code *c, struct pf_code_thread *t,
                                             uint32_t site, uint64_t addr, const void *bytes,
                                             unsigned char **a, unsigned char **v)
{
    struct pf_code_site *s = &c->site[site];
    unsigned head = pf_code_put_site(c, t, site, a), n = s->size / 8, given = 0;
    head |= pf_code_put_address(s, t, addr, s->addr + s->stride, a) << 2;
    const pf_code_u64 *word = bytes;
    for (unsigned i = 0; i < n; i++, addr += 8) {
        struct pf_code_memory *m = pf_code_word(c, addr);
        given |= (unsigned)(m->addr != addr || m->value != word[i]) << i;
        m->addr = addr;
        m->value = word[i];
    }
    t->index++;
    if (!given)
        return (unsigned char)(head | PF_CODE_NO_WORDS << 5);
    bool all = given + 1 == 1u << n;
    **v = (unsigned char)given;
    *v += !all;
    for (unsigned i = 0; i < n; i++) {
        *(pf_code_u64 *)*v = word[i];
        *v += 8 * (given >> i & 1);
    }
    return (unsigned char)(head | (all ? PF_CODE_ALL_WORDS : PF_CODE_SOME_WORDS) << 5);
}

/* --- reading: the same books --- */

/* Bytes behind the end of a stream are 0, and whoever took them finds out afterwards. */
static inline uint64_t pf_code_take_varint(const unsigned char **p)
{
    uint64_t v = *(*p)++;
    if (__builtin_expect(v > 127, 0)) {
        v &= 127;
        for (unsigned shift = 7; shift < 64; shift += 7) {
            uint64_t b = *(*p)++;
            v |= (b & 127) << shift;
            if (b < 128)
                break;
        }
    }
    return v;
}

static inline uint64_t pf_code_take_signed(const unsigned char **p)
{
    return (uint64_t)pf_code_unzigzag(pf_code_take_varint(p));
}

/* What a code of the head says of a number, so that it is made without branches: heads cannot be
 * predicted. */
struct pf_code_delta {
    uint64_t mask, sign; /* of the difference in the stream; 0: there is none */
    uint64_t guess; /* all ones: the site's stride, or step, is added */
    uint64_t width; /* bytes in the stream */
};
#define PF_CODE_WIDE(bytes) {~0ull >> (64 - 8 * (bytes)), 1ull << (8 * (bytes) - 1), 0, (bytes)}
#define PF_CODE_WIDTHS                                                                             \
    PF_CODE_WIDE(1), PF_CODE_WIDE(2), PF_CODE_WIDE(3), PF_CODE_WIDE(4), PF_CODE_WIDE(8)
static const struct pf_code_delta pf_code_address[8] = {
    {0, 0, ~0ull, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, PF_CODE_WIDTHS};
static const struct pf_code_delta pf_code_value[8] = {
    {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, ~0ull, 0}, PF_CODE_WIDTHS};

static inline uint64_t pf_code_add(const struct pf_code_delta *w, uint64_t guess,
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

/* The address by its code; 8 bytes can be read at *a. */
static inline uint64_t pf_code_take_address(struct pf_code_site *s, struct pf_code_thread *t,
                                            unsigned code, uint64_t stride, const unsigned char **a)
{
    uint64_t addr = s->addr + pf_code_add(&pf_code_address[code], stride, a);
    addr = pf_code_choose(code ^ PF_CODE_POINTER, t->pointer + s->offset, addr);
    addr = pf_code_choose(code ^ PF_CODE_NEAR, t->near + s->near, addr);
    pf_code_step_address(s, t, addr);
    return addr;
}

/* The address and value of an access in the short form whose site is known: at least 8 bytes can be
 * read at *a and *v. `step` is right as far as the size goes, and more is not asked of it. */
static inline void pf_code_take(struct pf_code_site *s, struct pf_code *c, struct pf_code_thread *t,
                                unsigned head, uint64_t *addr, uint64_t *value,
                                const unsigned char **a, const unsigned char **v)
{
    uint64_t now = pf_code_take_address(s, t, head >> 2 & 7, s->stride, a), last = s->value;
    uint64_t mask = ~0ull >> ((64 - 8 * s->size) & 63);
    *addr = now;
    struct pf_code_memory *m = pf_code_memory(c, now);
    unsigned code = head >> 5;
    uint64_t held = pf_code_choose(m->addr ^ now, m->value, last);
    m->addr = now;
    now = last + pf_code_add(&pf_code_value[code], s->step, v);
    now = pf_code_choose(code, held, now) & mask;
    s->step = now - last;
    s->value = now;
    m->value = now;
    uint64_t no = ~mask | (now - 0x10000) >> 47;
    t->pointer = pf_code_choose(no, now, t->pointer);
    *value = now;
}

/* Likewise a wide one; `out` has room for it, `head` one of the three codes. */
static inline void pf_code_take_wide(struct pf_code_site *s, struct pf_code *c,
                                     struct pf_code_thread *t, unsigned head, uint64_t *addr,
                                     unsigned char *out, const unsigned char **a,
                                     const unsigned char **v)
{
    uint64_t at = *addr = pf_code_take_address(s, t, head >> 2 & 7, s->stride, a);
    unsigned code = head >> 5, n = s->size / 8;
    const unsigned char *from = *v;
    unsigned given = code == PF_CODE_ALL_WORDS ? 255 : code == PF_CODE_NO_WORDS ? 0 : *from++;
    for (unsigned i = 0; i < n; i++, at += 8) {
        struct pf_code_memory *m = pf_code_word(c, at);
        uint64_t is = given >> i & 1;
        uint64_t held = pf_code_choose(m->addr ^ at, m->value, 0);
        uint64_t word = pf_code_choose(is, held, *(const pf_code_u64 *)from);
        from += 8 * is;
        m->addr = at;
        m->value = word;
        *(pf_code_u64 *)(out + 8 * i) = word;
    }
    *v = from;
}

#endif
