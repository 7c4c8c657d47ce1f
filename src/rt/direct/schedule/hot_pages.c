/* hot_pages.c - see hot_pages.h. The layout of PAGEMAP_SCAN is in the kernel's uapi/linux/fs.h. */
#include "hot_pages.h"
#include "direct.h"
#include "stream_ring.h"
#include "sys.h"
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define LIMIT 0x7ffffffff000ull /* end of the address space */
#define EXCLUSIVE (1ull << 56)  /* of an entry in /proc/self/pagemap: no other process has it */
#define IS_FILE 4u
#define IS_PRESENT 8u
#define IS_ZERO 32u
#define REGIONS 64 /* that one call of the kernel returns */
#define LEARN_EVERY 64 /* runs */

struct page_region {
    uint64_t start, end, categories;
};
struct page_scan {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN _IOWR('f', 16, struct page_scan)

static struct page_region found[REGIONS];
static uint64_t entry[512];

/* Adds a page of a region. Returns false if there is no room. */
static bool add(struct pf_resident *r, uint64_t page, const struct page_region *g)
{
    struct pf_page_range *last = r->nhot ? &r->hot[r->nhot - 1] : NULL;
    /* over a gap of one page: to populate it costs less than one more call of madvise */
    if (last && (page == last->end || (page == last->end + PF_PAGE && last->end > g->start))) {
        last->end = page + PF_PAGE;
        return true;
    }
    if (r->nhot == PF_HOT_MAX)
        return false;
    r->hot[r->nhot++] = (struct pf_page_range){page, page + PF_PAGE};
    return true;
}

/* Adds the pages of a region that no other process has. Returns false if that is impossible. */
static bool add_region(struct pf_resident *r, long fd, const struct page_region *g)
{
    for (uint64_t at = g->start; at < g->end;) {
        uint64_t n = (g->end - at) / PF_PAGE;
        n = n < 512 ? n : 512;
        if (pf_sys(SYS_pread64, fd, entry, n * 8, at / PF_PAGE * 8) != (long)(n * 8))
            return false;
        for (uint64_t i = 0; i < n; i++, at += PF_PAGE)
            if (entry[i] & EXCLUSIVE && !add(r, at, g))
                return false;
    }
    return true;
}

/* Adds the pages of a region, except those from `skip` to `end`. */
static bool add_around(struct pf_resident *r, long fd, struct page_region g, uint64_t skip,
                       uint64_t end)
{
    struct page_region before = {g.start, g.end < skip ? g.end : skip, 0};
    struct page_region after = {g.start > end ? g.start : end, g.end, 0};
    return add_region(r, fd, &before) && add_region(r, fd, &after);
}

bool pf_hot_pages_find(uint64_t skip, uint64_t end)
{
    struct pf_resident *r = &pf_channel_get()->resident;
    long fd = pf_sys(SYS_open, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0), n;
    struct page_scan scan = {.size = sizeof scan,
                             .end = LIMIT,
                             .vec = (uint64_t)found,
                             .vec_len = REGIONS,
                             .category_inverted = IS_FILE | IS_ZERO,
                             .category_mask = IS_PRESENT | IS_FILE | IS_ZERO,
                             .return_mask = IS_PRESENT};
    bool all = fd >= 0;
    pf_zero(found, sizeof found); /* the search must find the pages that it writes itself */
    pf_zero(entry, sizeof entry);
    r->nhot = 0;
    while (all && (n = pf_sys(SYS_ioctl, fd, SCAN, &scan)) != 0) {
        all = n > 0;
        for (long i = 0; i < n && all; i++)
            all = add_around(r, fd, found[i], skip, end);
        scan.start = scan.walk_end;
    }
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    return all;
}

void pf_hot_pages_learn(void)
{
    if (pf_channel_get()->resident.ended % LEARN_EVERY == 1)
        pf_hot_pages_find(LIMIT, LIMIT);
}

static bool touch(const struct pf_page_range *g)
{
    return pf_sys(SYS_madvise, g->start, g->end - g->start, MADV_POPULATE_WRITE) == 0;
}

void pf_hot_pages_touch(void)
{
    struct pf_resident *r = &pf_channel_get()->resident;
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->nhot; i++) /* a read makes the stack of the main thread grow */
        if (touch(&r->hot[i]) ||
            (pf_sys_readable((void *)r->hot[i].start, r->hot[i].end - r->hot[i].start) &&
             touch(&r->hot[i])))
            r->hot[n++] = r->hot[i];
    r->nhot = n;
}
