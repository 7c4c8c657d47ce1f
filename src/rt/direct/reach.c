/*
 * A walk over objects with a hash set of those seen.
 */
#include "reach.h"
#include "access.h"
#include "areas.h"
#include "context.h"
#include "entry.h"
#include "module.h"
#include "options.h"
#include "own.h"
#include "reach_names.h"
#include "sys.h"
#include <stdio.h>
#include <sys/uio.h>

#define OBJECTS 4096u
#define SLOTS (4 * OBJECTS)
#define WORDS_MAX (1u << 20) /* looked at for one call */
#define PAGE 4096u
#define STACKS 1024u
#define RED_ZONE 128u
#define NEAR 16384u
#define WORDS_KEPT 12u /* handed over; with more the set is not kept */
#define SETS 256u
#define GRANULE 512u /* of memory that is written */
#define STAMPS (1u << 16)

/* The stack of a thread: in use from `live` on, reached from `low` on. */
struct stack {
    uint64_t lo, hi, live, low;
};

static struct walk {
    struct pf_range_of all[OBJECTS];
    uint32_t n;
    bool everything;
    uint32_t round; /* of walks: slots of other rounds are empty */
    uint32_t slot[SLOTS]; /* round << 16 | 1 + object */
    struct stack stack[STACKS]; /* now */
    uint32_t nstacks;
} set;
PF_OWN(set);

