/*
 * Atomic operations and fences as events: the scheduler comes before the operation, the record after
 * it, for then both values are known.
 */
#include "direct.h"
#include "event.h"
#include "rt.h"

struct operation {
    uintptr_t addr;
    uint64_t old;
    uint32_t packed, site;
};
/* At most one is under way in a thread. */
static __thread struct operation current __attribute__((tls_model("initial-exec")));

static void count(uintptr_t addr, bool write)
{
    if (--__pf_tls.budget < 0)
        pf_event_due(addr, write);
}

void *pf_event_atomic_begin(void *addr, uint32_t packed, uint32_t site)
{
    uint8_t op = packed >> 8 & 0xff;
    count((uintptr_t)addr, op != PF_ATOMIC_LOAD);
    current = (struct operation){.addr = (uintptr_t)addr, .packed = packed, .site = site};
    return &current;
}

void pf_event_atomic_end(void *handle, uint32_t stored)
{
    (void)handle;
    (void)stored;
}

void pf_event_fence(uint32_t order, uint32_t site)
{
    (void)order;
    (void)site;
    count(0, false);
}
