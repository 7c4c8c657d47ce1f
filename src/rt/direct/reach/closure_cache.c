/*
 * closure_cache.c - see closure_cache.h. A hash filter over addresses tells in one load whether a
 * write can matter to a closure.
 */
#include "closure_cache.h"
#include "block_history.h"
#include "context.h"
#include "pf_abi.h"
#include "reach_variables.h"
#include "sys.h"
#include "tracer.h"

#define CLOSURES PF_ZONE_CLOSURES
#define OBJECTS (1u << 18) /* of a closure */
#define SLACK 1024u     /* objects that a closure may gain in any case */
#define EVENTS_PER_OBJECT 64u /* cost of a new closure, in events: for each object */
#define EVENTS_PER_WORD 4u    /* and for each word of the walk */
#define PENDING 4096u   /* maximum number of changes that are not followed yet */
#define FILTER_SLOTS_MAX (1u << 16) /* maximum number of filter slots of one object */

static struct pf_closure cache[CLOSURES];
static struct pf_closure_pending pending[CLOSURES][PENDING];
_Alignas(8) uint8_t pf_closure_filter[PF_CLOSURE_FILTER_SIZE];
uint64_t pf_closure_clock;
/* value of the clock when recorded code last wrote or read a pointer */
static uint64_t last_pointer_event;
uint32_t pf_closure_open_calls;
bool pf_closure_any;
static uint32_t live_mask; /* one bit for each live closure */

static uint32_t index_of(const struct pf_closure *k) { return (uint32_t)(k - cache); }

static uint8_t *filter_byte(uint64_t number)
{
    return &pf_closure_filter[pf_closure_filter_slot(number)];
}

void pf_closure_drop(struct pf_closure *k)
{
    k->live = false;
    live_mask &= ~(1u << index_of(k));
    pf_closure_any = live_mask;
}

void pf_closure_drop_all(void)
{
    for (uint32_t i = 0; i < CLOSURES; i++)
        pf_closure_drop(&cache[i]);
}

/* --- events of recorded code --- */

static void note(struct pf_closure *k, struct pf_closure_pending p)
{
    const struct pf_closure_pending *last = k->npending ? &k->pending[k->npending - 1] : NULL;
    if (last && last->addr == p.addr && last->value == p.value && last->size == p.size)
        return;
    if (k->npending == PENDING)
        pf_closure_drop(k);
    else
        k->pending[k->npending++] = p;
    pf_prefetch(pf_red_zone_marks(p.value) - 1);
}

void pf_closure_on_write(uint64_t addr, uint64_t size, const uint64_t *value)
{
    uint64_t first = addr >> PF_CLOSURE_FILTER_SHIFT,
             last = (addr + size - 1) >> PF_CLOSURE_FILTER_SHIFT;
    uint8_t in = 0;
    last_pointer_event = pf_closure_clock;
    if (last - first >= FILTER_SLOTS_MAX)
        in = UINT8_MAX;
    else
        for (uint64_t g = first; g <= last; g++)
            in |= *filter_byte(g);
    for (; in; in &= (uint8_t)(in - 1)) {
        struct pf_closure *k = &cache[__builtin_ctz(in)];
        if (!k->live)
            continue;
        if (value)
            note(k, (struct pf_closure_pending){k->open ? 0 : addr, 8, *value});
        else if (k->open)
            pf_closure_drop(k);
        else
            note(k, (struct pf_closure_pending){addr, size, 0});
    }
}

/* Notes a pointer for every closure that open calls belong to. */
static void note_for_open(uint64_t value)
{
    for (uint32_t in = live_mask; in; in &= in - 1) {
        struct pf_closure *k = &cache[__builtin_ctz(in)];
        if (k->open)
            note(k, (struct pf_closure_pending){0, 8, value});
    }
}

void pf_closure_on_read(uint64_t value)
{
    last_pointer_event = pf_closure_clock;
    note_for_open(value);
}

/* Notes the contents of a new block (realloc copies the old ones). While calls are open, words are
 * noted with their present values, because a call may overwrite them before the block is
 * scanned. */
