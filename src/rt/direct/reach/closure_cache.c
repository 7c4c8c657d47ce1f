#include "closure_cache.h"
#include "block_history.h"
#include "context.h"
#include "pf_abi.h"
#include "reach_variables.h"
#include "sys.h"
#include "tracer.h"

#define KEPT PF_ZONES_KEPT
#define OBJECTS (1u << 18)
#define SLACK 1024u     /* objects that a set may always grow by */
#define EVENTS_OBJECT 64u /* that pay for an object of a set that is made anew */
#define EVENTS_WORD 4u    /* and for a word */
#define PENDING 4096u   /* not followed yet */
#define GRANULES_MOST (1u << 16) /* of one object */

static struct pf_kept kept[KEPT];
static struct pf_kept_pending pending[KEPT][PENDING];
_Alignas(8) uint8_t
    pf_kept_granules[PF_KEPT_GRANULES]; /* by hash: a bit for each kept set with objects there */
uint64_t pf_kept_now;
static uint64_t stirred; /* when recorded code last wrote or read a pointer */
uint32_t pf_kept_calls;
bool pf_kept_any;
static uint32_t lives; /* a bit for each set that is live */

static uint32_t index_of(const struct pf_kept *k) { return (uint32_t)(k - kept); }

static uint8_t *granule(uint64_t number) { return &pf_kept_granules[pf_kept_granule(number)]; }

void pf_kept_drop(struct pf_kept *k)
{
    k->live = false;
    lives &= ~(1u << index_of(k));
    pf_kept_any = lives;
}

void pf_kept_drop_all(void)
{
    for (uint32_t i = 0; i < KEPT; i++)
        pf_kept_drop(&kept[i]);
}

/* --- what recorded code does --- */

static void note(struct pf_kept *k, struct pf_kept_pending p)
{
    const struct pf_kept_pending *last = k->npending ? &k->pending[k->npending - 1] : NULL;
    if (last && last->addr == p.addr && last->value == p.value && last->size == p.size)
        return;
    if (k->npending == PENDING)
        pf_kept_drop(k);
    else
        k->pending[k->npending++] = p;
    pf_prefetch(pf_heap_marks(p.value) - 1);
}

void pf_kept_written(uint64_t addr, uint64_t size, const uint64_t *value)
{
    uint64_t first = addr >> PF_KEPT_GRANULE, last = (addr + size - 1) >> PF_KEPT_GRANULE;
    uint8_t in = 0;
    stirred = pf_kept_now;
    if (last - first >= GRANULES_MOST)
        in = UINT8_MAX;
    else
        for (uint64_t g = first; g <= last; g++)
            in |= *granule(g);
    for (; in; in &= (uint8_t)(in - 1)) {
        struct pf_kept *k = &kept[__builtin_ctz(in)];
        if (!k->live)
            continue;
        if (value)
            note(k, (struct pf_kept_pending){k->open ? 0 : addr, 8, *value});
        else if (k->open)
            pf_kept_drop(k);
        else
            note(k, (struct pf_kept_pending){addr, size, 0});
    }
}

/* For those that calls under way belong to. */
static void note_for_open(uint64_t value)
{
    for (uint32_t in = lives; in; in &= in - 1) {
        struct pf_kept *k = &kept[__builtin_ctz(in)];
        if (k->open)
            note(k, (struct pf_kept_pending){0, 8, value});
    }
}

void pf_kept_read(uint64_t value)
{
    stirred = pf_kept_now;
    note_for_open(value);
}

/* Of a block that was made from another one. A call that is under way may have taken words out of it until they are looked at. */
static void note_content(struct pf_kept *k, uint64_t addr, uint64_t size)
{
    uint64_t had;
    if (!k->open || size > PF_KEPT_WORDS * 8) {
        note(k, (struct pf_kept_pending){addr, size, 0});
        return;
    }
    for (uint64_t at = addr; at + 8 <= addr + size; at += 8) {
        uint64_t p = *(volatile uint64_t *)at;
        if (p >> 16 && !(p >> 47) && !pf_walk_knows(&k->w, p, &had))
            note(k, (struct pf_kept_pending){0, 8, p});
    }
}

void pf_kept_coming(uint64_t addr)
{
    for (uint32_t in = lives; in; in &= in - 1)
        pf_walk_coming(&kept[__builtin_ctz(in)].w, addr);
}

/* What was freed stays in a set: most blocks come back at a place where one was. */
void pf_kept_allocated(uint64_t addr, uint64_t size, bool missing)
{
    if (missing)
        note_for_open(addr);
    for (uint8_t in = *granule(addr >> PF_KEPT_GRANULE); in; in &= (uint8_t)(in - 1)) {
        struct pf_kept *k = &kept[__builtin_ctz(in)];
        uint64_t had;
        if (!k->live || !pf_walk_knows(&k->w, addr, &had))
            continue;
        if (had && had >= size)
            note_content(k, addr, size);
        else
            note(k, (struct pf_kept_pending){0, 0, addr});
    }
}