static void add(struct pf_range_of o)
{
    uint32_t at = (uint32_t)(o.addr * 0x9e3779b97f4a7c15ull >> 40) % SLOTS;
    for (; set.slot[at] >> 16 == set.round; at = (at + 1) % SLOTS) {
        struct pf_range_of *known = &set.all[(set.slot[at] & 0xffff) - 1];
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
    set.slot[at] = set.round << 16 | set.n;
}

static void begin(void)
{
    set.n = set.nstacks = 0;
    set.everything = false;
    if (++set.round == 1u << 16) {
        pf_zero(set.slot, sizeof set.slot);
        set.round = 1;
    }
}

/* --- stacks --- */

static void note_stack(struct pf_thread *t, void *unused)
{
    (void)unused;
    if (set.nstacks == STACKS)
        set.everything = true;
    else
        set.stack[set.nstacks++] =
            (struct stack){t->stack_lo, t->stack_hi, t->stack_lo, t->stack_hi};
}

static struct stack *stack_of(uint64_t p)
{
    for (uint32_t i = 0; i < set.nstacks; i++)
        if (p >= set.stack[i].lo && p < set.stack[i].hi)
            return &set.stack[i];
    return NULL;
}

static void note_use(uint64_t sp)
{
    struct stack *s = stack_of(sp);
    if (s)
        s->live = sp - RED_ZONE;
}

static void note_stacks(void)
{
    pf_thread_each(note_stack, NULL);
    for (uint32_t i = 0, n = pf_contexts(); i < n; i++) {
        const struct pf_context *c = pf_context_at(i);
        if (c && c->state != PF_CONTEXT_ENDED && c != pf_context_self())
            note_use((uintptr_t)c->sp);
    }
    note_use((uintptr_t)__builtin_frame_address(0));
}

/* Sizes of what is on a stack are not known: all above p is reached. Below `live` there is nothing. */
static bool in_stack(uint64_t p)
{
    struct stack *s = stack_of(p);
    if (s && p >= s->live && p < s->low) {
        add((struct pf_range_of){p, s->low - p});
        s->low = p;
    }
    return s;
}

/* Is [lo, hi) the stack of a thread that has not begun, or is over and whose stack libc keeps? The runtime
 * does not list those. Its thread pointer is in it then, and points to itself. */
static bool in_silent_stack(uint64_t p, uint64_t lo, uint64_t hi)
{
    const struct pf_context *of = NULL;
    for (uint32_t i = 0, n = pf_contexts(); i < n; i++) {
        const struct pf_context *c = pf_context_at(i);
        if (c != pf_context_self() && c->fs - lo < hi - lo &&
            *(volatile uint64_t *)c->fs == c->fs && (!of || of->state == PF_CONTEXT_ENDED))
            of = c;
    }
    if (!of || set.nstacks == STACKS)
        return false;
    uint64_t live = of->state == PF_CONTEXT_ENDED ? of->fs : (uintptr_t)of->sp - RED_ZONE;
    if (live - lo >= hi - lo)
        return false;
    set.stack[set.nstacks++] = (struct stack){lo, hi, live, hi};
    return in_stack(p);
}

/* --- other memory --- */

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

/* Data of the program itself, or of a library, with the runtime's in it. */
static bool is_ours(const struct pf_area *a)
{
    uint64_t bss = (uintptr_t)&set, data = (uintptr_t)&pf_options;
    return (bss >= a->lo && bss < a->hi) || (data >= a->lo && data < a->hi);
}

extern const struct pf_own __start_pf_own[] __attribute__((weak, visibility("hidden")));
extern const struct pf_own __stop_pf_own[] __attribute__((weak, visibility("hidden")));

/* [lo, hi) around p without the tables of the runtime; false: p is in one. */
static bool clear_of_tables(uint64_t p, uint64_t *lo, uint64_t *hi)
{
    for (const struct pf_own *o = __start_pf_own; o < __stop_pf_own; o++) {
        uint64_t from = (uintptr_t)o->at, to = from + o->size;
        if (p >= from && p < to)
            return false;
        if (to <= p && to > *lo)
            *lo = to;
        if (from > p && from < *hi)
            *hi = from;
    }
    return true;
}

/* What is within NEAR of p and in [lo, hi), in pieces that other pointers share. */
static void add_near(uint64_t p, uint64_t lo, uint64_t hi)
{
    uint64_t piece = p / (2 * NEAR),
             both[] = {piece, p % (2 * NEAR) < NEAR ? piece - 1 : piece + 1};
    for (int i = 0; i < 2; i++) {
        uint64_t from = both[i] * 2 * NEAR, to = from + 2 * NEAR;
        from = from > lo ? from : lo;
        to = to < hi ? to : hi;
        if (from < to)
            add((struct pf_range_of){from, to - from});
    }
}

static void follow_elsewhere(uint64_t p, const struct pf_area *a, bool handed)
{
    if (!a->writable) /* code and constants: nothing can be agreed upon there */
        return;
    if (a->file && (starts(a->name, "libc.so") || starts(a->name, "ld-linux"))) {
        if (handed)
            add((struct pf_range_of){p, PAGE - p % PAGE});
        else if (p == (uintptr_t)stdin || p == (uintptr_t)stdout || p == (uintptr_t)stderr)
            add((struct pf_range_of){p, sizeof(FILE)});
        return;
    }
    uint64_t lo, hi;
    pf_area_part(a, p, &lo, &hi);
    if (!a->file && in_silent_stack(p, lo, hi))
        return;
    if (is_ours(a)) { /* among the tables of the runtime: not far, and not into variables */
        pf_variable_gap(p, &lo, &hi);
        if (clear_of_tables(p, &lo, &hi))
            add_near(p, lo, hi);
        return;
    }
    add((struct pf_range_of){lo, hi - lo});
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
    else if (in_stack(p))
        ;
    else if (is_allocators(a) ? pf_block_holding(p, &b) : pf_block_large(p, &b))
        add((struct pf_range_of){b.addr, b.size ? b.size : 1});
    else if (!is_allocators(a))
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

static void walk(const void *callee, uint32_t n, void *const *words, const char *function)
{
    begin();
    set.everything |= n == PF_REACH_ALL;
    note_stacks();
    const struct pf_area *file = pf_area_find((uintptr_t)callee);
    const char *library = file && file->file ? file->name : "";
    pf_named_each(function ? function : library, add_variable, NULL);
    if (function && !*pf_options.globals)
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

static uint64_t since_all, stamps[STAMPS], now = 1; /* of granules, by hash: when last written */
PF_OWN(stamps);

static uint64_t *stamp(uint64_t granule) { return &stamps[granule * 0x9e3779b97f4a7c15ull >> 48]; }

void pf_reach_written(uint64_t addr, uint64_t size)
{
    static uint64_t granule, then = 1; /* the last one, and when */
    uint64_t first = addr / GRANULE, last = (addr + size - 1) / GRANULE;
    if (now == then && (now == 1 || (first == granule && last == first)))
        return; /* nothing is kept yet; or it was said */
    granule = last;
    then = now;
    for (uint64_t g = first; g <= last && g - first < STAMPS; g++)
        *stamp(g) = now;
    if (last - first >= STAMPS)
        since_all = now;
}

static struct kept {
    uint64_t number, since;
    uint32_t nwords, n;
    const void *callee;
    void *word[WORDS_KEPT];
    struct pf_range_of at[OBJECTS];
} kept[SETS];
PF_OWN(kept);

static bool is_unwritten(const struct kept *k)
{
    if (since_all >= k->since)
        return false;
    for (uint32_t i = 0; i < k->n; i++) {
        uint64_t last = (k->at[i].addr + k->at[i].size - 1) / GRANULE;
        if (last - k->at[i].addr / GRANULE >= STAMPS)
            return false;
        for (uint64_t g = k->at[i].addr / GRANULE; g <= last; g++)
            if (*stamp(g) >= k->since)
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

struct pf_reach_set pf_reach_find(const void *callee, uint32_t n, void *const *words,
                                  const char *function)
{
    static uint64_t numbers;
    bool same, full = starts(pf_options.reach, "full");
    if (full || function || n > WORDS_KEPT) {
        walk(callee, n, words, function);
        return (struct pf_reach_set){.at = set.all, .n = set.n};
    }
    struct kept *k = keeper(callee, n, words, &same);
    if (same && is_unwritten(k))
        return (struct pf_reach_set){k->at, k->n, k->number, true};
    walk(callee, n, words, NULL);
    k->callee = callee;
    k->nwords = n;
    k->n = set.n;
    pf_copy(k->word, words, n * sizeof *words);
    pf_copy(k->at, set.all, set.n * sizeof *set.all);
    k->number = ++numbers;
    k->since = ++now;
    return (struct pf_reach_set){k->at, k->n, k->number, false};
}
