/*
 * A walk over objects with a hash set of those seen.
 */
#include "reach.h"
#include "access.h"
#include "areas.h"
#include "entry.h"
#include "module.h"
#include "options.h"
#include "reach_names.h"
#include "sys.h"
#include <stdio.h>
#include <sys/uio.h>

#define OBJECTS 4096u
#define SLOTS (4 * OBJECTS)
#define WORDS_MAX (1u << 22) /* looked at for one call */
#define PAGE 4096u
#define STACKS 1024u
#define WORDS_KEPT 12u /* handed over; with more the set is not kept */
#define SETS 256u
#define STAMPS (1u << 16)

static struct walk {
    struct pf_range_of all[OBJECTS];
    uint32_t n;
    bool everything;
    uint16_t slot[SLOTS]; /* 1 + object */
    struct pf_range_of stack[STACKS]; /* of the threads, now */
    uint32_t nstacks;
} set;

static void add(struct pf_range_of o)
{
    uint32_t at = (uint32_t)(o.addr * 0x9e3779b97f4a7c15ull >> 40) % SLOTS;
    for (; set.slot[at]; at = (at + 1) % SLOTS) {
        struct pf_range_of *known = &set.all[set.slot[at] - 1];
        if (known->addr == o.addr) {
            if (known->size < o.size)
                known->size = o.size;
            return;
        }
    }
    if (set.n == OBJECTS) {
        set.everything = true;
        return;
    }
    set.all[set.n++] = o;
    set.slot[at] = (uint16_t)set.n;
}

static void note_stack(struct pf_thread *t, void *unused)
{
    (void)unused;
    if (set.nstacks == STACKS)
        set.everything = true;
    else
        set.stack[set.nstacks++] = (struct pf_range_of){t->stack_lo, t->stack_hi - t->stack_lo};
}

static bool in_stack(uint64_t p)
{
    for (uint32_t i = 0; i < set.nstacks; i++)
        if (p - set.stack[i].addr < set.stack[i].size) {
            add((struct pf_range_of){p, set.stack[i].addr + set.stack[i].size - p});
            return true;
        }
    return false;
}

static bool starts(const char *text, const char *with)
{
    while (*with && *text == *with)
        text++, with++;
    return !*with;
}

/* The allocator's: the heap of brk, and arenas, which glibc aligns to 64 MB and begins with a pointer into
 * an arena. What is in use there is a block. */
static bool is_allocators(const struct pf_area *a)
{
    return starts(a->name, "[heap]") || (!a->file && !*a->name && a->lo % (64u << 20) == 0 &&
                                         *(volatile uint64_t *)a->lo - a->lo < PAGE);
}

static void follow_elsewhere(uint64_t p, const struct pf_area *a, bool handed)
{
    if (!a->readable || is_allocators(a) || starts(a->name, "[v")) /* the kernel's */
        return;
    if (a->file && (starts(a->name, "libc.so") || starts(a->name, "ld-linux"))) {
        if (handed)
            add((struct pf_range_of){p, PAGE - p % PAGE});
        else if (p == (uintptr_t)stdin || p == (uintptr_t)stdout || p == (uintptr_t)stderr)
            add((struct pf_range_of){p, sizeof(FILE)});
        return;
    }
    add((struct pf_range_of){a->lo, a->hi - a->lo});
}

/* The object that `p` points into. `handed`: the program passes it on itself. */
static void follow(uint64_t p, bool handed)
{
    struct pf_block b;
    struct pf_range_of v;
    if (p < PAGE || p >= 1ull << 47 || set.everything)
        return;
    const struct pf_area *a = pf_area_find(p);
    if (!a) {
        set.everything |= !pf_areas_known();
        return;
    }
    if (pf_variable_holding(p, &v))
        add(v);
    else if (pf_block_holding(p, &b))
        add((struct pf_range_of){b.addr, b.size ? b.size : 1});
    else if (!in_stack(p))
        follow_elsewhere(p, a, handed);
}

static void add_variable(const struct pf_range_of *v, void *unused)
{
    (void)unused;
    set.everything |= v->size == 1ull << 47;
    add(*v);
}

#define GAP 32 /* between two ranges that are told as one: alignment */

/* By address, neighbours together. */
static void tidy(void)
{
    struct pf_range_of *a = set.all;
    for (uint32_t gap = set.n / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < set.n; i++) {
            struct pf_range_of o = a[i];
            uint32_t k = i;
            for (; k >= gap && a[k - gap].addr > o.addr; k -= gap)
                a[k] = a[k - gap];
            a[k] = o;
        }
    uint32_t n = 0;
    for (uint32_t i = 0; i < set.n; i++) {
        uint64_t end = a[i].addr + a[i].size;
        if (n && a[i].addr <= a[n - 1].addr + a[n - 1].size + GAP) {
            if (end > a[n - 1].addr + a[n - 1].size)
                a[n - 1].size = end - a[n - 1].addr;
        } else {
            a[n++] = a[i];
        }
    }
    set.n = n;
}

