/*
 * fnv.h - the FNV-1a hash (64 bits) of strings and numbers.
 *
 * Model:   a string is its bytes and a 0; a missing string is only the 0. A number has 8 bytes,
 *          lowest first. docs/format/findings-log.md uses these definitions.
 */
#ifndef PF_REPORT_FNV_H
#define PF_REPORT_FNV_H

#include <stddef.h>
#include <stdint.h>

#define PF_FNV_START 0xcbf29ce484222325ull
#define PF_FNV_PRIME 0x100000001b3ull

static inline uint64_t pf_fnv_bytes(uint64_t h, const void *bytes, size_t n)
{
    for (const unsigned char *b = bytes; n; b++, n--)
        h = (h ^ *b) * PF_FNV_PRIME;
    return h;
}

static inline uint64_t pf_fnv_text(uint64_t h, const char *s)
{
    if (s)
        for (; *s; s++)
            h = (h ^ (unsigned char)*s) * PF_FNV_PRIME;
    return h * PF_FNV_PRIME; /* the terminating 0 byte */
}

static inline uint64_t pf_fnv_number(uint64_t h, uint64_t v)
{
    for (int i = 0; i < 8; i++, v >>= 8)
        h = (h ^ (v & 255)) * PF_FNV_PRIME;
    return h;
}

#endif