/* --- using one --- */

/* Does it have some of the stack that p is on? */
static bool has_stack(const struct pf_kept *k, uint64_t p)
{
    uint64_t end = pf_walk_stack_end(p);
    for (uint32_t i = 0; i < k->nstack && end; i++)
        if (pf_walk_stack_end(k->stack[i].addr) == end)
            return true;
    return false;
}

static bool has_any(const struct pf_kept *k, uint32_t n, void *const *words)
{
    struct pf_range_of o;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t p = (uintptr_t)words[i];
        if (pf_walk_object(p, &o) ? pf_walk_has(&k->w, &o) : has_stack(k, p))
            return true;
    }
    return false;
}

struct pf_kept *pf_kept_find(uint32_t n, void *const *words, bool all)
{
    for (uint32_t in = lives; in; in &= in - 1) {
        struct pf_kept *k = &kept[__builtin_ctz(in)];
        if (k->open == pf_kept_calls && ((all && k->variables) || has_any(k, n, words)))
            return k;
    }
    return NULL;
}

static void follow_pending(struct pf_kept *k, const struct pf_kept_pending *p)
{
    struct pf_range_of o;
    uint64_t size = p->size;
    uint64_t end = p->addr ? pf_walk_stack_end(p->addr) : 0;
    if (end) { /* of a thread that has not run since: the others are looked at in any case */
        if (!pf_kept_within(k->stack, k->nstack, (struct pf_range_of){p->addr, 1}))
            return;
        if (size > end - p->addr)
            size = end - p->addr;
    } else if (p->addr) {
        if (!pf_walk_object(p->addr, &o) || !pf_walk_has(&k->w, &o))
            return;
        if (size > o.addr + o.size - p->addr)
            size = o.addr + o.size - p->addr;
    }
    if (p->value)
        pf_walk_follow(&k->w, p->value, false);
    else
        pf_walk_words(&k->w, p->addr, size);
}

/* The number of the stack with this end; PF_KEPT_VIEWS: there is no room for its words. */
static uint32_t view_of(struct pf_kept *k, uint64_t end)
{
    for (uint32_t i = 0; i < k->nviews; i++)
        if (k->view[i] == end)
            return i;
    uint32_t i = k->nviews;
    if (!end || i == PF_KEPT_VIEWS)
        return PF_KEPT_VIEWS;
    if (!k->seen[i])
        k->seen[i] = pf_sys_map(NULL, PF_WALK_SEEN * sizeof **k->seen);
    if (!k->seen[i])
        return PF_KEPT_VIEWS;
    pf_zero(k->seen[i], PF_WALK_SEEN * sizeof **k->seen);
    k->view[i] = end;
    k->thread[i].of = NULL;
    k->nviews++;
    return i;
}

bool pf_kept_rested(const struct pf_walk_thread *t)
{
    return t->of && t->stopped && t->of->stopped == t->stopped && t->of != pf_context_self();
}

/* Those whose threads have run, and what was added to. */
static void renew_stacks(struct pf_kept *k)
{
    uint32_t unchanged = 0; /* a bit for each */
    for (uint32_t i = 0; i < k->nviews; i++) {
        struct pf_walk_thread now = pf_walk_stack_thread(k->view[i] - 1);
        if (pf_kept_rested(&now) && now.of == k->thread[i].of &&
            now.stopped == k->thread[i].stopped)
            unchanged |= 1u << i;
        k->thread[i] = now;
    }
    for (uint32_t s = 0; s < k->nstack; s++) {
        uint32_t i = view_of(k, pf_walk_stack_end(k->stack[s].addr));
        if (i == PF_KEPT_VIEWS)
            k->w.odd = true;
        else
            pf_walk_stack(&k->w, k->stack[s], k->loose[s], unchanged >> i & 1 ? NULL : k->seen[i]);
    }
}

void pf_kept_renew(struct pf_kept *k, uint32_t n, void *const *words)
{
    pf_walk_more(&k->w);
    pf_walk_know_words(&k->w, n, words);
    renew_stacks(k);
    for (uint32_t p = 0; p < k->npending; p++)
        follow_pending(k, &k->pending[p]);
    k->npending = 0;
    for (uint32_t word = 0; word < n; word++)
        pf_walk_follow(&k->w, (uintptr_t)words[word], true);
}

