/*
 * check_miss.c - where the quick test of compiled code did not pass: the usual first touch of an
 * epoch, at once; first its plainest cases, then the others. These functions keep every register
 * they use (clang's preserve_most), so nothing is saved that is not needed; all else goes through
 * stubs that save everything (check_entry.S).
 */
#include "check.h"
#include "stack.h"
#include "touch.h"

#define KEEP __attribute__((preserve_most))

static inline __attribute__((always_inline)) bool miss(uintptr_t addr, uint32_t site, unsigned size,
                                                       bool write, bool lean)
{
    const uint32_t *clock = __pf_tls.clock;
    if (__builtin_expect(!clock, 0)) /* an unknown thread, a waiting signal, a special mode */
        return false;
    uint32_t id = pf_stack_id_known(site);
    if (__builtin_expect(!id, 0))
        return false;
    uint64_t mine = (__pf_tls.key & (PF_BITS_SID | PF_BITS_CLK)) | id | (write ? PF_BIT_W : 0);
    mine |= ((1ull << (size < 8 ? size : 8)) - 1) << (PF_MASK_SHIFT + (size < 8 ? addr & 7 : 0));
    uint64_t *cell = pf_cell_of(addr);
    for (unsigned i = 0; i < size; i += 8, cell += 2) /* a half that is touched twice is no harm */
        if (!(lean ? pf_cell_touch_lean(clock, cell, mine, write)
                   : pf_cell_touch(clock, cell, mine)))
            return false;
    return true;
}

#define MISS(name, size, write)                                                                    \
    KEEP PF_EXPORT void name##_miss(uintptr_t addr, uint32_t site);                                \
    KEEP void pf_stub_##name(uintptr_t addr, uint32_t site);                                       \
    static KEEP __attribute__((noinline)) void name##_full(uintptr_t addr, uint32_t site)          \
    {                                                                                              \
        if (!miss(addr, site, size, write, false))                                                 \
            pf_stub_##name(addr, site);                                                            \
    }                                                                                              \
    void name##_miss(uintptr_t addr, uint32_t site)                                                \
    {                                                                                              \
        if (!miss(addr, site, size, write, true))                                                  \
            name##_full(addr, site);                                                               \
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
