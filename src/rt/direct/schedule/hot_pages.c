/* hot_pages.c - see hot_pages.h. The layout of PAGEMAP_SCAN is in the kernel's uapi/linux/fs.h. */
#include "hot_pages.h"
#include "direct.h"
#include "stream_ring.h"
#include "sys.h"
#include <fcntl.h>
#include <sys/ioctl.h>

#define PAGE 4096ull
#define LIMIT 0x7ffffffff000ull /* end of the address space */
#define POPULATE_WRITE 23       /* MADV_POPULATE_WRITE */
#define EXCLUSIVE (1ull << 56)  /* of an entry in /proc/self/pagemap: no other process has it */
#define IS_FILE 4u
#define IS_PRESENT 8u
#define IS_ZERO 32u
#define REGIONS 64
#define LEARN_EVERY 64 /* runs */

struct page_region {
    uint64_t start, end, categories;
};
struct page_scan {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN _IOWR('f', 16, struct page_scan)

static void add(struct pf_resident *r, uint64_t page)
{
    /* over a gap of one page: to populate it costs less than one more call of madvise */
    if (r->nhot && page - r->hot[r->nhot - 1].end <= PAGE)
        r->hot[r->nhot - 1].end = page + PAGE;
    else if (r->nhot < PF_HOT_MAX) {
        r->hot[r->nhot].start = page;
        r->hot[r->nhot++].end = page + PAGE;
    }
}

/* Adds the pages of a region that no other process has. */
static void add_region(struct pf_resident *r, long fd, const struct page_region *g)
{
    static uint64_t entry[512];
    for (uint64_t at = g->start; at < g->end;) {
        uint64_t n = (g->end - at) / PAGE;
        n = n < 512 ? n : 512;
        if (pf_sys(SYS_pread64, fd, entry, n * 8, at / PAGE * 8) != (long)(n * 8))
            return;
        for (uint64_t i = 0; i < n; i++, at += PAGE)
            if (entry[i] & EXCLUSIVE)
                add(r, at);
    }
}

void pf_hot_pages_find(void)
{
    static struct page_region found[REGIONS];
    struct pf_resident *r = &pf_channel_get()->resident;
    if (r->ended % LEARN_EVERY != 1)
        return;
    long fd = pf_sys(SYS_open, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0), n;
    struct page_scan scan = {.size = sizeof scan,
                             .end = LIMIT,
                             .vec = (uint64_t)found,
                             .vec_len = REGIONS,
                             .category_inverted = IS_FILE | IS_ZERO,
                             .category_mask = IS_PRESENT | IS_FILE | IS_ZERO,
                             .return_mask = IS_PRESENT};
    r->nhot = 0;
    while (fd >= 0 && (n = pf_sys(SYS_ioctl, fd, SCAN, &scan)) > 0) {
        for (long i = 0; i < n; i++)
            add_region(r, fd, &found[i]);
        scan.start = scan.walk_end;
    }
    if (fd >= 0)
        pf_sys(SYS_close, fd);
}

void pf_hot_pages_touch(void)
{
    const struct pf_resident *r = &pf_channel_get()->resident;
    for (uint32_t i = 0; i < r->nhot; i++)
        pf_sys(SYS_madvise, r->hot[i].start, r->hot[i].end - r->hot[i].start, POPULATE_WRITE);
}
