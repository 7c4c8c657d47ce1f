/*
 * mappings.c - see mappings.h. Reading /proc/self/maps takes long, so the frequent changes, growth
 * of the heap and of malloc's arenas and memory that is unmapped, are applied to the table
 * directly.
 */
#include "mappings.h"
#include "environment.h"
#include "pf_shadow.h"
#include "sys.h"
#include <fcntl.h>
#include <sys/mman.h>

#define MAPPINGS 8192u /* with more of them, nothing is known about mappings */
#define PARTS 4096u /* maximum number of parts; a further one is added to its neighbour */

static struct pf_mapping mappings[MAPPINGS];
static uint32_t n;
static bool fresh, all_read;
static uint64_t epoch;

/* --- parts: what one call mapped --- */

static struct part {
    uint64_t lo, hi;
} parts[PARTS];
static uint32_t nparts;

static void note_unmapped(uint64_t lo, uint64_t hi)
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

static bool extend_bounds(uint64_t lo, uint64_t hi);

static void note_mapped(uint64_t lo, uint64_t size)
{
    uint64_t hi = lo + pf_page_up(size);
    extend_bounds(lo, hi);
    note_unmapped(lo, hi);
    if (nparts < PARTS)
        parts[nparts++] = (struct part){lo, hi};
}

void pf_mapping_part(const struct pf_mapping *a, uint64_t addr, uint64_t *lo, uint64_t *hi)
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

struct pf_address_bounds pf_mapping_bounds[PF_MAPPING_BOUNDS], pf_mapping_hull;

static void widen(struct pf_address_bounds *s, uint64_t lo, uint64_t hi)
{
    if (s->lo == s->hi)
        *s = (struct pf_address_bounds){lo, hi};
    s->lo = lo < s->lo ? lo : s->lo;
    s->hi = hi > s->hi ? hi : s->hi;
}

/* Extends the bounds of the address range that contains [lo, hi). False: not memory of the
 * program. */
static bool extend_bounds(uint64_t lo, uint64_t hi)
{
    static const struct pf_address_bounds range[PF_MAPPING_BOUNDS] = {PF_APP_RANGES};
    for (unsigned i = 0; i < PF_MAPPING_BOUNDS; i++)
        if (lo >= range[i].lo && lo < range[i].hi) {
            widen(&pf_mapping_bounds[i], lo, hi);
            widen(&pf_mapping_hull, lo, hi);
            return true;
        }
    return false;
}

/* Memory without a name; the kernel merges adjacent mappings of this kind. */
static bool is_anonymous(const struct pf_mapping *a) { return !a->file && !a->shared && !*a->name; }

static void remove_mapping(uint32_t i)
{
    for (n--; i < n; i++)
        mappings[i] = mappings[i + 1];
}

/* Splits mappings[i] in two. */
static void split_mapping(uint32_t i, uint64_t at)
{
    for (uint32_t k = n++; k > i; k--)
        mappings[k] = mappings[k - 1];
    mappings[i].hi = mappings[i + 1].lo = at;
}

/* The protection of [lo, hi) changed; updates the table, because arenas of malloc grow this way.
 * False: the range is not in one anonymous mapping, so the table must be read again. */
static bool change_protection(uint64_t lo, uint64_t hi, bool writable)
{
    uint32_t i = 0;
    while (i < n && mappings[i].hi <= lo)
        i++;
    struct pf_mapping *a = &mappings[i];
    if (i == n || lo < a->lo || hi > a->hi || lo >= hi || !is_anonymous(a) || n + 2 > MAPPINGS)
        return false;
    if (a->writable == writable)
        return true;
    epoch++;
    if (lo == a->lo && i && a[-1].hi == lo && is_anonymous(&a[-1]) && a[-1].writable == writable) {
        a[-1].hi = a->lo = hi;
        if (a->lo == a->hi)
            remove_mapping(i);
        return true;
    }
    if (hi < a->hi)
        split_mapping(i, hi);
    if (lo > a->lo)
        split_mapping(i++, lo);
    mappings[i].writable = writable;
    return true;
}

/* [lo, hi) was unmapped; updates the table, because ending threads release their stacks this way.
 * False: the table must be read again. */
static bool remove_range(uint64_t lo, uint64_t hi)
{
    if (n == MAPPINGS)
        return false;
    epoch++;
    for (uint32_t i = 0; i < n && mappings[i].lo < hi; i++) {
        struct pf_mapping *a = &mappings[i];
        if (a->hi <= lo)
            continue;
        if (a->lo < lo && a->hi > hi)
            split_mapping(i, hi);
        if (a->lo < lo)
            a->hi = lo;
        else if (a->hi > hi)
            a->lo = hi;
        else
            remove_mapping(i--);
    }
    return true;
}

