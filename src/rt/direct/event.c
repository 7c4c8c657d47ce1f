#include "event.h"
#include "direct.h"
#include "options.h"
#include "rt.h"

_Static_assert(offsetof(struct pf_tls, budget) == 48, "event_entry.S knows the offset");

#define WITHOUT_END (INT64_MAX / 2)

void pf_event_due(uintptr_t addr, bool write)
{
    if (pf_directed())
        pf_sched_event(addr, write);
    else /* option `events`: there is nobody to be asked */
        __pf_tls.budget = pf_options.events > 1 ? 0 : WITHOUT_END;
}

/* Counted by the entry point, which found the budget used up. */
static bool ask(uintptr_t addr, bool write)
{
    if (__builtin_expect(!pf_self(), 0)) {
        __pf_tls.budget = 0;
        return false;
    }
    pf_event_due(addr, write);
    return pf_direct.tracing;
}

void pf_event_access(uintptr_t addr, uint32_t site, uint64_t value, uint32_t what)
{
    (void)site;
    (void)value;
    ask(addr, what & PF_EVENT_WRITE);
}

void pf_event_range(uintptr_t addr, uint32_t site, uint64_t size, const void *content,
                    enum pf_event_range how)
{
    (void)site;
    (void)size;
    (void)content;
    if (how != PF_EVENT_RANGE_COPIED)
        ask(addr, how != PF_EVENT_RANGE_READ);
}

void pf_event_copy(uintptr_t dst, uintptr_t src, uint64_t size, uint32_t site)
{
    if (--__pf_tls.budget >= 0)
        return;
    pf_event_range(src, site, size, NULL, PF_EVENT_RANGE_READ);
    pf_event_range(dst, site, size, (void *)src, PF_EVENT_RANGE_COPIED);
}

void pf_event_set(uintptr_t dst, uint8_t byte, uint64_t size, uint32_t site)
{
    if (--__pf_tls.budget < 0)
        pf_event_range(dst, site, size, (void *)(uintptr_t)byte, PF_EVENT_RANGE_FILL);
}
