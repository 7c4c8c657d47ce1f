/*
 * check_miss.c - where the quick test of compiled code did not pass: the usual first touch of an
 * epoch, at once. These functions keep every register they use (clang's preserve_most), so nothing
 * is saved that is not needed; all else goes through stubs that save everything (check_entry.S).
 */
#include "check.h"
#include "rt.h"
#include "touch.h"

#define KEEP __attribute__((preserve_most, visibility("default")))

static inline __attribute__((always_inline)) bool miss(uintptr_t addr, uint32_t site, unsigned size,
                                                       bool write)
{
    struct pf_thread *t = __pf_tls.thread;
    uint64_t key = __pf_tls.key;
    if (__builtin_expect(!t || __pf_tls.nested || !key || pf_rt.careful, 0) || pf_ignores(t, write))
        return false;
    uint64_t a = key & (PF_BITS_SID | PF_BITS_CLK);
    if (write)
        a |= PF_BIT_W;
    uint64_t *cell = pf_cell_of(addr);
    if (size <= 8) {
        a |= ((1ull << size) - 1) << (PF_MASK_SHIFT + (size < 8 ? addr & 7 : 0));
        return pf_cell_touch(t, cell, a, 0, site);
    }
    a |= PF_MASK_ALL;
    /* Touching the first half twice is no harm, should the second half need the long way. */
    return pf_cell_touch(t, cell, a, 0, site) && pf_cell_touch(t, cell + 2, a, 0, site);
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