void pf_kept_knows(struct pf_kept *k, const void *callee)
{
    if (k->named != pf_variables_epoch())
        k->ncallees = 0;
    k->named = pf_variables_epoch();
    for (uint32_t i = 0; i < k->ncallees; i++)
        if (k->callee[i] == callee)
            return;
    k->callee[k->ncallees < PF_KEPT_CALLEES ? k->ncallees++ : pf_kept_now % PF_KEPT_CALLEES] =
        callee;
}

bool pf_kept_within(const struct pf_range_of *list, uint32_t n, struct pf_range_of o)
{
    for (uint32_t i = 0; i < n; i++)
        if (o.addr >= list[i].addr && o.addr + o.size <= list[i].addr + list[i].size)
            return true;
    return false;
}

/* What is written there is noted; false: it is too large. */
static bool mark(struct pf_kept *k, struct pf_range_of o)
{
    uint8_t bit = (uint8_t)(1u << index_of(k));
    uint64_t last = (o.addr + o.size - 1) >> PF_KEPT_GRANULE, g = o.addr >> PF_KEPT_GRANULE;
    if (last - g >= GRANULES_MOST)
        return false;
    for (; g <= last; g++)
        *granule(g) |= bit;
    return true;
}

/* Pieces of stacks are remembered as they are; when there are many, up to the end of the stack. */
static bool remember_stacks(struct pf_kept *k, const struct pf_walk *w)
{
    for (uint32_t i = 0; i < w->npieces; i++) {
        struct pf_range_of o = w->piece[i];
        bool loose = w->loose[i];
        uint64_t end = pf_walk_stack_end(o.addr);
        if (pf_kept_within(k->stack, k->nstack, o))
            continue;
        if (k->nstack >= PF_KEPT_STACK / 2 && end) {
            o.size = end - o.addr;
            loose = true;
        }
        uint32_t n = 0;
        for (uint32_t s = 0; s < k->nstack; s++)
            if (!pf_kept_within(&o, 1, k->stack[s])) {
                k->loose[n] = k->loose[s];
                k->view_of[n] = k->view_of[s];
                k->stack[n++] = k->stack[s];
            }
        k->nstack = n;
        uint32_t view = view_of(k, end);
        if (n == PF_KEPT_STACK || view == PF_KEPT_VIEWS || !mark(k, o))
            return false;
        k->thread[view].of = NULL;
        k->loose[k->nstack] = loose;
        k->view_of[k->nstack] = (uint8_t)view;
        k->stack[k->nstack++] = o;
    }
    return true;
}

/* The objects from number `from` on are in it now: others that have one of them are dropped. */
static bool take_in(struct pf_kept *k, uint32_t from)
{
    for (uint32_t n = from; n < k->w.n; n++) {
        const struct pf_range_of *o = &k->w.at[n];
        if (!o->size) {
            mark(k, (struct pf_range_of){o->addr, 1}); /* something may be there later */
            continue;
        }
        if (!mark(k, *o))
            return false;
        size_t block = pf_heapbook_size(o->addr);
        if (block && block <= o->size)
            pf_heap_keep(o->addr, k->w.zone);
        for (uint32_t in = lives & ~(1u << index_of(k)); in; in &= in - 1) {
            struct pf_kept *other = &kept[__builtin_ctz(in)];
            if (pf_walk_has(&other->w, o))
                pf_kept_drop(other);
        }
    }
    return true;
}

/* With so many objects: may what is not reached any more be most of it, and is it worth a walk to know? Not while another
 * one could not be made. */
static bool is_old(const struct pf_kept *k, uint32_t n)
{
    uint64_t events = pf_trace_records() - k->made;
    return n > 2 * k->first + SLACK && pf_kept_can() && events >= (uint64_t)EVENTS_OBJECT * n &&
           events >= EVENTS_WORD * k->walked;
}

bool pf_kept_grew(struct pf_kept *k, uint32_t before)
{
    return !is_old(k, k->w.n - k->w.again) && take_in(k, before);
}

bool pf_kept_settle(struct pf_kept *k, uint32_t before)
{
    bool holds = k->live && !k->w.everything && !k->w.odd && !is_old(k, k->w.n - k->w.again) &&
                 remember_stacks(k, &k->w) && take_in(k, before);
    if (!holds)
        pf_kept_drop(k);
    k->has_loose = 0;
    for (uint32_t s = 0; s < k->nstack && holds; s++)
        k->has_loose |= (uint32_t)k->loose[s] << k->view_of[s];
    k->used = pf_kept_now;
    k->settled = true;
    return holds;
}

static struct pf_kept *vacant(void)
{
    struct pf_kept *best = NULL;
    for (uint32_t i = 0; i < KEPT; i++) {
        struct pf_kept *k = &kept[i];
        if (!k->live)
            return k;
        if (!best || k->used < best->used)
            best = k;
    }
    return best;
}

