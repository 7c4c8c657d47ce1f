/*
 * reach_walk.h - a walk over memory: the objects that words lead to, and what these lead to.
 *
 * Model:   an object is a heap block, a variable with static storage, or, where a word leads elsewhere,
 *          what lies there: of a stack the rest of the stack, of other memory that can be written the whole
 *          mapping. All of an object is reached, and so is what any aligned word of it points into. Memory that
 *          the allocator keeps for itself is nobody's. Of the own data of libc and of the C++ library only the
 *          standard streams are objects, and the page of what is handed over directly (reach_libs.h).
 *
 *          A walk can go on later with more words: what it has is not looked at again, but for pieces of
 *          stacks, which are found anew each time (pf_walk_resume).
 * Memory:  mapped by pf_walk_init for the most objects it may have, used as they come.
 * Threads: the target's one kernel thread.
 * Errors:  more objects than there is room for, or unknown mappings: `everything`.
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

#define PF_WALK_PIECES 256u
#define PF_WALK_BOUNDS 40u

struct pf_walk {
    struct pf_mem_range *at; /* objects; size 0: it was never there, or is here again further on */
    uint32_t n, most, scanned;
    uint32_t replaced; /* of these, so many that were there before */
    uint64_t *slot; /* hash: round << 32 | 1 + object; of other rounds: empty */
    uint32_t round, slots, room; /* slots in use; that there are */
    uint32_t npieces, pieces_scanned, nbounds;
    uint8_t zone; /* of its blocks (pf_red_zone_set_closure); 0: it does not mark them */
    bool everything;
    bool irregular; /* it has objects that are neither blocks nor variables nor of stacks */
    uint64_t words_read; /* words, in all */
    struct pf_mem_range piece[PF_WALK_PIECES]; /* of stacks */
    bool unbounded[PF_WALK_PIECES]; /* not one variable, whose bounds are known */
    struct pf_mem_range bounds[PF_WALK_BOUNDS]; /* variables on stacks, with their bounds */
};

bool pf_walk_init(struct pf_walk *w, uint32_t most);
void pf_walk_set_running_sp(
    uint64_t
        sp); /* below it the running thread's stack is the runtime's, in all walks from now on */
void pf_walk_begin(struct pf_walk *w); /* empty again */
void pf_walk_resume(struct pf_walk *w); /* goes on, without its pieces of stacks */

/* The bounds of a variable on a stack; those in words that are handed over. For this call, before they are followed. */
void pf_walk_add_bounds(struct pf_walk *w, struct pf_mem_range o);
void pf_walk_add_word_bounds(struct pf_walk *w, uint32_t n, void *const *words);
/* The object that `p` points into. `handed`: the program passes it on itself; then the upper 16 bits may be the size of the
 * variable on a stack that begins at p (pf_abi.h). */
void pf_walk_follow(struct pf_walk *w, uint64_t p, bool handed);
void pf_walk_add(struct pf_walk *w, struct pf_mem_range o);
void pf_walk_scan(struct pf_walk *w); /* follows the words of all that was not looked at yet */
void pf_walk_scan_words(struct pf_walk *w, uint64_t from, uint64_t size); /* those of a place */

/* Is an object of this beginning, and at least this size, among them? */
bool pf_walk_has(const struct pf_walk *w, const struct pf_mem_range *o);
/* Is an object of this beginning among them, or was, or does a word lead there, and nothing is there? *size: of it, at most; 0: nothing. */
bool pf_walk_lookup(const struct pf_walk *w, uint64_t addr, uint64_t *size);
void pf_walk_prefetch(const struct pf_walk *w, uint64_t addr); /* it is asked about it soon */
/* Does a block begin at p, which can be an address, that is known to be in it? */
static inline bool pf_walk_is_marked(const struct pf_walk *w, uint64_t p)
{
    return w->zone && pf_red_zone_in_closure(p, w->zone);
}
/* Would following p add nothing? false: it may. After pf_walk_refresh. */
bool pf_walk_covers(const struct pf_walk *w, uint64_t p, bool handed);
bool pf_walk_find_block(uint64_t p,
                        struct pf_mem_range *out); /* that malloc has made; after pf_walk_refresh */
bool pf_walk_in_heap(uint64_t p); /* memory that malloc has, in use or not; after pf_walk_refresh */
bool pf_walk_refresh(
    void); /* mappings and variables as they are now; false: mappings are not known */
extern uint64_t pf_walk_variables_epoch; /* pf_variable_epoch then */

/* The block or variable at p; false: something else. */
bool pf_walk_find_object(uint64_t p, struct pf_mem_range *out);
/* Follows the words of a piece of a stack, as far as it is in use, that are not as they were: seen, from the stack's end down;
 * NULL: they all are. A piece that is too far from there is too much. */
#define PF_WALK_STACK_WORDS (1u << 13)
void pf_walk_scan_stack(struct pf_walk *w, struct pf_mem_range piece, bool unbounded,
                        uint64_t *seen);
uint64_t pf_walk_stack_end(uint64_t p); /* of the stack that p is on; 0: none */
/* Whose it is: while it does not run and its `stopped` is the same, it has not run. of is NULL: not known. */
struct pf_walk_thread {
    const struct pf_context *of;
    uint64_t stopped, lo, hi; /* the stack, without what libc keeps there */
};
struct pf_walk_thread pf_walk_stack_thread(uint64_t p);
/* Where its stack is in use, or is to be, from; 0: not known. */
uint64_t pf_walk_stack_live(const struct pf_walk_thread *t);

#endif
