#include "mappings.h"
#include "pf_shadow.h"
#include "sys.h"
#include <fcntl.h>
#include <sys/mman.h>

#define AREAS 8192u
#define PARTS 4096u /* what does not fit counts as one with its neighbours */
#define PAGE 4096ull

static struct pf_area areas[AREAS];
static uint32_t n;
static bool fresh, whole;
static uint64_t reads;

/* --- what was mapped by one call --- */

static struct part {
    uint64_t lo, hi;
} parts[PARTS];
static uint32_t nparts;

static void unmapped(uint64_t lo, uint64_t hi)
{
    for (uint32_t i = 0; i < nparts; i++) {
        struct part *p = &parts[i];
        if (lo >= p->hi || hi <= p->lo)
            continue;
        if (lo > p->lo && hi < p->hi && nparts < PARTS)
            parts[nparts++] = (struct part){hi, p->hi};
        if (lo > p->lo)
            p->hi = lo;
        else if (hi < p->hi)
            p->lo = hi;
        else
            *p = parts[--nparts], i--;
    }
}

static bool is_watched(uint64_t lo, uint64_t hi);

static void mapped(uint64_t lo, uint64_t size)
{
    uint64_t hi = lo + ((size + PAGE - 1) & -PAGE);
    is_watched(lo, hi);
    unmapped(lo, hi);
    if (nparts < PARTS)
        parts[nparts++] = (struct part){lo, hi};
}

void pf_area_part(const struct pf_area *a, uint64_t addr, uint64_t *lo, uint64_t *hi)
{
    *lo = a->lo;
    *hi = a->hi;
    for (uint32_t i = 0; i < nparts; i++) {
        const struct part *p = &parts[i];
        if (p->hi <= *lo || p->lo >= *hi)
            continue;
        if (p->hi <= addr)
            *lo = p->hi;
        else if (p->lo > addr)
            *hi = p->lo;
        else {
            *lo = p->lo > *lo ? p->lo : *lo;
            *hi = p->hi < *hi ? p->hi : *hi;
        }
    }
}

struct pf_span pf_area_spans[PF_SPANS], pf_area_around;

static void widen(struct pf_span *s, uint64_t lo, uint64_t hi)
{
    if (s->lo == s->hi)
        *s = (struct pf_span){lo, hi};
    s->lo = lo < s->lo ? lo : s->lo;
    s->hi = hi > s->hi ? hi : s->hi;
}

/* The span that [lo, hi) belongs to grows by it; false: it is no part of the program. */
static bool is_watched(uint64_t lo, uint64_t hi)
{
    static const struct pf_span range[PF_SPANS] = {PF_APP_RANGES};
    for (unsigned i = 0; i < PF_SPANS; i++)
        if (lo >= range[i].lo && lo < range[i].hi) {
            widen(&pf_area_spans[i], lo, hi);
            widen(&pf_area_around, lo, hi);
            return true;
        }
    return false;
}

/* Memory without a name, next to which the kernel puts more of its kind. */
static bool is_plain(const struct pf_area *a) { return !a->file && !*a->name; }

static void remove_area(uint32_t i)
{
    for (n--; i < n; i++)
        areas[i] = areas[i + 1];
}

/* areas[i] becomes two. */
static void split_area(uint32_t i, uint64_t at)
{
    for (uint32_t k = n++; k > i; k--)
        areas[k] = areas[k - 1];
    areas[i].hi = areas[i + 1].lo = at;
}

/* [lo, hi) can be written now, or not any more; false: it is not known as one piece. An arena of malloc grows so. */
static bool was_protected(uint64_t lo, uint64_t hi, bool writable)
{
    uint32_t i = 0;
    while (i < n && areas[i].hi <= lo)
        i++;
    struct pf_area *a = &areas[i];
    if (i == n || lo < a->lo || hi > a->hi || lo >= hi || !is_plain(a) || n + 2 > AREAS)
        return false;
    if (a->writable == writable)
        return true;
    reads++;
    if (lo == a->lo && i && a[-1].hi == lo && is_plain(&a[-1]) && a[-1].writable == writable) {
        a[-1].hi = a->lo = hi;
        if (a->lo == a->hi)
            remove_area(i);
        return true;
    }
    if (hi < a->hi)
        split_area(i, hi);
    if (lo > a->lo)
        split_area(i++, lo);
    areas[i].writable = writable;
    return true;
}

