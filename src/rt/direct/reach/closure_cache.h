/*
 * closure_cache.h - sets of what missing code reaches, kept from one call to the next.
 *
 * Model:   a kept set S is closed: what its objects point to is in it. It stays so, and so stays all that a walk from any
 *          of its objects would find, while
 *          - recorded code writes no pointer into it that leads out of it (what does is followed when S is used next);
 *          - missing calls that reach some of S reach nothing else (of what they are handed in addition, S grows; of what they
 *            allocate too), and have no memory of their own to link to it (pf_library_has_own_pointers);
 *          - recorded code that missing code calls back reads no pointer that leads out of it, which it might
 *            return (these are followed too).
 *          Otherwise S is dropped. Stacks are written without events: pieces of stacks that were handed over or found are
 *          looked at again whenever S is used and their thread has run, until the stack has left them. Not so a variable whose
 *          bounds are known: if its address leaves its function its accesses are events, and if not, only calls that it is
 *          handed to can reach it.
 *
 *          So S is a superset of what a walk finds. It has what is not reached any more, also what was freed, until it is made anew:
 *          when it has doubled, and events enough came since to pay for a walk, or when the walks of a program are few.
 *
 *          Most calls add nothing to S: what was written since, what is handed over and what has changed on stacks leads to where S
 *          is, or nowhere. Then the call is told with S's number, and that is all (pf_closure_still_closed).
 *
 *          A call is under way from its begin to its end. S can be used only while every call that is under way belongs
 *          to S: another one might be handed something of S by recorded code.
 * Memory:  KEPT walks, and a byte for each of 2^18 granules of memory.
 * Threads: the target's one kernel thread.
 * Errors:  what cannot be kept is not; it is walked.
 */
#ifndef PF_RT_CLOSURE_CACHE_H
#define PF_RT_CLOSURE_CACHE_H

#include "reach_walk.h"

#define PF_CLOSURE_PIECES 32u
#define PF_CLOSURE_STACKS 8u
#define PF_CLOSURE_CALLEES 16u
#define PF_CLOSURE_WORDS 64u /* that are looked at one by one */
#define PF_CLOSURE_BLOCK_WORDS 512u /* of a block that is taken in */

/* What recorded code has written: a value into the word at addr (0: it counts wherever it was written), or `size` bytes that are
 * not known. A value of size 0: a block that begins there now. */
struct pf_closure_pending {
    uint64_t addr, size, value;
};

/* What every call asks for comes first. */
struct pf_closure {
    bool live;
    bool committed; /* nothing was added since what is in it was told */
    uint32_t open; /* calls under way that belong to it */
    uint32_t emitted, first; /* objects that were told; how many there were when it was made */
    uint32_t npending, nstack, nviews, nemitted_pieces, ncallees;
    uint32_t has_unbounded; /* a bit for each view */
    uint64_t number, born, used;
    uint64_t variables; /* epoch of those in it; 0: they were not asked for */
    uint64_t named; /* epoch of those of its callees */
    uint64_t made; /* events of the trace then */
    uint64_t cost; /* words that a walk looks at, about */
    uint64_t walked; /* words that were looked at when it was made */
    struct pf_closure_pending *pending; /* not followed yet */
    const void *callee[PF_CLOSURE_CALLEES]; /* whose named variables are in it */
    struct pf_walk w;
    struct pf_mem_range stack[PF_CLOSURE_PIECES]; /* pieces of stacks that belong to it */
    bool unbounded
        [PF_CLOSURE_PIECES]; /* not one variable, whose accesses are events or which is handed over anew */
    uint8_t view_of[PF_CLOSURE_PIECES]; /* on which stack they are */
    uint64_t view[PF_CLOSURE_STACKS]; /* the ends of the stacks they are on */
    struct pf_walk_thread
        thread[PF_CLOSURE_STACKS]; /* their threads when their pieces were last looked at */
    uint64_t *seen[PF_CLOSURE_STACKS]; /* and the words when they were last looked at */
    struct pf_mem_range emitted_piece[PF_CLOSURE_PIECES]; /* of stacks, that were told */
};

/* One that can be used in which one of the words lies, or, where `all` variables are reached, they; NULL: none. After
 * pf_walk_begin of some walk. */
struct pf_closure *pf_closure_find(uint32_t n, void *const *words, bool all);
/* What recorded code has linked to it since, its pieces of stacks, and the words handed over: to be scanned. */
void pf_closure_refresh(struct pf_closure *k, uint32_t n, void *const *words);

/* Has its thread not run since its stack was looked at? */
bool pf_closure_stack_unchanged(const struct pf_walk_thread *t);
extern uint64_t pf_closure_clock; /* calls so far */
/* still_closed.c: is there nothing that pf_closure_refresh and a scan would add, but for blocks, which are in it then? false: there may be. */
bool pf_closure_still_closed(struct pf_closure *k, const void *callee, uint32_t n,
                             void *const *words, bool all);
void pf_closure_add_callee(struct pf_closure *k,
                           const void *callee); /* its named variables are in it */
/* Blocks were taken in, from number `before` on; false: it is not worth while, or there is no room. */
bool pf_closure_add_blocks(struct pf_closure *k, uint32_t before);
/* After the scan: does it hold still? before: how many objects it had. If not, it is dropped. */
bool pf_closure_commit(struct pf_closure *k, uint32_t before);
void pf_closure_drop(struct pf_closure *k);
void pf_closure_drop_all(void);
bool pf_closure_can_create(void); /* no call is under way */
/* From a walk that is complete; all: with all variables. NULL: it cannot be kept. */
struct pf_closure *pf_closure_create(const struct pf_walk *w, bool all, uint64_t number);

bool pf_ranges_contain(const struct pf_mem_range *list, uint32_t n, struct pf_mem_range o);

/* A call is to begin whose set was walked: what it does to those that are kept. Does it belong to one? */
bool pf_closure_join_call(const struct pf_walk *w, bool has_data, uint32_t outer);
/* A call begins; k: uses this one, NULL: was met. */
uint64_t pf_closure_call_begin(struct pf_closure *k);
void pf_closure_call_end(uint64_t token);

/* Recorded code writes there; value: of 8 bytes, where it is known. */
void pf_closure_on_write(uint64_t addr, uint64_t size, const uint64_t *value);
/* Recorded code reads a pointer while a missing call of its thread is under way. */
void pf_closure_on_read(uint64_t value);
void pf_closure_prefetch(uint64_t addr); /* a block is to begin there soon */
/* missing: by missing code, or what it calls */
void pf_closure_on_alloc(uint64_t addr, uint64_t size, bool missing);

extern bool
    pf_closure_any; /* some are live, or calls under way have to be watched: the functions above want to know */

extern uint32_t pf_closure_open_calls; /* under way */

/* May what is written there matter? Wherever it is, a call under way may get hold of it. */
#define PF_CLOSURE_FILTER_SHIFT 9u /* bits of an address, for which there is a byte */
#define PF_CLOSURE_FILTER_SIZE (1u << 18)
extern uint8_t pf_closure_filter[PF_CLOSURE_FILTER_SIZE];
static inline uint32_t pf_closure_filter_slot(uint64_t number)
{
    return (uint32_t)(number * 0x9e3779b97f4a7c15ull >> (64 - 18));
}
static inline bool pf_closure_write_matters(uint64_t addr)
{
    return pf_closure_open_calls ||
           pf_closure_filter[pf_closure_filter_slot(addr >> PF_CLOSURE_FILTER_SHIFT)];
}

#endif
