/*
 * still_closed.c - decides whether a closure, as it is, covers a call. Most calls add nothing to
 * it: the pointers written since, the arguments and the changed words on stacks lead into the
 * closure, or nowhere. Here "covers" means that following the word would add nothing.
 */
#include "closure_cache.h"
#include "context.h"
#include "mappings.h"
#include "pf_abi.h"

static bool covers_words(const struct pf_closure *k, uint64_t from, uint64_t size);

/* True if p is in a piece of a stack that was written to the trace and whose words lead nowhere
 * else. covers_stacks has checked the words of unbounded pieces. A variable with known bounds is
 * checked here, but only if p is an argument and its thread has run: if its address is stored
 * elsewhere, its accesses are events. handed: p is an argument. */
static bool covers_stack_address(const struct pf_closure *k, uint64_t p, bool handed)
{
    for (uint32_t s = 0; s < k->npieces; s++)
        if (p - k->piece[s].addr < k->piece[s].size)
            return pf_ranges_contain(k->emitted_piece, k->nemitted_pieces,
                                     (struct pf_mem_range){p, 1}) &&
                   (k->unbounded[s] || !handed ||
                    pf_closure_stack_unchanged(&k->thread[k->piece_stack[s]]) ||
                    (pf_walk_stack_live(&k->thread[k->piece_stack[s]]) - 1 < k->piece[s].addr &&
                     covers_words(k, k->piece[s].addr, k->piece[s].size)));
    return false;
}

static bool covers(const struct pf_closure *k, uint64_t p, bool handed)
{
    return !pf_mappings_may_hold(p) || pf_walk_is_marked(&k->w, p) ||
           pf_walk_covers(&k->w, p, handed) || covers_stack_address(k, p, handed);
}

/* Compares the words of a piece, from `live` on, with those of the last scan. False: a changed word
 * is not covered. */
static bool covers_piece(struct pf_closure *k, struct pf_mem_range piece, uint32_t stack,
                         uint64_t live)
{
    const struct pf_walk_thread *t = &k->thread[stack];
    uint64_t end = piece.addr + piece.size, from = piece.addr > live ? piece.addr : live;
    if (from >= end)
        return true;
    if ((t->hi - from) / 8 >= PF_WALK_STACK_WORDS ||
        !pf_ranges_contain(k->emitted_piece, k->nemitted_pieces,
                           (struct pf_mem_range){from, end - from}))
        return false;
    from = (from + 7) & ~7ull;
    for (uint64_t *old = &k->stack_words[stack][(t->hi - from) / 8]; from + 8 <= end;
         from += 8, old--) {
        uint64_t p = *(volatile uint64_t *)from;
        if (p == *old)
            continue;
        bool below = p >= t->lo && p < live; /* unused part of the stack: nothing is there now */
        if (!below && !covers(k, p, false))
            return false;
        *old = below ? 0 : p;
    }
    return true;
}

/* Checks all pieces of the stacks that have unbounded pieces. */
static bool covers_stacks(struct pf_closure *k)
{
    for (uint32_t i = 0; i < k->nstacks; i++) {
        struct pf_walk_thread *t = &k->thread[i];
        if (!(k->has_unbounded >> i & 1) || pf_closure_stack_unchanged(t))
            continue;
        uint64_t live = pf_walk_stack_live(t);
        if (!live)
            return false;
        for (uint32_t s = 0; s < k->npieces; s++)
            if (k->piece_stack[s] == i && !covers_piece(k, k->piece[s], i, live))
                return false;
        t->stopped = t->of->stopped_at;
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

/* Adds a heap block that is not in the closure yet; its words are followed later. False: p points
 * to something else, or the block is large. */
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

/* Follows the words of the blocks that were added. False: they lead to something other than
 * blocks. */
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

/* True if a pending change leads into the closure or to nothing, or only to blocks, which are
 * added. Memory that no longer belongs to the closure is read only if it is in the heap, because
 * other memory may be unmapped. */
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
        return true; /* it was outside of the closure */
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

/* True if an argument word adds nothing except a block, which is added. A variable with known
 * bounds whose address escapes its function is accessed by events; another one is reached only by
 * calls that get its address. */
static bool covers_argument(struct pf_closure *k, uint64_t word)
{
    uint64_t size = word >> PF_WORD_SIZE_SHIFT;
    struct pf_mem_range o = {word - (size << PF_WORD_SIZE_SHIFT), size};
    if (!pf_mappings_may_hold(o.addr))
        return true; /* not a pointer */
    return !size ? covers(k, word, true) || take_block(k, word)
                 : pf_ranges_contain(k->piece, k->npieces, o) &&
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
