/*
 * event_code.h - encodes events as bytes: predicts each field and stores only what was
 * mispredicted. docs/format/trace.md is normative.
 *
 * Model:   writer and reader keep the same predictor state and make the same predictions:
 *          - the site: one of the two sites that last followed the thread's previous site;
 *          - the address: by stride, relative to the last pointer that the thread read or wrote, or
 *            relative to the thread's previous address;
 *          - the value: what was last seen at that address or at that site, with or without a step.
 *          One head byte says which predictions were right. Mispredicted fields follow in two other
 *          streams, addresses and values, because bytes of one sort compress better together.
 *
 *                7     5 4     2 1  0
 *               +-------+-------+----+
 *               | value | addr  |site|      site 3: not a plain access, see PF_CODE_OTHER
 *               +-------+-------+----+
 *
 *          This is the short form, for plain reads and writes (PF_EV_READ, PF_EV_WRITE): one byte
 *          if every prediction was right. All other events, such as locks, atomics and calls, have
 *          the long form: a byte that lists the fields, then the fields.
 * Memory:  the caller owns struct pf_code, zero at the start, and its tables of sites.
 * Threads: not thread-safe; the caller serialises.
 *
 * The runtime includes this header: it may need no library and use no vector registers.
 */
#ifndef PF_CLIP_EVENT_CODE_H
#define PF_CLIP_EVENT_CODE_H

#include "pf_event.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_CODE_VERSION 5 /* of the trace format */

enum { PF_CODE_NEXT, PF_CODE_NEXT2, PF_CODE_SITE, PF_CODE_OTHER };
/* Codes of an address. _1 to _8: the difference to the site's previous address, in 1 to 8 bytes. */
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
/* Codes of a value of up to 8 bytes; the codes from 3 on are those of addresses. */
enum { PF_CODE_MEMORY, PF_CODE_EQUAL, PF_CODE_STEP };
/* Codes of a wide value, compared word by word with memory: no word follows; all words follow; a
 * byte tells which words follow. */
enum { PF_CODE_NO_WORDS, PF_CODE_ALL_WORDS, PF_CODE_SOME_WORDS };

/* Records with site code 3, by the upper six bits of the head. */
enum {
    PF_CODE_THREAD, /* the running thread changes */
    PF_CODE_INDEX, /* the thread did n operations that have no record */
    PF_CODE_EVENT, /* + kind: an event in the long form */
    PF_CODE_REPEAT = 32, /* + 4 * address code + site code: like the last long event at its site */
    PF_CODE_RETURN = PF_CODE_REPEAT + PF_CODE_OTHER, /* RET of the thread's innermost open call */
    PF_CODE_CALL = PF_CODE_RETURN + 4, /* + 4 * site code: like the last call at its site */
    PF_CODE_RANGE = PF_CODE_CALL + 12, /* a range that the preceding call reaches */
};

_Static_assert(PF_CODE_EVENT + PF_EV_KINDS <= PF_CODE_REPEAT, "six bits");

/* The fields of an event in the long form; one byte, stored before the fields. */
enum {
    PF_HAS_OPERAND = 1,
    PF_HAS_SECOND = 2,
    PF_HAS_VALUE = 4,
    PF_HAS_OLD = 8,
    PF_HAS_FLAGS = 16,
    PF_HAS_BYTES = 32,
    PF_HAS_NO_INDEX = 64, /* belongs to the operation of the previous record */
    PF_HAS_SKIP = 128, /* operations without a record come before it, as with PF_CODE_INDEX */
};

struct pf_code_site {
    uint64_t addr, value; /* of the site's last access */
    /* last address minus: the one before; the thread's pointer; the thread's previous address */
    uint64_t stride, offset, near;
    uint64_t step; /* last value minus the one before */
    uint32_t next[2]; /* sites that followed this one, the latest first */
    uint8_t size, kind; /* of its accesses; size 0: not known yet, or never in the short form */
    uint8_t named; /* writer: its name was written for an event in the long form */
    uint8_t reserved[5];
};
_Static_assert(sizeof(struct pf_code_site) == 64, "a cache line each");

/* The last event in the long form at a site, without the fields that usually change. */
struct pf_code_shape {
    uint64_t more;
    uint32_t skip;
    uint8_t kind, has, flags, reserved;
};