static void note_content(struct pf_closure *k, uint64_t addr, uint64_t size)
{
    uint64_t had;
    if (!k->open || size > PF_CLOSURE_WORDS * 8) {
        note(k, (struct pf_closure_pending){addr, size, 0});
        return;
    }
    for (uint64_t at = addr; at + 8 <= addr + size; at += 8) {
        uint64_t p = *(volatile uint64_t *)at;
        if (p >> 16 && !(p >> 47) && !pf_walk_lookup(&k->w, p, &had))
            note(k, (struct pf_closure_pending){0, 8, p});
    }
}

void pf_closure_prefetch(uint64_t addr)
{
    for (uint32_t in = live_mask; in; in &= in - 1)
        pf_walk_prefetch(&cache[__builtin_ctz(in)].w, addr);
}

/* Freed blocks stay in a closure, because most new blocks begin where an old one was. */
void pf_closure_on_alloc(uint64_t addr, uint64_t size, bool missing)
{
    if (missing)
        note_for_open(addr);
    for (uint8_t in = *filter_byte(addr >> PF_CLOSURE_FILTER_SHIFT); in; in &= (uint8_t)(in - 1)) {
        struct pf_closure *k = &cache[__builtin_ctz(in)];
        uint64_t had;
        if (!k->live || !pf_walk_lookup(&k->w, addr, &had))
            continue;
        if (had && had >= size)
            note_content(k, addr, size);
        else
            note(k, (struct pf_closure_pending){0, 0, addr});
    }
}

/* --- using a closure --- */

/* True if the closure has a piece of the stack that p is on. */
static bool has_stack(const struct pf_closure *k, uint64_t p)
{
    uint64_t end = pf_walk_stack_end(p);
    for (uint32_t i = 0; i < k->npieces && end; i++)
        if (pf_walk_stack_end(k->piece[i].addr) == end)
            return true;
    return false;
}

static bool has_any(const struct pf_closure *k, uint32_t n, void *const *words)
{
    struct pf_mem_range o;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t p = (uintptr_t)words[i];
        if (pf_walk_find_object(p, &o) ? pf_walk_has(&k->w, &o) : has_stack(k, p))
            return true;
    }
    return false;
}

struct pf_closure *pf_closure_find(uint32_t n, void *const *words, bool all)
{
    for (uint32_t in = live_mask; in; in &= in - 1) {
        struct pf_closure *k = &cache[__builtin_ctz(in)];
        if (k->open == pf_closure_open_calls && ((all && k->variables) || has_any(k, n, words)))
            return k;
    }
    return NULL;
}

static void follow_pending(struct pf_closure *k, const struct pf_closure_pending *p)
{
    struct pf_mem_range o;
    uint64_t size = p->size;
    uint64_t end = p->addr ? pf_walk_stack_end(p->addr) : 0;
    if (end) { /* a stack of a thread that has not run since; all other stacks are scanned anyway */
        if (!pf_ranges_contain(k->piece, k->npieces, (struct pf_mem_range){p->addr, 1}))
            return;
        if (size > end - p->addr)
            size = end - p->addr;
    } else if (p->addr) {
        if (!pf_walk_find_object(p->addr, &o) || !pf_walk_has(&k->w, &o))
            return;
        if (size > o.addr + o.size - p->addr)
            size = o.addr + o.size - p->addr;
    }
    if (p->value)
        pf_walk_follow(&k->w, p->value, false);
    else
        pf_walk_scan_words(&k->w, p->addr, size);
}

/* The index of the stack with this end, added if needed; PF_CLOSURE_STACKS: no room. */
static uint32_t find_stack(struct pf_closure *k, uint64_t end)
{
    for (uint32_t i = 0; i < k->nstacks; i++)
        if (k->stack_end[i] == end)
            return i;
    uint32_t i = k->nstacks;
    if (!end || i == PF_CLOSURE_STACKS)
        return PF_CLOSURE_STACKS;
    if (!k->stack_words[i])
        k->stack_words[i] = pf_sys_map(NULL, PF_WALK_STACK_WORDS * sizeof **k->stack_words);
    if (!k->stack_words[i])
        return PF_CLOSURE_STACKS;
    pf_zero(k->stack_words[i], PF_WALK_STACK_WORDS * sizeof **k->stack_words);
    k->stack_end[i] = end;
    k->thread[i].of = NULL;
    k->nstacks++;
    return i;
}

