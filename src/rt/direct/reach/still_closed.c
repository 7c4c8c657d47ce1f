/*
 * still_closed.c - is a kept set, as it is, what a call reaches? Most calls add nothing to it: what was written since, what is
 * handed over and what has changed on stacks leads to where the set is, or nowhere.
 */
#include "closure_cache.h"
#include "context.h"
#include "mappings.h"
#include "pf_abi.h"

static bool covers_words(const struct pf_closure *k, uint64_t from, uint64_t size);

/* A piece of a stack that p is in, and that was told. What is in it was looked at (covers_stacks), or is now. A variable that another
 * place has the address of is accessed by events. */
static bool covers_stack_address(const struct pf_closure *k, uint64_t p, bool handed)
{
    for (uint32_t s = 0; s < k->nstack; s++)
        if (p - k->stack[s].addr < k->stack[s].size)
            return pf_ranges_contain(k->emitted_piece, k->nemitted_pieces,
                                     (struct pf_mem_range){p, 1}) &&
                   (k->unbounded[s] || !handed ||
                    pf_closure_stack_unchanged(&k->thread[k->view_of[s]]) ||
                    (pf_walk_stack_live(&k->thread[k->view_of[s]]) - 1 < k->stack[s].addr &&
                     covers_words(k, k->stack[s].addr, k->stack[s].size)));
    return false;
}

static bool covers(const struct pf_closure *k, uint64_t p, bool handed)
{
    return !pf_mappings_may_hold(p) || pf_walk_is_marked(&k->w, p) ||
           pf_walk_covers(&k->w, p, handed) || covers_stack_address(k, p, handed);
}

/* A piece of a stack that is in use from `live` on, against what was seen there. */
static bool covers_piece(struct pf_closure *k, struct pf_mem_range piece, uint32_t view,
                         uint64_t live)
{
    const struct pf_walk_thread *t = &k->thread[view];
    uint64_t end = piece.addr + piece.size, from = piece.addr > live ? piece.addr : live;
    if (from >= end)
        return true;
    if ((t->hi - from) / 8 >= PF_WALK_STACK_WORDS ||
        !pf_ranges_contain(k->emitted_piece, k->nemitted_pieces,
                           (struct pf_mem_range){from, end - from}))
        return false;
    from = (from + 7) & ~7ull;
    for (uint64_t *old = &k->seen[view][(t->hi - from) / 8]; from + 8 <= end; from += 8, old--) {
        uint64_t p = *(volatile uint64_t *)from;
        if (p == *old)
            continue;
        bool below = p >= t->lo && p < live; /* nothing is there now */
        if (!below && !covers(k, p, false))
            return false;
        *old = below ? 0 : p;
    }
    return true;
}

/* All pieces of those stacks that are more than variables. */
static bool covers_stacks(struct pf_closure *k)
{
    for (uint32_t i = 0; i < k->nviews; i++) {
        struct pf_walk_thread *t = &k->thread[i];
        if (!(k->has_unbounded >> i & 1) || pf_closure_stack_unchanged(t))
            continue;
        uint64_t live = pf_walk_stack_live(t);
        if (!live)
            return false;
        for (uint32_t s = 0; s < k->nstack; s++)
            if (k->view_of[s] == i && !covers_piece(k, k->stack[s], i, live))
                return false;
        t->stopped = t->of->stopped;
    }
    return true;
}

static bool covers_words(const struct pf_closure *k, uint64_t from, uint64_t size)
{
    uint64_t end = from + size;
    if (size > PF_CLOSURE_BLOCK_WORDS * 8)
        return false;
    for (from = (from + 7) & ~7ull; from + 8 <= end; from += 8)
        if (!covers(k, *(volatile uint64_t *)from, false))
            return false;
    return true;
}

/* A block of the heap that is not in it yet is taken in; what it leads to comes later. false: it is something else, or large. */
static bool take_block(struct pf_closure *k, uint64_t p)
{
    struct pf_mem_range o;
    if (!pf_walk_find_block(p, &o) || o.size > PF_CLOSURE_BLOCK_WORDS * 8)
        return false;
    pf_walk_add(&k->w, o);
    return true;
}

static bool take_words(struct pf_closure *k, uint64_t from, uint64_t size)
{
    uint64_t end = from + size;
    for (from = (from + 7) & ~7ull; from + 8 <= end; from += 8) {
        uint64_t p = *(volatile uint64_t *)from;
        if (pf_mappings_may_hold(p) && !covers(k, p, false) && !take_block(k, p))
            return false;
    }
    return true;
}

/* What was taken in, and what it leads to. */
static bool take_reachable(struct pf_closure *k)
{
    for (; k->w.scanned < k->w.n; k->w.scanned++) {
        struct pf_mem_range o = k->w.at[k->w.scanned];
        if (!take_words(k, o.addr, o.size))
            return false;
        k->cost += o.size / 8;
    }
    return !k->w.everything;
}

/* Does what was written lead nowhere else, or to blocks, which are taken in? It is looked at where it is, even if that does not belong
 * to the set any more; other memory than the heap may be gone. */
static bool take_pending(struct pf_closure *k, const struct pf_closure_pending *p)
{
    struct pf_mem_range o;
    if (!p->size || p->size > PF_CLOSURE_BLOCK_WORDS * 8)
        return false;
    if (p->value ? covers(k, p->value, false)
                 : pf_walk_in_heap(p->addr) && pf_walk_in_heap(p->addr + p->size - 1) &&
                       covers_words(k, p->addr, p->size))
        return true;
    if (p->addr && !pf_walk_find_object(p->addr, &o))
        return false;
    if (p->addr && !pf_walk_has(&k->w, &o))
        return true; /* of something beside it */
    return p->value ? take_block(k, p->value)
                    : p->addr + p->size <= o.addr + o.size && take_words(k, p->addr, p->size);
}

static bool covers_pending(struct pf_closure *k)
{
    for (uint32_t i = 0; i < k->npending; i++)
        if (!take_pending(k, &k->pending[i]))
            return false;
    return true;
}

/* A variable whose address leaves its function is accessed by events. Another one is reached only by calls that it is handed to. */
static bool covers_argument(struct pf_closure *k, uint64_t word)
{
    uint64_t size = word >> PF_WORD_SIZE;
    struct pf_mem_range o = {word - (size << PF_WORD_SIZE), size};
    if (!pf_mappings_may_hold(o.addr))
        return true; /* a number */
    return !size ? covers(k, word, true) || take_block(k, word)
                 : pf_ranges_contain(k->stack, k->nstack, o) &&
                       pf_ranges_contain(k->emitted_piece, k->nemitted_pieces, o) &&
                       covers_words(k, o.addr, size);
}

bool pf_closure_still_closed(struct pf_closure *k, const void *callee, uint32_t n,
                             void *const *words, bool all)
{
    uint64_t epoch = pf_walk_variables_epoch;
    uint32_t before = k->w.n;
    bool known_callee = false;
    for (uint32_t i = 0; i < k->ncallees && !known_callee; i++)
        known_callee = k->callee[i] == callee;
    if (!known_callee || k->named != epoch || (all && k->variables != epoch) || !k->committed ||
        k->emitted < k->w.n)
        return false;
    if (!covers_stacks(k))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!covers_argument(k, (uintptr_t)words[i]))
            return false;
    if (!covers_pending(k))
        return false;
    if (k->w.n > before && !(take_reachable(k) && pf_closure_add_blocks(k, before)))
        return false;
    k->npending = 0;
    k->used = pf_closure_clock;
    return true;
}
