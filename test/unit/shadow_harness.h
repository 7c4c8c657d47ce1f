/*
 * shadow_harness.h - what the unit tests of shadow memory share: the shadow of a few granules at
 * BASE, the entry points that compiled code calls, and stand-ins for functions of the runtime that
 * are not under test.
 */
#ifndef PF_TEST_SHADOW_HARNESS_H
#define PF_TEST_SHADOW_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "cell.h"
#include "hooks.h"
#include "oracle_log.h"
#include "rt.h"
#include "site_pair.h"
#include "site_per_byte.h"
#include "slot.h"
#include "stack.h"
#include "store.h"
#include "sys.h"

#define BASE 0x770000000000ull
#define FIRST_ID 16u /* the id of site 0; that of site n is FIRST_ID + n */

__thread struct pf_tls __pf_tls;
struct pf_rt pf_rt;

/* Functions of the runtime that the tested files call. */
uint32_t pf_stack_id_slow(uint32_t site) { return FIRST_ID + site; }
void pf_lockset_refresh(struct pf_thread *t) {}
static unsigned locksets = 1; /* how many; which one an epoch has depends on its number */
uint32_t pf_epoch_lockset(uint32_t sid, uint32_t clk) { return clk / 2 % locksets; }
void pf_oracle_lock(void) {}
void pf_oracle_unlock(void) {}
void pf_oracle_line(struct pf_thread *t, const char *what, uint64_t a, uint64_t b) {}
static void (*update_globally_ordered)(struct pf_thread *t); /* NULL: nothing changes */
__attribute__((preserve_most)) void pf_thread_update_global_order(struct pf_thread *t)
{
    if (update_globally_ordered)
        update_globally_ordered(t);
}

typedef void access_entry(uintptr_t addr, uint32_t site);
access_entry __pf_read1, __pf_read2, __pf_read4, __pf_read8, __pf_read16;
access_entry __pf_write1, __pf_write2, __pf_write4, __pf_write8, __pf_write16;

/* The entry point for an access of `size` bytes; NULL if there is none. */
static inline access_entry *entry_of(unsigned size, bool write)
{
    static access_entry *const entry[2][17] = {{[1] = __pf_read1,
                                                [2] = __pf_read2,
                                                [4] = __pf_read4,
                                                [8] = __pf_read8,
                                                [16] = __pf_read16},
                                               {[1] = __pf_write1,
                                                [2] = __pf_write2,
                                                [4] = __pf_write4,
                                                [8] = __pf_write8,
                                                [16] = __pf_write16}};
    return size <= 16 ? entry[write][size] : NULL;
}

/* A random number below n. */
static uint64_t rng;
static inline uint32_t rnd(uint32_t n)
{
    rng = rng * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(rng >> 33) % n;
}

/* d := join(d, s), of two clocks. */
static inline void join(uint32_t *d, const uint32_t *s)
{
    for (unsigned i = 0; i <= PF_SID_MAX; i++)
        d[i] = s[i] > d[i] ? s[i] : d[i];
}

static struct pf_frame frames[2]; /* of a function whose calling context is known */

/* Maps the shadow of `bytes` bytes at BASE, and makes the frame. Returns 0, or 1 if that failed. */
static inline int shadow_init(size_t bytes)
{
    uint64_t *cell = pf_cell_of(BASE);
    uint8_t *ready = pf_prefault_mark((uintptr_t)cell);
    void *need[] = {cell, pf_cell_overflow(cell), pf_cell_overflow_state(cell), ready - 1};
    for (int i = 0; i < 4; i++) {
        uintptr_t from = (uintptr_t)need[i] & ~4095ull;
        size_t size = (4 * bytes + 4095 & ~4095ull) + 4096;
        if (mmap((void *)from, size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)from)
            return 1;
    }
    pf_store_init();
    struct pf_node *node = pf_store_alloc(0);
    while (pf_store_handle(node) <= PF_NODE_ROOT)
        node = pf_store_alloc(0);
    node->block[0] = FIRST_ID;
    frames[0].node = pf_store_handle(node);
    __pf_tls.frame = frames + 1;
    pf_site_pair_init();
    pf_site_per_byte_init();
    return 0;
}

#endif
