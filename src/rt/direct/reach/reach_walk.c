/*
 * reach_walk.c - see reach_walk.h. A hash set of the objects found, and a cache of what each page
 * holds. Most words that look like addresses point to code, constants or unmapped memory, and the
 * cache rejects them with one comparison.
 */
#include "reach_walk.h"
#include "block_history.h"
#include "context.h"
#include "direct.h"
#include "entry.h"
#include "mappings.h"
#include "options.h"
#include "reach_libs.h"
#include "reach_stacks.h"
#include "reach_variables.h"
#include "runtime_access.h"
#include "section_bounds.h"
#include "sys.h"
#include <sys/uio.h>

#define NEAR 16384u /* bytes before and after an address in other memory */
#define PAGES 4096u /* entries of the page cache */
#define SLOTS_FIRST 1024u
#define WORDS_READ_MAX (1u << 20) /* maximum number of words that one walk reads */

/* --- the set of objects --- */

static uint32_t hash_of(const struct pf_walk *w, uint64_t addr)
{
    return (uint32_t)(addr * 0x9e3779b97f4a7c15ull >> 32) & (w->slots - 1);
}

/* The slot of addr, or the empty slot where it belongs. */
static uint64_t *slot_of(const struct pf_walk *w, uint64_t addr)
{
    uint32_t i = hash_of(w, addr);
    while (w->slot[i] >> 32 == w->round && w->at[(uint32_t)w->slot[i] - 1].addr != addr)
        i = (i + 1) & (w->slots - 1);
    return &w->slot[i];
}

bool pf_walk_init(struct pf_walk *w, uint32_t most)
{
    *w = (struct pf_walk){.most = most, .slots = SLOTS_FIRST, .room = SLOTS_FIRST, .round = 1};
    while (w->room < 2 * most)
        w->room *= 2;
    w->at = pf_sys_map(NULL, most * sizeof *w->at);
    w->slot = pf_sys_map(NULL, w->room * sizeof *w->slot);
    return w->at && w->slot;
}

/* Starts a new round, which makes all slots empty. */
static void clear_slots(struct pf_walk *w, uint32_t slots)
{
    w->slots = slots;
    if (++w->round == 0) {
        pf_zero(w->slot, w->room * sizeof *w->slot);
        w->round = 1;
    }
}

/* Adds an object. The hash table grows with the number of objects, so that a small one stays in the
 * processor's cache. */
static void put(struct pf_walk *w, struct pf_mem_range o, uint64_t *slot)
{
    w->at[w->n++] = o;
    *slot = (uint64_t)w->round << 32 | w->n;
    if (__builtin_expect(w->n <= w->slots / 2 || w->slots == w->room, 1))
        return;
    clear_slots(w, 2 * w->slots);
    for (uint32_t i = 0; i < w->n; i++) /* for several objects at one address the last one counts */
        *slot_of(w, w->at[i].addr) = (uint64_t)w->round << 32 | (i + 1);
}

void pf_walk_add(struct pf_walk *w, struct pf_mem_range o)
{
    uint64_t *slot = slot_of(w, o.addr);
    bool known = *slot >> 32 == w->round;
    struct pf_mem_range *same = known ? &w->at[(uint32_t)*slot - 1] : NULL;
    if (known && same->size >= o.size) /* ghosts have size 0 */
        return;
    if (w->n == w->most) {
        w->everything = true;
        return;
    }
    if (known) {
        w->replaced += same->size != 0;
        same->size = 0; /* the larger object is scanned as a whole */
    }
    put(w, o, slot);
}

/* Adds a ghost: nothing is at p now, but a word holds the address p. If a block is allocated there
 * later, it is known to be reachable. */
static void add_ghost(struct pf_walk *w, uint64_t p)
{
    uint64_t *slot = p & 15 ? NULL : slot_of(w, p);
    if (!slot || *slot >> 32 == w->round || w->n == w->most)
        return;
    put(w, (struct pf_mem_range){p, 0}, slot);
}

void pf_walk_prefetch(const struct pf_walk *w, uint64_t addr)
{
    pf_prefetch(&w->slot[hash_of(w, addr)]);
}

bool pf_walk_lookup(const struct pf_walk *w, uint64_t addr, uint64_t *size)
{
    uint64_t slot = *slot_of(w, addr);
    bool known = slot >> 32 == w->round;
    *size = known ? w->at[(uint32_t)slot - 1].size : 0;
    return known;
}