bool pf_closure_stack_unchanged(const struct pf_walk_thread *t)
{
    return t->of && t->stopped && t->of->stopped_at == t->stopped && t->of != pf_context_self();
}

/* Scans the stacks whose threads have run and those that got new pieces. */
static void refresh_stacks(struct pf_closure *k)
{
    uint32_t unchanged = 0; /* one bit for each stack */
    for (uint32_t i = 0; i < k->nstacks; i++) {
        struct pf_walk_thread now = pf_walk_stack_thread(k->stack_end[i] - 1);
        if (pf_closure_stack_unchanged(&now) && now.of == k->thread[i].of &&
            now.stopped == k->thread[i].stopped)
            unchanged |= 1u << i;
        k->thread[i] = now;
    }
    for (uint32_t s = 0; s < k->npieces; s++) {
        uint32_t i = find_stack(k, pf_walk_stack_end(k->piece[s].addr));
        if (i == PF_CLOSURE_STACKS)
            k->w.irregular = true;
        else
            pf_walk_scan_stack(&k->w, k->piece[s], k->unbounded[s],
                               unchanged >> i & 1 ? NULL : k->stack_words[i]);
    }
}

void pf_closure_refresh(struct pf_closure *k, uint32_t n, void *const *words)
{
    pf_walk_resume(&k->w);
    pf_walk_add_word_bounds(&k->w, n, words);
    refresh_stacks(k);
    for (uint32_t p = 0; p < k->npending; p++)
        follow_pending(k, &k->pending[p]);
    k->npending = 0;
    for (uint32_t word = 0; word < n; word++)
        pf_walk_follow(&k->w, (uintptr_t)words[word], true);
}

void pf_closure_add_callee(struct pf_closure *k, const void *callee)
{
    if (k->named != pf_variable_epoch())
        k->ncallees = 0;
    k->named = pf_variable_epoch();
    for (uint32_t i = 0; i < k->ncallees; i++)
        if (k->callee[i] == callee)
            return;
    k->callee[k->ncallees < PF_CLOSURE_CALLEES ? k->ncallees++
                                               : pf_closure_clock % PF_CLOSURE_CALLEES] = callee;
}

bool pf_ranges_contain(const struct pf_mem_range *list, uint32_t n, struct pf_mem_range o)
{
    for (uint32_t i = 0; i < n; i++)
        if (o.addr >= list[i].addr && o.addr + o.size <= list[i].addr + list[i].size)
            return true;
    return false;
}

/* Sets the closure's filter bits for a range. False: the range is too large. */
static bool mark(struct pf_closure *k, struct pf_mem_range o)
{
    uint8_t bit = (uint8_t)(1u << index_of(k));
    uint64_t last = (o.addr + o.size - 1) >> PF_CLOSURE_FILTER_SHIFT,
             g = o.addr >> PF_CLOSURE_FILTER_SHIFT;
    if (last - g >= FILTER_SLOTS_MAX)
        return false;
    for (; g <= last; g++)
        *filter_byte(g) |= bit;
    return true;
}

/* Remembers the pieces of stacks that a walk found. When there are many, a piece is extended to the
 * end of its stack, so that it replaces others. False: no room. */
