/*
 * hot_pages.h - pages that the copies of a resident target write.
 *
 * Model:   after the process is copied, the first write to a page costs a fault, which takes
 *          several times as long as the copy of the page. Most copies write the same pages. So a
 *          copy finds out at its end which pages are its own, and later copies ask the kernel for
 *          all of them at their beginning. That changes nothing but the time.
 * Memory:  a list in the channel (struct pf_resident).
 * Errors:  without PAGEMAP_SCAN (Linux before 6.7) the list stays empty.
 */
#ifndef PF_RT_HOT_PAGES_H
#define PF_RT_HOT_PAGES_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the pages that only this copy has, except those from `skip` to `end`. Returns false if it
 * cannot find all of them. */
bool pf_hot_pages_find(uint64_t skip, uint64_t end);
/* In a copy that is about to end: one in several copies finds its pages. */
void pf_hot_pages_learn(void);
/* In a copy that begins: asks the kernel for the pages in the list. Pages that it does not have are
 * removed from the list. */
void pf_hot_pages_touch(void);

#endif