/* The heap now ends at `end`. False: the table must be read again. */
static bool grow_heap(uint64_t end)
{
    for (uint32_t i = 0; i < n; i++) {
        struct pf_mapping *a = &mappings[i];
        if (a->name[0] != '[' || a->name[1] != 'h' || end < a->hi || (i + 1 < n && end > a[1].lo))
            continue;
        end = pf_page_up(end);
        epoch += end != a->hi;
        a->hi = end;
        return extend_bounds(a->lo, a->hi);
    }
    return false;
}

void pf_mappings_after_syscall(long number, const long a[6], long result)
{
    if (pf_sys_failed(result))
        return;
    switch (number) {
    case SYS_mmap:
        note_mapped((uint64_t)result, (uint64_t)a[1]);
        fresh = false;
        break;
    case SYS_munmap:
        note_unmapped((uint64_t)a[0], (uint64_t)(a[0] + a[1]));
        fresh = fresh && remove_range((uint64_t)a[0], pf_page_up((uint64_t)(a[0] + a[1])));
        break;
    case SYS_mremap:
        note_unmapped((uint64_t)a[0], (uint64_t)(a[0] + a[1]));
        note_mapped((uint64_t)result, (uint64_t)a[2]);
        fresh = false;
        break;
    case SYS_brk:
        extend_bounds((uint64_t)result - 1, (uint64_t)result);
        fresh = fresh && grow_heap((uint64_t)result);
        break;
    case SYS_mprotect:
        fresh = fresh && change_protection((uint64_t)a[0], pf_page_up((uint64_t)(a[0] + a[1])),
                                           a[2] & PROT_WRITE);
        break;
    case SYS_shmat: /* its size is unknown */
        extend_bounds((uint64_t)result, 1ull << 47);
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
    struct pf_mapping mapping;
    unsigned field, length; /* index of the current field; length of the name so far */
    bool blank;
};

static void put_name(struct line *l, char c)
{
    if (c == '/') {
        l->length = 0;
        l->mapping.file = true;
    } else if (l->length < sizeof l->mapping.name - 1) {
        l->mapping.name[l->length++] = c;
    }
    l->mapping.name[l->length] = 0;
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
        l->mapping.lo = l->mapping.lo << 4 | digit;
    else if (l->field == 1)
        l->mapping.hi = l->mapping.hi << 4 | digit;
    else if (l->field == 2) {
        l->mapping.writable |= c == 'w';
        l->mapping.shared |= c == 's';
    } else if (l->field == 6)
        put_name(l, c);
}

static void end_line(struct line *l)
{
    bool memory =
        l->mapping.hi && !pf_environment_has(l->mapping.lo); /* strings have no pointers */
    if (memory && extend_bounds(l->mapping.lo, l->mapping.hi)) {
        if (n < MAPPINGS)
            mappings[n++] = l->mapping;
        else
            all_read = false;
    }
    *l = (struct line){0};
}

static void read_maps(void)
{
    static char piece[4096];
    struct line l = {0};
    uint8_t rewinds = pf_rewind_on;
    pf_rewind_on = 0; /* the file is closed again: nothing has changed */
    long fd = pf_sys(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), got = -1;
    n = 0;
    for (unsigned i = 0; i < PF_MAPPING_BOUNDS; i++)
        pf_mapping_bounds[i] = (struct pf_address_bounds){0, 0};
    pf_mapping_hull = (struct pf_address_bounds){0, 0};
    all_read = fd >= 0;
    while (fd >= 0 && (got = pf_sys(SYS_read, fd, piece, sizeof piece)) > 0)
        for (long i = 0; i < got; i++)
            if (piece[i] == '\n')
                end_line(&l);
            else
                take(&l, piece[i]);
    all_read &= got == 0;
    epoch++;
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    pf_rewind_on = rewinds;
    fresh = true;
}

const struct pf_mapping *pf_mapping_find(uint64_t addr)
{
    if (__builtin_expect(!fresh, 0))
        read_maps();
    uint32_t lo = 0, hi = n; /* at the end, lo - 1 is the last one at or below addr */
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (mappings[mid].lo <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && addr < mappings[lo - 1].hi ? &mappings[lo - 1] : NULL;
}

const struct pf_mapping *pf_mapping_above(uint64_t addr)
{
    if (!fresh)
        read_maps();
    for (uint32_t i = 0; i < n; i++)
        if (mappings[i].lo >= addr)
            return &mappings[i];
    return NULL;
}

bool pf_mappings_known(void)
{
    if (!fresh)
        read_maps();
    return all_read;
}

uint64_t pf_mappings_epoch(void) { return epoch; }
