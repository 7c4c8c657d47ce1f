/*
 * red_zone.c - see red_zone.h. The quarantine is a ring buffer with a limited number of blocks and
 * bytes.
 */
#include "red_zone.h"
#include "block_history.h"
#include "closure_cache.h"
#include "pf_abi.h"
#include "sys.h"

#define DISCARD_MIN (256u << 10) /* marks of larger ranges are cleared by discarding whole pages */
#define FREED_MAX (4u << 20) /* of a freed block only the first 4 MB are marked */
#define QUARANTINE_BLOCKS 1024u /* limits of the quarantine: blocks, bytes */
#define QUARANTINE_BYTES (16u << 20)

static uint8_t *at(uintptr_t addr) { return pf_red_zone_marks(addr); }

typedef uint64_t __attribute__((aligned(1), may_alias)) word;
typedef uint32_t __attribute__((aligned(1), may_alias)) half;

/* Most ranges are short: the last store of each size overlaps the one before. */
static inline void set(uint8_t *from, uint8_t *to, uint8_t value)
{
    size_t n = (size_t)(to - from);
    uint64_t all = value * 0x0101010101010101ull;
    if (from >= to)
        return;
    if (n > 64) {
        __asm__ volatile("rep stosb" : "+D"(from), "+c"(n) : "a"(value) : "memory");
    } else if (n >= 8) {
        for (; to - from > 8; from += 8)
            *(volatile word *)(void *)from = all;
        *(volatile word *)(void *)(to - 8) = all;
    } else if (n >= 4) {
        *(volatile half *)(void *)from = (uint32_t)all;
        *(volatile half *)(void *)(to - 4) = (uint32_t)all;
    } else {
        *from = value;
        from[n / 2] = value;
        to[-1] = value;
    }
}

/* Clears the marks of [addr, end), both multiples of 8. */
static void clear(uintptr_t addr, uintptr_t end)
{
    uint8_t *from = at(addr), *to = from + (end - addr) / 8;
    if (end - addr > DISCARD_MIN) {
        uint8_t *first = (uint8_t *)pf_page_up((uintptr_t)from);
        uint8_t *last = (uint8_t *)pf_page_down((uintptr_t)to);
        pf_sys_discard(first, (size_t)(last - first));
        set(from, first, 0);
        from = last;
    }
    set(from, to, 0);
}

void pf_red_zone_clear(uintptr_t addr, size_t size)
{
    if (size && addr + size > addr)
        clear(addr & -8ul, (addr + size + 7) & -8ul);
}

void pf_red_zone_mark_block(uintptr_t addr, size_t size, size_t extent)
{
    uintptr_t end = addr + size, zone = end & -8ul;
    if (addr & 7)
        return;
    at(addr)[-1] = PF_ZONE_HEAP; /* libc's header word */
    clear(addr, zone);
    set(at(zone), at(addr + extent), PF_ZONE_HEAP);
    if (end & 7)
        *at(zone) = end & 7;
}

void pf_red_zone_mark_variable(uintptr_t addr, size_t size, enum pf_zone zone)
{
    uintptr_t end = addr + size, from = end & -8ul;
    clear(addr, from);
    set(at(from), at(end + PF_RED_ZONE(size)), (uint8_t)zone);
    if (end & 7)
        *at(from) = end & 7;
}

void pf_red_zone_mark_freed(uintptr_t addr, size_t size)
{
    if (size > FREED_MAX)
        size = FREED_MAX;
    set(at(addr), at((addr + size + 7) & -8ul), PF_ZONE_FREED);
}

static bool is_bad(uintptr_t addr)
{
    uint8_t zone = *at(addr);
    return zone && (zone > 8 || (addr & 7) >= zone);
}

enum pf_zone pf_red_zone_kind(uintptr_t addr)
{
    uint8_t zone = *at(addr);
    if (!is_bad(addr))
        return PF_ZONE_NONE;
    if (zone < 8) /* a partial granule: the kind is that of the next mark */
        zone = at(addr)[1];
    return zone == PF_ZONE_FREED || zone == PF_ZONE_STACK || zone == PF_ZONE_GLOBAL
               ? (enum pf_zone)zone
               : PF_ZONE_HEAP;
}

uintptr_t pf_red_zone_find(uintptr_t addr, size_t size)
{
    if (!size || addr + size < addr)
        return 0;
    const uint8_t *from = at(addr), *to = at(addr + size - 1);
    for (const uint8_t *p = from; p <= to;) {
        if (((uintptr_t)p & 7) == 0 && p + 8 <= to && !*(const uint64_t *)(const void *)p) {
            p += 8;
            continue;
        }
        if (*p)
            for (uintptr_t a = p == from ? addr : (addr & -8ul) + 8 * (uintptr_t)(p - from), i = 0;
                 i < 8 && a < addr + size && at(a) == p; a++, i++)
                if (is_bad(a))
                    return a;
        p++;
    }
    return 0;
}

static struct {
    struct {
        void *block;
        size_t size;
    } at[QUARANTINE_BLOCKS];
    uint32_t first, n;
    size_t bytes;
} quarantine;

static void *take_oldest(void)
{
    void *block = quarantine.at[quarantine.first].block;
    char *soon = quarantine.at[(quarantine.first + 8) % QUARANTINE_BLOCKS].block;
    pf_prefetch(soon - 16);
    pf_block_history_prefetch(soon); /* malloc will hand it out soon */
    if (pf_closure_any)
        pf_closure_prefetch((uintptr_t)soon);
    quarantine.bytes -= quarantine.at[quarantine.first].size;
    quarantine.first = (quarantine.first + 1) % QUARANTINE_BLOCKS;
    quarantine.n--;
    return block;
}

size_t pf_red_zone_take(const void *block)
{
    uint32_t i = 0;
    while (i < quarantine.n &&
           quarantine.at[(quarantine.first + i) % QUARANTINE_BLOCKS].block != block)
        i++;
    if (i == quarantine.n)
        return 0;
    size_t size = quarantine.at[(quarantine.first + i) % QUARANTINE_BLOCKS].size;
    for (quarantine.n--; i < quarantine.n; i++)
        quarantine.at[(quarantine.first + i) % QUARANTINE_BLOCKS] =
            quarantine.at[(quarantine.first + i + 1) % QUARANTINE_BLOCKS];
    quarantine.bytes -= size;
    return size;
}

void pf_red_zone_quarantine(void *block, size_t size, void (*release)(void *))
{
    if (size > QUARANTINE_BYTES / 2) {
        release(block);
        return;
    }
    while (quarantine.n &&
           (quarantine.n == QUARANTINE_BLOCKS || quarantine.bytes > QUARANTINE_BYTES))
        release(take_oldest());
    uint32_t last = (quarantine.first + quarantine.n++) % QUARANTINE_BLOCKS;
    quarantine.at[last].block = block;
    quarantine.at[last].size = size;
    quarantine.bytes += size;
}
