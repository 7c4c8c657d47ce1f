/*
 * closure_cache.h - closures: reachable sets of missing calls, kept from one call to the next.
 *
 * Model:   a closure S is closed under pointers: everything that its objects point to is in S. So
 *          it contains everything that a walk from any of its objects would find. Three things
 *          could change that. (Recorded code is code with events.)
 *
 *          1. Recorded code writes a pointer into S that leads out of S. The pointer is noted, and
 *             followed when S is used next; S then grows.
 *
 *          2. A missing call that reaches part of S stores a pointer there. S grows by the
 *             arguments of the call and by what it allocates, so such a pointer leads into S. S is
 *             dropped if the called code has pointers of its own that it could store
 *             (pf_library_has_own_pointers), or if it reaches memory that cannot be added.
 *
 *          3. Missing code calls back recorded code, which reads a pointer that leads out of S, and
 *             may return it. Such pointers are noted and followed too.
 *
 *          Stacks are written without events. So the pieces of stacks in S are scanned again
 *          whenever S is used and their thread has run since, until the stack has shrunk past them.
 *          A variable with known bounds is exempt: if its address escapes its function, its
 *          accesses are events; if not, only calls that get its address as an argument can reach
 *          it.
 *
 *          S is therefore a superset of what a walk finds. It keeps objects that are no longer
 *          reachable, also freed ones, until it is created anew. That happens when it has doubled,
 *          and the events since its creation have taken longer than a new walk will. While the
 *          walks of a program are cheap, calls walk instead of using S.
 *
 *          Most calls add nothing to S: pointers written since, arguments and changed words on
 *          stacks lead into S or nowhere. Such a call is recorded with the number of S and nothing
 *          else (pf_closure_still_closed).
 *
 *          A call is open from its begin to its end. S can be used only while every open call
 *          belongs to S, because recorded code might pass an object of S to any other open call.
 * Memory:  a fixed number of closures, each with a struct pf_walk; a filter of 2^18 bytes.
 * Threads: the target's one kernel thread.
 * Errors:  a set that cannot be cached is computed by a walk at every call.
 */
#ifndef PF_RT_CLOSURE_CACHE_H
#define PF_RT_CLOSURE_CACHE_H

#include "reach_walk.h"

#define PF_CLOSURE_PIECES 32u /* of stacks, in one closure */
#define PF_CLOSURE_STACKS 8u /* on which these pieces are */
#define PF_CLOSURE_CALLEES 16u /* remembered functions; the next one replaces another */
#define PF_CLOSURE_WORDS 64u /* maximum number of words of a block that are noted singly */
#define PF_CLOSURE_BLOCK_WORDS 512u /* larger blocks are not added without a walk */

/* A change by recorded code that was not followed yet:
 *   {addr, 8, value}   `value` was stored in the word at addr
 *   {0, 8, value}      the same; follow `value` in any case
 *   {addr, size, 0}    these bytes have changed
 *   {0, 0, value}      a block now begins at `value` */
struct pf_closure_pending {
    uint64_t addr, size, value;
};

/* Fields that every call needs come first. */
struct pf_closure {
    bool live;
    bool committed; /* nothing was added since its contents were written to the trace */
    uint32_t open; /* open calls that belong to it */
    uint32_t emitted, first; /* objects written to the trace; objects at its creation */
    uint32_t npending, npieces, nstacks, nemitted_pieces, ncallees;
    uint32_t has_unbounded; /* one bit for each stack: it has an unbounded piece */
    uint64_t number; /* of its set in the trace */
    uint64_t born, used; /* pf_closure_clock at its creation and at its last use */
    uint64_t variables; /* pf_variable_epoch when the variables were added; 0: they were not */
    /* the same for the named variables of its callees (named by PF_GLOBAL or option `globals`, see
     * reach.h) */
    uint64_t named;
    uint64_t made; /* number of events in the trace at its creation */
    uint64_t cost; /* about how many words a walk would read */
    uint64_t walked; /* words read by the walk that created it */
    struct pf_closure_pending *pending; /* changes that were not followed yet */
    const void *callee[PF_CLOSURE_CALLEES]; /* functions whose named variables are in it */
    struct pf_walk w;
    struct pf_mem_range piece[PF_CLOSURE_PIECES]; /* pieces of stacks that belong to it */
    bool unbounded[PF_CLOSURE_PIECES]; /* the piece is not one variable with known bounds */
    uint8_t piece_stack[PF_CLOSURE_PIECES]; /* for each piece, the index of its stack */
    uint64_t stack_end[PF_CLOSURE_STACKS]; /* for each stack, its end */
    /* for each stack, its thread when the pieces were last scanned */
    struct pf_walk_thread thread[PF_CLOSURE_STACKS];
    /* for each stack, its words when they were last scanned */
    uint64_t *stack_words[PF_CLOSURE_STACKS];
    /* pieces of stacks that were written to the trace */
    struct pf_mem_range emitted_piece[PF_CLOSURE_PIECES];
};