bool pf_walk_has(const struct pf_walk *w, const struct pf_mem_range *o)
{
    uint64_t size;
    return pf_walk_lookup(w, o->addr, &size) && size >= o->size;
}

/* --- other memory --- */

static bool starts(const char *text, const char *with)
{
    while (*with && *text == *with)
        text++, with++;
    return !*with;
}

/* True for memory of the allocator: the brk heap, and arenas, which glibc aligns to 64 MB and which
 * begin with a pointer into an arena. Memory in use there is found as blocks. */
static bool is_allocator_memory(const struct pf_mapping *a)
{
    return starts(a->name, "[heap]") ||
           (!a->file && !*a->name && a->writable && a->lo % (64u << 20) == 0 &&
            *(volatile uint64_t *)a->lo - a->lo < PF_PAGE);
}

/* True if the mapping is data of the program, or of a library, that also contains the runtime's
 * variables. */
static bool holds_runtime_data(const struct pf_mapping *a)
{
    uint64_t bss = (uintptr_t)&pf_direct, data = (uintptr_t)&pf_options;
    return (bss >= a->lo && bss < a->hi) || (data >= a->lo && data < a->hi);
}

/* Shrinks [lo, hi) around p so that it contains no variables of the runtime. False: p is in one. */
static bool exclude_runtime_data(uint64_t p, uint64_t *lo, uint64_t *hi)
{
    const char *const own[][2] = {{__start_pf_bss, __stop_pf_bss},
                                  {__start_pf_data, __stop_pf_data},
                                  {__start_pf_func, __stop_pf_func},
                                  {__start_pf_real, __stop_pf_real}};
    for (int i = 0; i < 4; i++) {
        uint64_t from = (uintptr_t)own[i][0], to = (uintptr_t)own[i][1];
        if (p >= from && p < to)
            return false;
        if (to <= p && to > *lo)
            *lo = to;
        if (from > p && from < *hi)
            *hi = from;
    }
    return true;
}

/* Adds the memory within NEAR bytes of p and in [lo, hi), in aligned pieces, so that nearby
 * pointers share objects. */
static void add_near(struct pf_walk *w, uint64_t p, uint64_t lo, uint64_t hi)
{
    uint64_t piece = p / (2 * NEAR),
             both[] = {piece, p % (2 * NEAR) < NEAR ? piece - 1 : piece + 1};
    for (int i = 0; i < 2; i++) {
        uint64_t from = both[i] * 2 * NEAR, to = from + 2 * NEAR;
        from = from > lo ? from : lo;
        to = to < hi ? to : hi;
        if (from < to)
            pf_walk_add(w, (struct pf_mem_range){from, to - from});
    }
}

/* True if p is in data of libc or the runtime for the first thread, whose thread-local variables
 * are in a separate mapping. */
static bool is_first_thread_data(uint64_t p)
{
    uint64_t fs = pf_context_at(0)->fs, own = fs - (pf_context_self()->fs - (uintptr_t)&__pf_tls);
    return p - own < sizeof __pf_tls || p - fs < PF_PAGE;
}

static void follow_elsewhere(struct pf_walk *w, uint64_t p, const struct pf_mapping *a)
{
    uint64_t lo, hi;
    pf_mapping_part(a, p, &lo, &hi);
    if (!a->file && (is_first_thread_data(p) || pf_walk_in_unlisted_stack(w, p, lo, hi)))
        return;
    if (holds_runtime_data(a)) {
        /* next to the runtime's variables: only near p, and no known variables */
        pf_variable_gap(p, &lo, &hi);
        if (!exclude_runtime_data(p, &lo, &hi))
            return;
        w->irregular = true;
        add_near(w, p, lo, hi);
        return;
    }
    w->irregular = true;
    pf_walk_add(w, (struct pf_mem_range){lo, hi - lo});
}

/* --- the page cache --- */

enum { NOTHING, HEAP, OTHER };
static struct page {
    uint64_t number, epoch;
    uint8_t what;
} pages[PAGES];
static uint64_t epoch; /* changes with mappings and variables */

uint64_t pf_walk_variables_epoch;

bool pf_walk_refresh(void)
{
    static uint64_t mappings_epoch;
    bool known = pf_mappings_known();
    pf_walk_forget_stacks();
    uint64_t a = pf_mappings_epoch(), v = pf_variable_epoch();
    if (a != mappings_epoch || v != pf_walk_variables_epoch)
        epoch++;
    mappings_epoch = a;
    pf_walk_variables_epoch = v;
    return known;
}