/* The heap ends at `end` now; false: it is not known so. */
static bool heap_grew(uint64_t end)
{
    for (uint32_t i = 0; i < n; i++) {
        struct pf_area *a = &areas[i];
        if (a->name[0] != '[' || a->name[1] != 'h' || end < a->hi || (i + 1 < n && end > a[1].lo))
            continue;
        end = (end + PAGE - 1) & -PAGE;
        reads += end != a->hi;
        a->hi = end;
        return is_watched(a->lo, a->hi);
    }
    return false;
}

void pf_areas_called(long number, const long a[6], long result)
{
    if (result < 0 && result > -4096)
        return;
    switch (number) {
    case SYS_mmap:
        mapped((uint64_t)result, (uint64_t)a[1]);
        fresh = false;
        break;
    case SYS_munmap:
        unmapped((uint64_t)a[0], (uint64_t)(a[0] + a[1]));
        fresh = false;
        break;
    case SYS_mremap:
        unmapped((uint64_t)a[0], (uint64_t)(a[0] + a[1]));
        mapped((uint64_t)result, (uint64_t)a[2]);
        fresh = false;
        break;
    case SYS_brk:
        is_watched((uint64_t)result - 1, (uint64_t)result);
        fresh = fresh && heap_grew((uint64_t)result);
        break;
    case SYS_mprotect:
        fresh = fresh && was_protected((uint64_t)a[0], (uint64_t)(a[0] + a[1] + 4095) & -PAGE,
                                       a[2] & PROT_WRITE);
        break;
    case SYS_shmat: /* how large it is, it does not say */
        is_watched((uint64_t)result, 1ull << 47);
        fresh = false;
        break;
    case SYS_shmdt:
    case SYS_remap_file_pages:
        fresh = false;
        break;
    default:
        break;
    }
}

/* --- one line: "7f00-7f10 rw-p 00000000 08:01 1234   /path" --- */

struct line {
    struct pf_area area;
    unsigned field, length; /* the field we are in, bytes of the name */
    bool blank;
};

static void put_name(struct line *l, char c)
{
    if (c == '/') {
        l->length = 0;
        l->area.file = true;
    } else if (l->length < sizeof l->area.name - 1) {
        l->area.name[l->length++] = c;
    }
    l->area.name[l->length] = 0;
}

static void take(struct line *l, char c)
{
    unsigned digit = c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
    if (c == ' ' || (c == '-' && l->field == 0)) {
        l->field += !l->blank && l->field < 6;
        l->blank = c == ' ';
        return;
    }
    l->blank = false;
    if (l->field == 0)
        l->area.lo = l->area.lo << 4 | digit;
    else if (l->field == 1)
        l->area.hi = l->area.hi << 4 | digit;
    else if (l->field == 2)
        l->area.writable |= c == 'w';
    else if (l->field == 6)
        put_name(l, c);
}

static void end_line(struct line *l)
{
    if (l->area.hi && is_watched(l->area.lo, l->area.hi)) {
        if (n < AREAS)
            areas[n++] = l->area;
        else
            whole = false;
    }
    *l = (struct line){0};
}

static void read_again(void)
{
    static char piece[4096];
    struct line l = {0};
    long fd = pf_sys(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), got = -1;
    n = 0;
    for (unsigned i = 0; i < PF_SPANS; i++)
        pf_area_spans[i] = (struct pf_span){0, 0};
    pf_area_around = (struct pf_span){0, 0};
    whole = fd >= 0;
    while (fd >= 0 && (got = pf_sys(SYS_read, fd, piece, sizeof piece)) > 0)
        for (long i = 0; i < got; i++)
            if (piece[i] == '\n')
                end_line(&l);
            else
                take(&l, piece[i]);
    whole &= got == 0;
    reads++;
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    fresh = true;
}

const struct pf_area *pf_area_find(uint64_t addr)
{
    if (__builtin_expect(!fresh, 0))
        read_again();
    uint32_t lo = 0, hi = n; /* the last one at or below addr is lo - 1 */
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (areas[mid].lo <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && addr < areas[lo - 1].hi ? &areas[lo - 1] : NULL;
}

bool pf_areas_known(void)
{
    if (!fresh)
        read_again();
    return whole;
}

uint64_t pf_areas_epoch(void) { return reads; }