static bool remember_pieces(struct pf_closure *k, const struct pf_walk *w)
{
    for (uint32_t i = 0; i < w->npieces; i++) {
        struct pf_mem_range o = w->piece[i];
        bool unbounded = w->unbounded[i];
        uint64_t end = pf_walk_stack_end(o.addr);
        if (pf_ranges_contain(k->piece, k->npieces, o))
            continue;
        if (k->npieces >= PF_CLOSURE_PIECES / 2 && end) {
            o.size = end - o.addr;
            unbounded = true;
        }
        uint32_t n = 0;
        for (uint32_t s = 0; s < k->npieces; s++)
            if (!pf_ranges_contain(&o, 1, k->piece[s])) {
                k->unbounded[n] = k->unbounded[s];
                k->piece_stack[n] = k->piece_stack[s];
                k->piece[n++] = k->piece[s];
            }
        k->npieces = n;
        uint32_t stack = find_stack(k, end);
        if (n == PF_CLOSURE_PIECES || stack == PF_CLOSURE_STACKS || !mark(k, o))
            return false;
        k->thread[stack].of = NULL;
        k->unbounded[k->npieces] = unbounded;
        k->piece_stack[k->npieces] = (uint8_t)stack;
        k->piece[k->npieces++] = o;
    }
    return true;
}

/* Commits the objects from index `from` on. Other closures that have one of them are dropped. */
static bool add_objects(struct pf_closure *k, uint32_t from)
{
    for (uint32_t n = from; n < k->w.n; n++) {
        const struct pf_mem_range *o = &k->w.at[n];
        if (!o->size) {
            mark(k, (struct pf_mem_range){o->addr, 1}); /* an object may be allocated there later */
            continue;
        }
        if (!mark(k, *o))
            return false;
        size_t block = pf_block_history_size((const void *)o->addr);
        if (block && block <= o->size)
            pf_red_zone_set_closure(o->addr, k->w.zone);
        for (uint32_t in = live_mask & ~(1u << index_of(k)); in; in &= in - 1) {
            struct pf_closure *other = &cache[__builtin_ctz(in)];
            if (pf_walk_has(&other->w, o))
                pf_closure_drop(other);
        }
    }
    return true;
}

/* With n objects: true if most of them may be unreachable by now, and the events since the creation
 * have taken longer than a new walk will. False while calls are open, because a new closure could
 * not be created. */
static bool is_old(const struct pf_closure *k, uint32_t n)
{
    uint64_t events = pf_trace_records() - k->made;
    return n > 2 * k->first + SLACK && pf_closure_can_create() &&
           events >= (uint64_t)EVENTS_PER_OBJECT * n && events >= EVENTS_PER_WORD * k->walked;
}

bool pf_closure_add_blocks(struct pf_closure *k, uint32_t before)
{
    return !is_old(k, k->w.n - k->w.replaced) && add_objects(k, before);
}

bool pf_closure_commit(struct pf_closure *k, uint32_t before)
{
    bool holds = k->live && !k->w.everything && !k->w.irregular &&
                 !is_old(k, k->w.n - k->w.replaced) && remember_pieces(k, &k->w) &&
                 add_objects(k, before);
    if (!holds)
        pf_closure_drop(k);
    k->has_unbounded = 0;
    for (uint32_t s = 0; s < k->npieces && holds; s++)
        k->has_unbounded |= (uint32_t)k->unbounded[s] << k->piece_stack[s];
    k->used = pf_closure_clock;
    k->committed = true;
    return holds;
}

static struct pf_closure *pick_slot(void)
{
    struct pf_closure *best = NULL;
    for (uint32_t i = 0; i < CLOSURES; i++) {
        struct pf_closure *k = &cache[i];
        if (!k->live)
            return k;
        if (!best || k->used < best->used)
            best = k;
    }
    return best;
}

bool pf_closure_can_create(void) { return !pf_closure_open_calls; }

