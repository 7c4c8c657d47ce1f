/*
 * clock.c - the memory of the threads' own vector clocks, see clock.h.
 */
#include "clock.h"
#include "pf_shadow.h"
#include "store.h"
#include "sys.h"

#define CLOCK_ORDER 6 /* 64 << 6 bytes: PF_SID_MAX + 1 entries of 4 bytes */
_Static_assert((PF_SID_MAX + 1) * 4 <= 64 << CLOCK_ORDER, "a clock fits its block");

uint32_t *pf_clock_new(void)
{
    uint32_t *c = pf_store_alloc(CLOCK_ORDER);
    if (c)
        pf_zero(c, 64u << CLOCK_ORDER);
    return c;
}

void pf_clock_free(uint32_t **c)
{
    if (*c)
        pf_store_free(*c, CLOCK_ORDER);
    *c = NULL;
}
