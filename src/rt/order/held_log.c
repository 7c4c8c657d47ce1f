/*
 * held_log.c - see held_log.h.
 *
 * There are many epochs, ten million per second in a program that does little but lock, and the log
 * is read only for reports. So appending is one store, and 1024 values are packed at a time.
 * Run-length encoding was rejected: threads alternate between holding a lock and holding none.
 *
 * A packed chunk, in words of 64 bits:
 *
 *      width | list << 8 | base << 32,   then, if `list` is not 0, that many values of 32 bits,
 *      then 1024 times `width` bits; a value is base + bits, or list[bits].
 */
#include "held_log.h"
#include "sys.h"

#define CHUNK PF_HELD_LOG_CHUNK
#define CHUNKS ((PF_CLK_MAX + 1) / CHUNK)
#define LIST_MAX 256u /* distinct values of a chunk that are listed */
#define HASH 512u /* slots */
#define VALUE_BITS 22 /* lockset numbers are below 1 << this (lockset.c) */
#define KEEP (1u << 31) /* of `sealed` */

/* In the worst case every chunk takes 22 bits per value; one word is left at the end for reads of
 * whole words. */
#define PACKED_MAX ((size_t)CHUNKS * (CHUNK * VALUE_BITS / 64 + 1) + 2)
#define OPEN_BYTES (CHUNK * sizeof(uint32_t))
#define SEALED_BYTES (CHUNKS * sizeof(uint32_t))
#define LOG_BYTES (OPEN_BYTES + SEALED_BYTES + PACKED_MAX * 8)
_Static_assert(PACKED_MAX << 1 < KEEP && 1u << (VALUE_BITS + 1) < KEEP, "the bit is free");
_Static_assert(OPEN_BYTES % PF_PAGE == 0 && SEALED_BYTES % PF_PAGE == 0, "parts begin at pages");

bool pf_held_log_init(struct pf_held_log *l)
{
    char *at = pf_sys_map(0, LOG_BYTES);
    if (!at)
        return false;
    l->open = (uint32_t *)at;
    l->sealed = (uint32_t *)(at + OPEN_BYTES);
    l->packed = (uint64_t *)(at + OPEN_BYTES + SEALED_BYTES);
    l->used = 1;
    l->examined = l->discardable = 0;
    l->keep = false;
    return true;
}

void pf_held_log_clear(struct pf_held_log *l)
{
    pf_sys_discard(l->open, LOG_BYTES);
    l->used = 1;
    l->examined = l->discardable = 0;
    l->keep = false;
}

static unsigned width_of(uint32_t n) { return n ? 32 - (unsigned)__builtin_clz(n) : 0; }

/* The distinct values of a chunk, at most LIST_MAX of them, and for each epoch the index of its
 * value. */
struct values {
    uint32_t n; /* LIST_MAX + 1: there are more */
    uint32_t list[LIST_MAX];
    uint16_t hash[HASH]; /* index + 1 */
    uint8_t position[CHUNK];
};

static void collect(struct values *all, const uint32_t *v)
{
    pf_zero(all->hash, sizeof all->hash);
    all->n = 0;
    for (unsigned i = 0; i < CHUNK; i++) {
        uint32_t h = v[i] * 0x9e3779b9u >> 23;
        while (all->hash[h] && all->list[all->hash[h] - 1] != v[i])
            h = (h + 1) % HASH;
        if (!all->hash[h]) {
            if (all->n == LIST_MAX) {
                all->n++;
                return;
            }
            all->list[all->n] = v[i];
            all->hash[h] = (uint16_t)++all->n;
        }
        all->position[i] = (uint8_t)(all->hash[h] - 1);
    }
}

static void put_bits(uint64_t *words, unsigned at, unsigned width, uint64_t bits)
{
    words[at / 64] |= bits << at % 64;
    if (at % 64 + width > 64)
        words[at / 64 + 1] |= bits >> (64 - at % 64);
}

static uint32_t get_bits(const uint64_t *words, unsigned at, unsigned width)
{
    uint64_t w = words[at / 64] >> at % 64;
    if (at % 64 + width > 64)
        w |= words[at / 64 + 1] << (64 - at % 64);
    return (uint32_t)(w & ((1ull << width) - 1));
}

/* Packs the full array `open`; returns the chunk's entry in `sealed`. Not inlined: its tables are
 * on the stack only as long as it runs. */
