/*
 * resident_page.h - finds the pages of a large, sparsely used mapping that were ever written.
 *
 * Model:   the kernel reports which pages are resident (mincore), many in one call: a search over
 *          gigabytes that asks page by page takes most of a second.
 */
#ifndef PF_RT_RESIDENT_PAGE_H
#define PF_RT_RESIDENT_PAGE_H

#include "sys.h"

#define PF_RESIDENT_STEP 256u /* pages in one call */

/* The highest resident page from `page` down to `lowest`, among at most *pages pages; 0: none.
 * Subtracts from *pages how many pages it has passed, without the one that it returns. */
static inline uintptr_t pf_resident_page(uintptr_t page, uintptr_t lowest, unsigned *pages)
{
    unsigned char in[PF_RESIDENT_STEP];
    while (*pages && page >= lowest) {
        uintptr_t n = (page - lowest) / PF_PAGE + 1;
        n = n < *pages ? n : *pages;
        n = n < PF_RESIDENT_STEP ? n : PF_RESIDENT_STEP;
        if (pf_sys_mincore((void *)(page - (n - 1) * PF_PAGE), n * PF_PAGE, in) != 0) {
            n = 1; /* a part of them is not mapped */
            if (pf_sys_mincore((void *)page, PF_PAGE, in) != 0)
                in[0] = 0;
        }
        for (uintptr_t i = n; i-- > 0; page -= PF_PAGE, --*pages)
            if (in[i] & 1)
                return page;
    }
    return 0;
}

#endif
