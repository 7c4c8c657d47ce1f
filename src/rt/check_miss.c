/*
 * check_miss.c - where the quick test of compiled code did not pass: the usual first touch of an
 * epoch, at once. These functions keep every register they use (clang's preserve_most), so nothing
 * is saved that is not needed; all else goes through stubs that save everything (check_entry.S).
 */
#include "check.h"
#include "stack.h"
#include "touch.h"

#define KEEP __attribute__((preserve_most, visibility("default")))

static inline __attribute__((always_inline)) bool miss(uintptr_t addr, uint32_t site, unsigned size,
                                                       bool write)
{
    const uint32_t *clock = __pf_tls.clock;
    if (__builtin_expect(!clock, 0)) /* an unknown thread, a waiting signal, a special mode */
        return false;
    uint64_t a = __pf_tls.key & (PF_BITS_SID | PF_BITS_CLK), *cell = pf_cell_of(addr);
    uint32_t id = pf_stack_id_known(site);
    if (__builtin_expect(!id, 0))
        return false;
    if (write)
        a |= PF_BIT_W;
    if (size <= 8) {
        a |= ((1ull << size) - 1) << (PF_MASK_SHIFT + (size < 8 ? addr & 7 : 0));
        return pf_cell_touch(clock, cell, a | id);
    }
    a |= PF_MASK_ALL | id;
    /* Touching the first half twice is no harm, should the second half need the long way. */
    return pf_cell_touch(clock, cell, a) && pf_cell_touch(clock, cell + 2, a);
}

#define MISS(name, size, write)                                                                    \
    KEEP void name##_miss(uintptr_t addr, uint32_t site);                                          \
    __attribute__((preserve_most)) void pf_stub_##name(uintptr_t addr, uint32_t site);             \
    KEEP void name##_miss(uintptr_t addr, uint32_t site)                                           \
    {                                                                                              \
        if (!miss(addr, site, size, write))                                                        \
            pf_stub_##name(addr, site);                                                            \
    }

MISS(__pf_read1, 1, false)
MISS(__pf_read2, 2, false)
MISS(__pf_read4, 4, false)
MISS(__pf_read8, 8, false)
MISS(__pf_read16, 16, false)
MISS(__pf_write1, 1, true)
MISS(__pf_write2, 2, true)
MISS(__pf_write4, 4, true)
MISS(__pf_write8, 8, true)
MISS(__pf_write16, 16, true)