static __attribute__((noinline)) uint32_t seal(struct pf_held_log *l)
{
    const uint32_t *v = l->open;
    uint32_t lo = v[0], hi = v[0];
    for (unsigned i = 1; i < CHUNK; i++) {
        lo = v[i] < lo ? v[i] : lo;
        hi = v[i] > hi ? v[i] : hi;
    }
    if (lo == hi)
        return lo << 1 | 1;
    struct values all;
    collect(&all, v);
    unsigned width = width_of(hi - lo), by_list = width_of(all.n - 1);
    bool list = all.n <= LIST_MAX && CHUNK * by_list + all.n * 32 < CHUNK * width;
    uint64_t *w = l->packed + l->used;
    uint32_t *values = (uint32_t *)(w + 1);
    width = list ? by_list : width;
    w[0] = width | (list ? (uint64_t)all.n << 8 : 0) | (uint64_t)(list ? 0 : lo) << 32;
    for (unsigned i = 0; list && i < all.n; i++)
        values[i] = all.list[i];
    uint64_t *bits = w + 1 + (list ? (all.n + 1) / 2 : 0);
    for (unsigned i = 0; i < CHUNK; i++)
        put_bits(bits, i * width, width, list ? all.position[i] : v[i] - lo);
    uint32_t at = l->used;
    l->used = (uint32_t)(bits + (CHUNK * width + 63) / 64 - l->packed);
    return at << 1;
}

void pf_held_log_seal(struct pf_held_log *l, uint32_t clk)
{
    if (!clk || l->sealed[clk / CHUNK - 1])
        return;
    __atomic_store_n(&l->sealed[clk / CHUNK - 1], seal(l) | (l->keep ? KEEP : 0), __ATOMIC_RELEASE);
    l->keep = false;
}

void pf_held_log_keep(struct pf_held_log *l, uint32_t clk)
{
    uint32_t *chunk = &l->sealed[clk / CHUNK];
    if (!*chunk)
        l->keep = true;
    else if (!(*chunk & KEEP))
        __atomic_store_n(chunk, *chunk | KEEP, __ATOMIC_RELEASE);
}

/* Gives the whole pages between two words of `packed` back to the kernel. Returns the first word
 * after them; `from` if there is no whole page. */
static uint32_t discard_words(struct pf_held_log *l, uint32_t from, uint32_t to)
{
    char *begin = (char *)(l->packed + from), *end = (char *)(l->packed + to);
    begin += -(uintptr_t)begin % PF_PAGE;
    end -= (uintptr_t)end % PF_PAGE;
    if (begin >= end)
        return from;
    pf_sys_discard(begin, (size_t)(end - begin));
    return (uint32_t)((uint64_t *)end - l->packed);
}

void pf_held_log_discard(struct pf_held_log *l, uint32_t clk)
{
    uint32_t last = 0; /* the first word of the last chunk that was examined */
    for (; l->examined < (clk + 1) / CHUNK; l->examined++) {
        uint32_t chunk = __atomic_load_n(&l->sealed[l->examined], __ATOMIC_ACQUIRE);
        if (!chunk)
            break;
        if (chunk & 1)
            continue;
        last = (chunk & ~KEEP) >> 1;
        if (!l->discardable)
            l->discardable = last;
        if (chunk & KEEP) {
            discard_words(l, l->discardable, last);
            l->discardable = 0;
        }
    }
    if (last && l->discardable)
        l->discardable = discard_words(l, l->discardable, last);
}

static uint32_t unpack(const struct pf_held_log *l, uint32_t where, unsigned i)
{
    if (where & 1)
        return where >> 1;
    const uint64_t *w = l->packed + (where >> 1);
    unsigned width = w[0] & 0xff, list = w[0] >> 8 & 0xffffff;
    uint32_t bits = get_bits(w + 1 + (list + 1) / 2, i * width, width);
    return list ? ((const uint32_t *)(w + 1))[bits] : (uint32_t)(w[0] >> 32) + bits;
}

uint32_t pf_held_log_get(const struct pf_held_log *l, uint32_t clk)
{
    const uint32_t *where = &l->sealed[clk / CHUNK];
    uint32_t set = __atomic_load_n(&l->open[clk % CHUNK], __ATOMIC_ACQUIRE);
    uint32_t at = __atomic_load_n(where, __ATOMIC_ACQUIRE);
    /* not sealed yet, so `set` belongs to this chunk */
    return at ? unpack(l, at & ~KEEP, clk % CHUNK) : set;
}