struct pf_closure *pf_closure_create(const struct pf_walk *w, bool all, uint64_t number)
{
    if (w->everything || w->irregular || pf_closure_open_calls)
        return NULL;
    struct pf_closure *k = pick_slot();
    uint8_t bit = (uint8_t)(1u << index_of(k));
    if (!k->w.at && !pf_walk_init(&k->w, OBJECTS))
        return NULL;
    uint64_t *filter_words = (uint64_t *)(void *)pf_closure_filter;
    for (uint32_t i = 0; i < PF_CLOSURE_FILTER_SIZE / 8; i++)
        filter_words[i] &= ~(bit * 0x0101010101010101ull);
    k->pending = pending[index_of(k)];
    k->npending = 0;
    k->w.zone = (uint8_t)(PF_ZONE_CLOSURE + index_of(k));
    for (uint32_t i = 0; i < k->w.n; i++) /* clear the marks of the previous closure */
        if (pf_red_zone_in_closure(k->w.at[i].addr, k->w.zone))
            pf_red_zone_set_closure(k->w.at[i].addr, PF_ZONE_HEAP);
    pf_walk_begin(&k->w);
    for (uint32_t i = 0; i < w->n; i++)
        pf_walk_add(&k->w, w->at[i]);
    k->w.scanned = k->emitted = k->first = k->w.n;
    k->live = pf_closure_any = true;
    live_mask |= 1u << index_of(k);
    k->number = number;
    k->born = ++pf_closure_clock;
    k->made = pf_trace_records();
    k->open = k->npieces = k->nstacks = k->nemitted_pieces = k->ncallees = 0;
    k->cost = k->walked = w->words_read;
    k->variables = all ? pf_variable_epoch() : 0;
    pf_copy(k->w.piece, w->piece, w->npieces * sizeof *w->piece);
    pf_copy(k->w.unbounded, w->unbounded, w->npieces * sizeof *w->unbounded);
    k->w.npieces = w->npieces;
    return pf_closure_commit(k, 0) ? k : NULL;
}

/* --- calls --- */

enum overlap { DISJOINT, PARTIAL, CONTAINED };

static enum overlap overlap(const struct pf_closure *k, const struct pf_walk *w)
{
    bool some = false, not = false;
    for (uint32_t i = 0; i < w->n && !(some && not); i++) {
        if (!w->at[i].size)
            continue;
        bool in = pf_walk_has(&k->w, &w->at[i]);
        some |= in;
        not |= !in;
    }
    return !some ? DISJOINT : not ? PARTIAL : CONTAINED;
}

/* Adds the walk's objects to the closure. Both are closed, so their union is closed too, and the
 * call may link one to the other. False: no room. */
static bool merge(struct pf_closure *k, const struct pf_walk *w, enum overlap o)
{
    uint32_t before = k->w.n;
    k->committed = false;
    if (!remember_pieces(k, w))
        return false;
    if (o == CONTAINED)
        return true;
    if (is_old(k, k->w.n + w->n))
        return false;
    for (uint32_t i = 0; i < w->n; i++)
        pf_walk_add(&k->w, w->at[i]);
    k->w.scanned = k->w.n;
    return !k->w.everything && add_objects(k, before);
}

static uint64_t next_call_mask; /* the closures to which the call that is about to begin belongs */

bool pf_closure_join_call(const struct pf_walk *w, bool has_data, uint32_t outer)
{
    bool closed = !w->everything && !w->irregular && !has_data;
    next_call_mask = 0;
    for (uint32_t i = 0; i < CLOSURES; i++) {
        struct pf_closure *k = &cache[i];
        if (!k->live)
            continue;
        enum overlap o = closed ? overlap(k, w) : PARTIAL;
        if (closed && o != DISJOINT && merge(k, w, o))
            next_call_mask |= 1u << i;
        else if (o != DISJOINT || (outer && k->open))
            pf_closure_drop(k);
    }
    for (uint32_t i = 0; i < CLOSURES; i++) /* a later merge may have dropped a closure */
        next_call_mask &= ~((uint64_t)!cache[i].live << i);
    return next_call_mask;
}

uint64_t pf_closure_call_begin(struct pf_closure *k)
{
    uint64_t mask = k ? 1u << index_of(k) : next_call_mask;
    for (uint64_t in = mask; in; in &= in - 1)
        cache[__builtin_ctzll(in)].open++;
    pf_closure_open_calls++;
    return ++pf_closure_clock << CLOSURES | mask;
}

void pf_closure_call_end(uint64_t token)
{
    uint64_t began = token >> CLOSURES;
    pf_closure_open_calls--;
    for (uint32_t in = live_mask; in; in &= in - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(in);
        struct pf_closure *k = &cache[i];
        if (token >> i & 1 && k->born <= began)
            k->open--;
        else if (last_pointer_event >= began) /* the ended call may hold a pointer into it */
            pf_closure_drop(k);
    }
}
