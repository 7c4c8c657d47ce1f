/*
 * reach_walk.h - a walk through memory: finds the objects that words point into, and what these
 * objects point into in turn.
 *
 * Model:   an object is a heap block or a variable with static storage. A word that points
 *          elsewhere reaches, on a stack, the rest of the stack, and in other writable memory the
 *          whole mapping. All of an object is reached, and everything that any aligned word of it
 *          points into. Memory that the allocator keeps for itself belongs to no object. Of the
 *          data of libc and of the C++ library only the standard streams are objects, and the page
 *          of an address that is passed directly (reach_libs.h).
 *
 *          A walk can be resumed with more words: objects that it has are not scanned again. Pieces
 *          of stacks are found anew each time (pf_walk_resume).
 * Memory:  pf_walk_init maps memory for the maximum number of objects; pages are used on demand.
 * Threads: the target's one kernel thread.
 * Errors:  more objects than there is room for, or unknown mappings: `everything` is set.
 */
#ifndef PF_RT_REACH_WALK_H
#define PF_RT_REACH_WALK_H

#include "red_zone.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_context;
struct pf_mem_range {
    uint64_t addr, size;
};

#define PF_WALK_PIECES 256u /* of stacks, in one walk */
#define PF_WALK_BOUNDS 40u /* of variables on stacks, for one call */

struct pf_walk {
    /* objects; size 0: nothing is there (a ghost), or it was replaced by a later entry */
    struct pf_mem_range *at;
    uint32_t n, most, scanned;
    uint32_t replaced; /* entries replaced by a later, larger one; they count in n */
    /* hash table: round << 32 | 1 + index in `at`; entries of other rounds are empty */
    uint64_t *slot;
    uint32_t round, slots, room; /* slots in use; slots allocated */
    uint32_t npieces, pieces_scanned, nbounds;
    uint8_t zone; /* the mark of its heap blocks (pf_red_zone_set_closure); 0: not marked */
    bool everything;
    bool irregular; /* it has objects that are neither blocks nor variables nor on stacks */
    uint64_t words_read; /* words read since pf_walk_begin or pf_walk_resume */
    struct pf_mem_range piece[PF_WALK_PIECES]; /* pieces of stacks */
    bool unbounded[PF_WALK_PIECES]; /* the piece is not one variable with known bounds */
    struct pf_mem_range bounds[PF_WALK_BOUNDS]; /* bounds of variables on stacks */
};

/* Maps memory for `most` objects. False: no memory. */
bool pf_walk_init(struct pf_walk *w, uint32_t most);
/* Sets the stack pointer of the running thread; the stack below it belongs to the runtime. Applies
 * to all walks. */
void pf_walk_set_running_sp(uint64_t sp);
/* begin: empties the walk. resume: keeps its objects but forgets the pieces of stacks. Both call
 * pf_walk_refresh. */
void pf_walk_begin(struct pf_walk *w);
void pf_walk_resume(struct pf_walk *w);

/* Adds the bounds of a variable on a stack, or of all variables in argument words, for this call.
 * To be called before the words are followed. */
void pf_walk_add_bounds(struct pf_walk *w, struct pf_mem_range o);
void pf_walk_add_word_bounds(struct pf_walk *w, uint32_t n, void *const *words);
/* Adds the object that `p` points into. `handed`: p is an argument word; its upper 16 bits may then
 * hold the size of the stack variable that begins at the address (pf_abi.h). */
void pf_walk_follow(struct pf_walk *w, uint64_t p, bool handed);
void pf_walk_add(struct pf_walk *w, struct pf_mem_range o);
/* Follows the words of all objects and pieces that were not scanned yet. */
void pf_walk_scan(struct pf_walk *w);
/* Follows the words of a range. */
void pf_walk_scan_words(struct pf_walk *w, uint64_t from, uint64_t size);

/* True if the walk has an object that begins at o->addr and has at least its size. */
bool pf_walk_has(const struct pf_walk *w, const struct pf_mem_range *o);
/* True if the walk has an entry at addr: an object, a former object, or a ghost (an address that a
 * word holds where nothing was). *size: size of the object; 0: none. */
bool pf_walk_lookup(const struct pf_walk *w, uint64_t addr, uint64_t *size);
void pf_walk_prefetch(const struct pf_walk *w, uint64_t addr); /* addr will be looked up soon */
/* True if a block that is marked as part of this walk begins at p. p must be a possible address. */
static inline bool pf_walk_is_marked(const struct pf_walk *w, uint64_t p)
{
    return w->zone && pf_red_zone_in_closure(p, w->zone);
}
/* True if following p would add nothing. False: it may add something. Call pf_walk_refresh
 * before. */
bool pf_walk_covers(const struct pf_walk *w, uint64_t p, bool handed);
/* Finds the block of malloc that contains p. Call pf_walk_refresh before. */
bool pf_walk_find_block(uint64_t p, struct pf_mem_range *out);
/* True if p is in memory of malloc, allocated or not. Call pf_walk_refresh before. */
bool pf_walk_in_heap(uint64_t p);
/* Reads mappings and variables again if they have changed. False: mappings are unknown. */
bool pf_walk_refresh(void);
extern uint64_t pf_walk_variables_epoch; /* pf_variable_epoch at the last refresh */

/* Finds the block or variable at p. False: p points to something else. */
bool pf_walk_find_object(uint64_t p, struct pf_mem_range *out);
/* Adds the live part of a piece of a stack and follows its words that differ from `seen`, which
 * holds the words from the stack's end downwards and is updated. seen NULL: no word has changed. A
 * piece that lies too far from the stack's end sets `everything`. */
#define PF_WALK_STACK_WORDS (1u << 13)
void pf_walk_scan_stack(struct pf_walk *w, struct pf_mem_range piece, bool unbounded,
                        uint64_t *seen);
uint64_t pf_walk_stack_end(uint64_t p); /* end of the stack that contains p; 0: not on a stack */
/* The thread of a stack. While the thread is not running and its `stopped_at` still equals
 * `stopped`, it has not run. of NULL: unknown. */
struct pf_walk_thread {
    const struct pf_context *of;
    uint64_t stopped;
    uint64_t lo, hi; /* bounds of the stack, without the data of libc at its end */
};
struct pf_walk_thread pf_walk_stack_thread(uint64_t p);
/* The lowest address of the thread's stack that is in use; 0: unknown. */
uint64_t pf_walk_stack_live(const struct pf_walk_thread *t);

#endif