/* Of a mapped file the pages behind its end are not there: the kernel reads what it can. */
static void scan_file(struct pf_range_of o)
{
    static uint64_t piece[PAGE / 8];
    long pid = pf_sys(SYS_getpid);
    for (uint64_t from = o.addr; from < o.addr + o.size && !set.everything; from += PAGE) {
        struct iovec here = {piece, PAGE}, there = {(void *)from, PAGE};
        if (pf_sys(SYS_process_vm_readv, pid, &here, 1, &there, 1, 0) == PAGE)
            for (uint64_t i = 0; i < PAGE / 8; i++)
                follow(piece[i], false);
    }
}

/* Follows every word of the object. */
static void scan(struct pf_range_of o)
{
    const struct pf_area *a = pf_area_find(o.addr);
    if (a && a->file && o.addr % PAGE == 0 && o.size % PAGE == 0) {
        scan_file(o);
        return;
    }
    uint64_t from = (o.addr + 7) & ~7ull, end = o.addr + o.size;
    for (; from + 8 <= end && !set.everything; from += 8)
        follow(*(volatile uint64_t *)from, false);
}

static void walk(const void *callee, uint32_t n, void *const *words, bool variables)
{
    pf_zero(set.slot, sizeof set.slot);
    set.n = set.nstacks = 0;
    set.everything = n == PF_REACH_ALL;
    pf_thread_each(note_stack, NULL);
    const struct pf_area *file = pf_area_find((uintptr_t)callee);
    pf_named_each(file && file->file ? file->name : "", add_variable, NULL);
    if (variables)
        pf_variable_each(add_variable, NULL);
    for (uint32_t i = 0; i < n && !set.everything; i++)
        follow((uintptr_t)words[i], true);
    uint64_t looked = 0;
    for (uint32_t i = 0; i < set.n && !set.everything; i++) {
        set.everything |= (looked += set.all[i].size / 8) > WORDS_MAX;
        scan(set.all[i]);
    }
    if (set.everything) {
        set.all[0] = (struct pf_range_of){0, 1ull << 47};
        set.n = 1;
    }
    tidy();
}

/* --- sets that are kept --- */

static uint64_t stamps[STAMPS], now = 1; /* of pages, by hash: when last written */

static uint64_t *stamp(uint64_t page) { return &stamps[page * 0x9e3779b97f4a7c15ull >> 48]; }

void pf_reach_written(uint64_t addr, uint64_t size)
{
    for (uint64_t page = addr / PAGE; page <= (addr + size - 1) / PAGE; page++)
        *stamp(page) = now;
}

static struct kept {
    uint64_t number, since;
    uint32_t nwords, n;
    const void *callee;
    void *word[WORDS_KEPT];
    struct pf_range_of at[OBJECTS];
} kept[SETS];

static bool is_unwritten(const struct kept *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        uint64_t last = (k->at[i].addr + k->at[i].size - 1) / PAGE;
        if (last - k->at[i].addr / PAGE >= STAMPS)
            return false;
        for (uint64_t page = k->at[i].addr / PAGE; page <= last; page++)
            if (*stamp(page) >= k->since)
                return false;
    }
    return true;
}

static struct kept *keeper(const void *callee, uint32_t n, void *const *words, bool *same)
{
    uint64_t h = (uintptr_t)callee;
    for (uint32_t i = 0; i < n; i++)
        h = (h ^ (uintptr_t)words[i]) * 0x9e3779b97f4a7c15ull;
    struct kept *k = &kept[h >> 56];
    *same = k->number && k->callee == callee && k->nwords == n;
    for (uint32_t i = 0; i < n && *same; i++)
        *same = k->word[i] == words[i];
    return k;
}

struct pf_reached pf_reach_find(const void *callee, uint32_t n, void *const *words, bool variables)
{
    static uint64_t numbers;
    bool same, full = starts(pf_options.reach, "full");
    if (full || variables || n > WORDS_KEPT) {
        walk(callee, n, words, variables);
        return (struct pf_reached){.at = set.all, .n = set.n};
    }
    struct kept *k = keeper(callee, n, words, &same);
    if (same && is_unwritten(k))
        return (struct pf_reached){k->at, k->n, k->number, true};
    walk(callee, n, words, false);
    k->callee = callee;
    k->nwords = n;
    k->n = set.n;
    pf_copy(k->word, words, n * sizeof *words);
    pf_copy(k->at, set.all, set.n * sizeof *set.all);
    k->number = ++numbers;
    k->since = ++now;
    return (struct pf_reached){k->at, k->n, k->number, false};
}
