/*
 * output_record.h - stream `output` of a clip: its records, and the hash of the bytes written.
 *
 * Model:   a text is a number to the base PF_OUTPUT_BASE modulo 2^61 - 1, one digit a byte. So the
 *          hash of two texts in a row follows from their hashes and the length of the second one:
 *          it does not depend on the pieces in which a program writes. docs/format/input.md.
 * Memory:  none.
 *
 * The runtime includes this header: it may need no library and use no vector registers.
 */
#ifndef PF_CLIP_OUTPUT_RECORD_H
#define PF_CLIP_OUTPUT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of `fd`. Internal: a pipe, socket pair or eventfd that the program has made for itself.
 * Placed: written at a position of the file (pwrite), which follows the record in 8 bytes. */
#define PF_OUTPUT_INTERNAL 0x40000000
#define PF_OUTPUT_PLACED 0x20000000

/* After the position, if there is one, `kept` bytes follow. */
struct pf_output_record {
    uint32_t context;
    int32_t fd;
    uint64_t hash;
    uint32_t length, kept;
} __attribute__((packed));
_Static_assert(sizeof(struct pf_output_record) == 24, "docs/format/input.md");

#define PF_OUTPUT_PRIME ((1ull << 61) - 1)
#define PF_OUTPUT_BASE 0x1b79f4e3c5a2d61ull

static inline uint64_t pf_output_reduce(unsigned __int128 v)
{
    uint64_t r = (uint64_t)(v & PF_OUTPUT_PRIME) + (uint64_t)(v >> 61 & PF_OUTPUT_PRIME) +
                 (uint64_t)(v >> 122);
    r = (r & PF_OUTPUT_PRIME) + (r >> 61);
    return r >= PF_OUTPUT_PRIME ? r - PF_OUTPUT_PRIME : r;
}

static inline uint64_t pf_output_times(uint64_t a, uint64_t b)
{
    return pf_output_reduce((unsigned __int128)a * b);
}

/* The base to the power of n. */
static inline uint64_t pf_output_power(uint64_t n)
{
    uint64_t r = 1;
    for (uint64_t b = PF_OUTPUT_BASE; n; n >>= 1, b = pf_output_times(b, b))
        if (n & 1)
            r = pf_output_times(r, b);
    return r;
}

/* The hash of a text whose first part has the hash h, and whose second part are these bytes. */
static inline uint64_t pf_output_hash(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t power[9] = {1};
    for (unsigned i = 1; i < 9 && n >= 8; i++)
        power[i] = pf_output_times(power[i - 1], PF_OUTPUT_BASE);
    for (; n >= 8; p += 8, n -= 8) {
        unsigned __int128 sum = (unsigned __int128)h * power[8];
        for (unsigned i = 0; i < 8; i++)
            sum += (unsigned __int128)p[i] * power[7 - i];
        h = pf_output_reduce(sum);
    }
    for (; n; p++, n--)
        h = pf_output_reduce((unsigned __int128)h * PF_OUTPUT_BASE + *p);
    return h;
}

/* The same if only the hash of the second part is known. */
static inline uint64_t pf_output_hash_join(uint64_t first, uint64_t second, uint64_t length)
{
    return pf_output_reduce((unsigned __int128)first * pf_output_power(length) + second);
}

/* Reads the record at offset *at and advances *at to the next one. Sets *position to where the
 * bytes were written (-1: where the last ones ended), and *kept to the `kept` bytes. Clears both
 * flags of `fd`; *internal tells whether PF_OUTPUT_INTERNAL was set. False: there is no further
 * complete record. */
static inline bool pf_output_record_next(const unsigned char *bytes, size_t n, size_t *at,
                                         struct pf_output_record *r, bool *internal,
                                         int64_t *position, const unsigned char **kept)
{
    size_t i = *at;
    if (n - i < sizeof *r)
        return false;
    __builtin_memcpy(r, bytes + i, sizeof *r);
    i += sizeof *r;
    *internal = r->fd & PF_OUTPUT_INTERNAL;
    *position = -1;
    if (r->fd & PF_OUTPUT_PLACED) {
        if (n - i < sizeof *position)
            return false;
        __builtin_memcpy(position, bytes + i, sizeof *position);
        i += sizeof *position;
    }
    r->fd &= ~(PF_OUTPUT_INTERNAL | PF_OUTPUT_PLACED);
    if (n - i < r->kept)
        return false;
    *kept = bytes + i;
    *at = i + r->kept;
    return true;
}

#endif