bool pf_kept_can(void) { return !pf_kept_calls; }

struct pf_kept *pf_kept_make(const struct pf_walk *w, bool all, uint64_t number)
{
    if (w->everything || w->odd || pf_kept_calls)
        return NULL;
    struct pf_kept *k = vacant();
    uint8_t bit = (uint8_t)(1u << index_of(k));
    if (!k->w.at && !pf_walk_open(&k->w, OBJECTS))
        return NULL;
    uint64_t *granules = (uint64_t *)(void *)pf_kept_granules;
    for (uint32_t i = 0; i < PF_KEPT_GRANULES / 8; i++)
        granules[i] &= ~(bit * 0x0101010101010101ull);
    k->pending = pending[index_of(k)];
    k->npending = 0;
    k->w.zone = (uint8_t)(PF_ZONE_KEPT + index_of(k));
    for (uint32_t i = 0; i < k->w.n; i++) /* of the set that was kept here before */
        if (pf_heap_is_kept(k->w.at[i].addr, k->w.zone))
            pf_heap_keep(k->w.at[i].addr, PF_ZONE_AROUND);
    pf_walk_begin(&k->w);
    for (uint32_t i = 0; i < w->n; i++)
        pf_walk_add(&k->w, w->at[i]);
    k->w.scanned = k->told = k->first = k->w.n;
    k->live = pf_kept_any = true;
    lives |= 1u << index_of(k);
    k->number = number;
    k->born = ++pf_kept_now;
    k->made = pf_trace_records();
    k->open = k->nstack = k->nviews = k->npieces = k->ncallees = 0;
    k->cost = k->walked = w->looked;
    k->variables = all ? pf_variables_epoch() : 0;
    pf_copy(k->w.piece, w->piece, w->npieces * sizeof *w->piece);
    pf_copy(k->w.loose, w->loose, w->npieces * sizeof *w->loose);
    k->w.npieces = w->npieces;
    return pf_kept_settle(k, 0) ? k : NULL;
}

/* --- calls --- */

enum overlap { APART, PART, WHOLE };

static enum overlap overlap(const struct pf_kept *k, const struct pf_walk *w)
{
    bool some = false, not = false;
    for (uint32_t i = 0; i < w->n && !(some && not); i++) {
        if (!w->at[i].size)
            continue;
        bool in = pf_walk_has(&k->w, &w->at[i]);
        some |= in;
        not |= !in;
    }
    return !some ? APART : not ? PART : WHOLE;
}

/* Both are closed, so both together are; the call may link one to the other. */
static bool merge(struct pf_kept *k, const struct pf_walk *w, enum overlap o)
{
    uint32_t before = k->w.n;
    k->settled = false;
    if (!remember_stacks(k, w))
        return false;
    if (o == WHOLE)
        return true;
    if (is_old(k, k->w.n + w->n))
        return false;
    for (uint32_t i = 0; i < w->n; i++)
        pf_walk_add(&k->w, w->at[i]);
    k->w.scanned = k->w.n;
    return !k->w.everything && take_in(k, before);
}

static uint64_t met; /* to which the call belongs that is to begin */

bool pf_kept_meet(const struct pf_walk *w, bool has_data, uint32_t outer)
{
    bool closed = !w->everything && !w->odd && !has_data;
    met = 0;
    for (uint32_t i = 0; i < KEPT; i++) {
        struct pf_kept *k = &kept[i];
        if (!k->live)
            continue;
        enum overlap o = closed ? overlap(k, w) : PART;
        if (closed && o != APART && merge(k, w, o))
            met |= 1u << i;
        else if (o != APART || (outer && k->open))
            pf_kept_drop(k);
    }
    for (uint32_t i = 0; i < KEPT; i++) /* a merger may have dropped one that was met before */
        met &= ~((uint64_t)!kept[i].live << i);
    return met;
}

uint64_t pf_kept_entered(struct pf_kept *k)
{
    uint64_t mask = k ? 1u << index_of(k) : met;
    for (uint64_t in = mask; in; in &= in - 1)
        kept[__builtin_ctzll(in)].open++;
    pf_kept_calls++;
    return ++pf_kept_now << KEPT | mask;
}

void pf_kept_left(uint64_t under_way)
{
    uint64_t began = under_way >> KEPT;
    pf_kept_calls--;
    for (uint32_t in = lives; in; in &= in - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(in);
        struct pf_kept *k = &kept[i];
        if (under_way >> i & 1 && k->born <= began)
            k->open--;
        else if (stirred >= began) /* it may have got hold of something there */
            pf_kept_drop(k);
    }
}