struct pf_code_thread {
    uint64_t pointer; /* the thread's last 8-byte value that can be an address */
    uint64_t near; /* the thread's last address */
    uint64_t operand; /* of the thread's last event in the long form */
    uint64_t index; /* of the thread's last event */
    uint32_t site; /* of the thread's last event */
    uint32_t named; /* writer: the thread's name was written */
};

/* The values last seen in memory, by address. Words of wide values have their own, larger table:
 * they mostly arrive in address order, so a larger table does not cost them cache misses. */
#define PF_CODE_MEMORY_BITS 14
#define PF_CODE_WORD_BITS 16
struct pf_code_memory {
    uint64_t addr, value;
};

struct pf_code {
    struct pf_code_site *site; /* by site number */
    struct pf_code_shape *shape; /* by site number */
    uint64_t range; /* end of the last range that a call reached */
    struct pf_code_memory memory[1 << PF_CODE_MEMORY_BITS], word[1 << PF_CODE_WORD_BITS];
};

#define PF_CODE_WIDE_MIN 16
#define PF_CODE_WIDE_MAX 64 /* also the most bytes of an event in the long form */
/* The most bytes that one access of up to 8 bytes adds to the address and value streams. */
#define PF_CODE_ADDRESS_MAX 16
#define PF_CODE_VALUE_MAX 8

typedef uint64_t __attribute__((aligned(1), may_alias)) pf_code_u64;

/* True if a wide access of this size can have the short form. */
static inline bool pf_code_is_wide(uint64_t size)
{
    return size >= PF_CODE_WIDE_MIN && size <= PF_CODE_WIDE_MAX && size % 8 == 0;
}

/* Table index of an address. Neighbouring words get neighbouring entries; the bytes of one word get
 * entries far from each other. */
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

/* True if the value can be the address of something. */
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

/* The code for a difference by its length in bytes, and the length by code. */
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

/* The prediction relative to which an event in the long form stores its value. */
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

/* True if the last long event at a site was a call with a set. The site's address is then the
 * called function and its value the number of the set. */
static inline bool pf_code_is_call(const struct pf_code_shape *last)
{
    return last->kind == PF_EV_CALL &&
           (last->has & ~PF_HAS_SKIP) == (PF_HAS_OPERAND | PF_HAS_VALUE);
}

/* --- writing --- */

/* Encodes the site of the thread's next event and returns its code. A mispredicted site goes to
 * *a. */
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

/* Encodes the address of an event and returns its code. `first` is the prediction of code 0. */
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

/* Encodes a plain access in the short form and returns its head; advances *a and *v. */
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

/* Encodes a wide access of the site's size in the short form and returns its head. */
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

/* --- reading: the same predictions --- */

/* Reads a varint. The bytes after the end of a stream are 0; the caller checks afterwards whether
 * it read too far. */
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

/* How to compute a number from its code in the head, without branches, because heads are not
 * predictable for the processor. */
struct pf_code_delta {
    uint64_t mask, sign; /* of the difference in the stream; 0: no difference is stored */
    uint64_t guess; /* all ones: add the site's stride or step */
    uint64_t width; /* bytes of the difference in the stream */
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

/* Returns a if `test` is 0, else b. In assembly, because the compiler would use a branch. */
static inline uint64_t pf_code_choose(uint64_t test, uint64_t a, uint64_t b)
{
    __asm__("test %1, %1\n\tcmovz %2, %0" : "+r"(b) : "r"(test), "r"(a) : "cc");
    return b;
}

/* Decodes an address. At least 8 bytes must be readable at *a. */
static inline uint64_t pf_code_take_address(struct pf_code_site *s, struct pf_code_thread *t,
                                            unsigned code, uint64_t stride, const unsigned char **a)
{
    uint64_t addr = s->addr + pf_code_add(&pf_code_address[code], stride, a);
    addr = pf_code_choose(code ^ PF_CODE_POINTER, t->pointer + s->offset, addr);
    addr = pf_code_choose(code ^ PF_CODE_NEAR, t->near + s->near, addr);
    pf_code_step_address(s, t, addr);
    return addr;
}

/* Decodes address and value of an access in the short form at a known site. At least 8 bytes must
 * be readable at *a and *v. Only the low `size` bytes of `step` are right; later uses mask the
 * rest. */
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

/* Decodes a wide access. `out` must have room for it. A value code that no writer uses is read like
 * PF_CODE_SOME_WORDS. */
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