/* A closure that can be used for a call and that contains one of its argument words or, with `all`,
 * all variables of the program; NULL: none. Call pf_walk_refresh or pf_walk_begin before. */
struct pf_closure *pf_closure_find(uint32_t n, void *const *words, bool all);
/* Follows the pointers that recorded code stored since, the changed words on stacks, and the
 * argument words. The caller then scans the new objects (pf_walk_scan). */
void pf_closure_refresh(struct pf_closure *k, uint32_t n, void *const *words);

/* True if the thread has not run since t was taken, so that its stack is unchanged. */
bool pf_closure_stack_unchanged(const struct pf_walk_thread *t);
extern uint64_t pf_closure_clock; /* counts calls */
/* In still_closed.c: true if the call needs no pf_closure_refresh and no scan: they would add at
 * most heap blocks, and this function has added those. */
bool pf_closure_still_closed(struct pf_closure *k, const void *callee, uint32_t n,
                             void *const *words, bool all);
/* Remembers that the callee's named variables are in k. */
void pf_closure_add_callee(struct pf_closure *k, const void *callee);
/* Commits blocks that were added, from index `before` on. False: a new walk is better, or they do
 * not fit. */
bool pf_closure_add_blocks(struct pf_closure *k, uint32_t before);
/* Call after the scan, with the number of objects before it. False: the closure is not valid any
 * more and was dropped. */
bool pf_closure_commit(struct pf_closure *k, uint32_t before);
void pf_closure_drop(struct pf_closure *k);
void pf_closure_drop_all(void);
bool pf_closure_can_create(void); /* true if no call is open */
/* Creates a closure from a complete walk; `all`: the walk includes all variables. NULL: not
 * possible. */
struct pf_closure *pf_closure_create(const struct pf_walk *w, bool all, uint64_t number);

/* True if one range of the list contains o. */
bool pf_ranges_contain(const struct pf_mem_range *list, uint32_t n, struct pf_mem_range o);

/* Call before a call begins whose set was found by walk w: merges w into the closures that it
 * overlaps, or drops them. True if the call now belongs to a closure. has_data: see
 * pf_library_has_own_pointers. outer: open calls of this thread. */
bool pf_closure_join_call(const struct pf_walk *w, bool has_data, uint32_t outer);
/* Begins a call that uses k, or with NULL the one that was passed to pf_closure_join_call. Returns
 * a token for pf_closure_call_end. */
uint64_t pf_closure_call_begin(struct pf_closure *k);
void pf_closure_call_end(uint64_t token);

/* Recorded code writes `size` bytes at addr. value: the 8 bytes written; NULL: unknown. */
void pf_closure_on_write(uint64_t addr, uint64_t size, const uint64_t *value);
/* Recorded code reads a pointer while a missing call of its thread is open. */
void pf_closure_on_read(uint64_t value);
void pf_closure_prefetch(uint64_t addr); /* a block will begin there soon */
/* A block was allocated. missing: by missing code, or by code that it called. */
void pf_closure_on_alloc(uint64_t addr, uint64_t size, bool missing);

extern bool pf_closure_any; /* a closure exists: the four functions above must be called */

extern uint32_t pf_closure_open_calls; /* number of open calls */

/* A filter over addresses: one byte for each 512 bytes of memory, by hash, with one bit for each
 * closure that has objects there. */
#define PF_CLOSURE_FILTER_SHIFT 9u /* log2 of the bytes of memory per filter byte */
#define PF_CLOSURE_FILTER_SIZE (1u << 18)
extern uint8_t pf_closure_filter[PF_CLOSURE_FILTER_SIZE];
static inline uint32_t pf_closure_filter_slot(uint64_t number)
{
    return (uint32_t)(number * 0x9e3779b97f4a7c15ull >> (64 - 18));
}
/* True if a write to addr may matter to a closure. While a call is open every write may, because
 * the call may get hold of what was written. */
static inline bool pf_closure_write_matters(uint64_t addr)
{
    return pf_closure_open_calls ||
           pf_closure_filter[pf_closure_filter_slot(addr >> PF_CLOSURE_FILTER_SHIFT)];
}

#endif