static unsigned on_page(uint64_t p)
{
    struct page *g = &pages[p / PF_PAGE % PAGES];
    if (g->number == p / PF_PAGE && g->epoch == epoch)
        return g->what;
    const struct pf_mapping *a = pf_mapping_find(p);
    uint64_t lo = pf_page_down(p), hi = lo + PF_PAGE;
    unsigned what = OTHER;
    if (a && is_allocator_memory(a))
        what = HEAP;
    else if (!pf_variable_may_overlap(lo, hi) && (!a || !a->writable))
        what = NOTHING; /* code and constants: threads cannot communicate there */
    *g = (struct page){p / PF_PAGE, epoch, (uint8_t)what};
    return what;
}

static bool is_block(uint64_t p, unsigned page, struct pf_mem_range *out)
{
    struct pf_block b;
    if (page == HEAP ? !pf_block_find_live(p, &b) : !pf_block_find_large(p, &b))
        return false;
    *out = (struct pf_mem_range){b.addr, b.size ? b.size : 1};
    return true;
}

bool pf_walk_find_block(uint64_t p, struct pf_mem_range *out)
{
    return on_page(p) == HEAP && !pf_walk_heap_stacks && is_block(p, HEAP, out);
}

bool pf_walk_in_heap(uint64_t p) { return on_page(p) == HEAP; }

/* True if addresses on such a page may be on a stack. */
static bool may_be_stack(unsigned page) { return pf_walk_find_heap_stacks() || page != HEAP; }

static inline bool can_be_address(uint64_t p) { return pf_mappings_may_hold(p); }

bool pf_walk_find_object(uint64_t p, struct pf_mem_range *out)
{
    unsigned page = can_be_address(p) ? on_page(p) : NOTHING;
    if (page == NOTHING)
        return false;
    if (page == OTHER && pf_variable_find(p, out))
        return true;
    return !(may_be_stack(page) && pf_walk_stack_of(p)) && is_block(p, page, out);
}

/* Makes the same decisions as `follow`, but returns false for rare cases and for stacks. Most words
 * point to the beginning of a block. */
bool pf_walk_covers(const struct pf_walk *w, uint64_t p, bool handed)
{
    struct pf_mem_range o;
    uint64_t had, has;
    if (!can_be_address(p) || pf_walk_is_marked(w, p))
        return true;
    unsigned page = on_page(p);
    if (page == NOTHING)
        return true;
    if (page == HEAP) {
        bool known = pf_walk_lookup(w, p, &had);
        if (known && (has = pf_block_history_size((const void *)p))) {
            if (had >= has && w->zone) /* malloc of a neighbour overwrote the mark */
                pf_red_zone_set_closure(p, w->zone);
            return had >= has;
        }
        return !pf_walk_heap_stacks &&
               (is_block(p, page, &o) ? pf_walk_has(w, &o) : known || p & 15);
    }
    if (pf_variable_find(p, &o) || is_block(p, page, &o))
        return pf_walk_has(w, &o);
    return pf_library_object(p, handed, &o) && (!o.size || pf_walk_has(w, &o));
}

/* Adds the object at p, which is a possible address. */
static __attribute__((noinline)) void follow(struct pf_walk *w, uint64_t p, uint64_t size,
                                             bool handed)
{
    struct pf_mem_range o;
    if (pf_walk_is_marked(w, p))
        return;
    unsigned page = on_page(p);
    if (page == NOTHING)
        return;
    if (page == OTHER && pf_variable_find(p, &o))
        pf_walk_add(w, o);
    else if (may_be_stack(page) && pf_walk_in_stack(w, p, size))
        ;
    else if (is_block(p, page, &o))
        pf_walk_add(w, o);
    else if (page == HEAP)
        add_ghost(w, p); /* unused or freed memory of the allocator */
    else if (pf_library_object(p, handed, &o)) {
        if (o.size)
            pf_walk_add(w, o);
    } else if (pf_mapping_find(p)->writable)
        follow_elsewhere(w, p, pf_mapping_find(p));
}

void pf_walk_follow(struct pf_walk *w, uint64_t p, bool handed)
{
    uint64_t size = handed ? p >> PF_WORD_SIZE_SHIFT : 0;
    p -= size << PF_WORD_SIZE_SHIFT;
    if (can_be_address(p))
        follow(w, p, size, handed);
}

