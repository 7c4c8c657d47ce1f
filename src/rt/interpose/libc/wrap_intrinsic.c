/*
 * wrap_intrinsic.c - the memory intrinsics of compiled code: each function checks the accesses and
 * then copies or fills. The accesses belong to the function that contains the intrinsic, with a
 * site of its own, and not to a call of memcpy. In the event body, compiled code reports the events
 * before the call, and these functions only copy or fill.
 */
#include "check.h"
#include "entry.h"
#include "rt.h"
#include "wrap.h"
#include <string.h>

PF_REAL_EXTERN(memcpy);
PF_REAL_EXTERN(memmove);
PF_REAL_EXTERN(memset);

static void copies(void *dst, void *src, uint64_t n, uint32_t site)
{
    if (pf_rt.events)
        return;
    __pf_read_range((uintptr_t)src, n, site);
    __pf_write_range((uintptr_t)dst, n, site);
}

void *__pf_memcpy(void *dst, void *src, uint64_t n, uint32_t site)
{
    copies(dst, src, n, site);
    return PF_REAL(memcpy)(dst, src, n);
}

void *__pf_memmove(void *dst, void *src, uint64_t n, uint32_t site)
{
    copies(dst, src, n, site);
    return PF_REAL(memmove)(dst, src, n);
}

void *__pf_memset(void *dst, uint32_t byte, uint64_t n, uint32_t site)
{
    if (!pf_rt.events)
        __pf_write_range((uintptr_t)dst, n, site);
    return PF_REAL(memset)(dst, (int)byte, n);
}