void pf_walk_begin(struct pf_walk *w)
{
    w->n = w->scanned = w->replaced = 0;
    w->everything = w->irregular = false;
    clear_slots(w, SLOTS_FIRST);
    pf_walk_resume(w);
}

void pf_walk_resume(struct pf_walk *w)
{
    w->npieces = w->pieces_scanned = w->nbounds = 0;
    w->words_read = 0;
    w->everything |= !pf_walk_refresh();
}

/* --- scanning --- */

/* Pages of a mapped file past its end cannot be read: the kernel copies what exists. */
static void scan_file(struct pf_walk *w, struct pf_mem_range o)
{
    static uint64_t piece[PF_PAGE / 8];
    long pid = pf_sys(SYS_getpid);
    for (uint64_t from = o.addr; from < o.addr + o.size && !w->everything; from += PF_PAGE) {
        struct iovec here = {piece, PF_PAGE}, there = {(void *)from, PF_PAGE};
        if (pf_sys(SYS_process_vm_readv, pid, &here, 1, &there, 1, 0) == (long)PF_PAGE)
            for (uint64_t i = 0; i < PF_PAGE / 8; i++)
                pf_walk_follow(w, piece[i], false);
    }
}

void pf_walk_scan_words(struct pf_walk *w, uint64_t from, uint64_t size)
{
    uint64_t end = from + size;
    from = (from + 7) & ~7ull;
    w->words_read += size / 8;
    uint64_t lo = pf_mapping_hull.lo, hi = pf_mapping_hull.hi;
    if (w->everything)
        return;
    for (; from + 8 <= end; from += 8) {
        uint64_t p = *(volatile uint64_t *)from;
        if (__builtin_expect(p - lo < hi - lo, 0) && can_be_address(p)) {
            follow(w, p, 0, false);
            if (w->everything)
                return;
        }
    }
}

static void scan(struct pf_walk *w, struct pf_mem_range o)
{
    const struct pf_mapping *a = o.size < PF_PAGE ? NULL : pf_mapping_find(o.addr);
    if (a && a->file && o.addr % PF_PAGE == 0 && o.size % PF_PAGE == 0) {
        w->words_read += o.size / 8;
        scan_file(w, o);
    } else {
        pf_walk_scan_words(w, o.addr, o.size);
    }
}

void pf_walk_scan(struct pf_walk *w)
{
    while (!w->everything && (w->scanned < w->n || w->pieces_scanned < w->npieces)) {
        scan(w, w->scanned < w->n ? w->at[w->scanned++] : w->piece[w->pieces_scanned++]);
        w->everything |= w->words_read > WORDS_READ_MAX;
    }
}

void pf_walk_scan_stack(struct pf_walk *w, struct pf_mem_range piece, bool unbounded,
                        uint64_t *seen)
{
    const struct pf_walk_stack *s = pf_walk_stack_of(piece.addr);
    uint64_t end = piece.addr + piece.size, from = piece.addr;
    if (!s) { /* its thread has ended */
        w->irregular = true;
        return;
    }
    if (from < s->live)
        from = s->live;
    if (from >= end)
        return;
    if (w->npieces == PF_WALK_PIECES) {
        w->everything = true;
        return;
    }
    uint32_t to = w->pieces_scanned++; /* goes before the pieces that need a scan */
    w->unbounded[w->npieces] = w->unbounded[to];
    w->piece[w->npieces++] = w->piece[to];
    w->unbounded[to] = unbounded;
    w->piece[to] = (struct pf_mem_range){from, end - from};
    if (!seen)
        return;
    w->words_read += (end - from) / 64; /* a comparison is cheaper than following a word */
    if ((s->hi - from) / 8 >= PF_WALK_STACK_WORDS) {
        w->everything = true;
        return;
    }
    for (from = (from + 7) & ~7ull; from + 8 <= end; from += 8) {
        uint64_t p = *(volatile uint64_t *)from, *old = &seen[(s->hi - from) / 8];
        if (__builtin_expect(p != *old, 0)) {
            const struct pf_walk_stack *to = can_be_address(p) ? pf_walk_stack_of(p) : NULL;
            /* below the live part of a stack; a frame may be there next time */
            *old = to && p < to->live ? 0 : p;
            if (can_be_address(p))
                follow(w, p, 0, false);
        }
    }
}
