/*
 * closure_cache.h - sets of what missing code reaches, kept from one call to the next.
 *
 * Model:   a kept set S is closed: what its objects point to is in it. It stays so, and so stays all that a walk from any
 *          of its objects would find, while
 *          - recorded code writes no pointer into it that leads out of it (what does is followed when S is used next);
 *          - missing calls that reach some of S reach nothing else (of what they are handed in addition, S grows; of what they
 *            allocate too), and have no memory of their own to link to it (pf_library_has_data);
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
 *          is, or nowhere. Then the call is told with S's number, and that is all (pf_kept_stands).
 *
 *          A call is under way from its begin to its end. S can be used only while every call that is under way belongs
 *          to S: another one might be handed something of S by recorded code.
 * Memory:  KEPT walks, and a byte for each of 2^18 granules of memory.
 * Threads: the target's one kernel thread.
 * Errors:  what cannot be kept is not; it is walked.
 */
#ifndef PF_RT_REACH_KEPT_H
#define PF_RT_REACH_KEPT_H

#include "reach_walk.h"

#define PF_KEPT_STACK 32u
#define PF_KEPT_VIEWS 8u
#define PF_KEPT_CALLEES 16u
#define PF_KEPT_WORDS 64u /* that are looked at one by one */
#define PF_KEPT_WORDS_TAKEN 512u /* of a block that is taken in */

/* What recorded code has written: a value into the word at addr (0: it counts wherever it was written), or `size` bytes that are
 * not known. A value of size 0: a block that begins there now. */
struct pf_kept_pending {
    uint64_t addr, size, value;
};

/* What every call asks for comes first. */
struct pf_kept {
    bool live;
    bool settled; /* nothing was added since what is in it was told */
    uint32_t open; /* calls under way that belong to it */
    uint32_t told, first; /* objects that were told; how many there were when it was made */
    uint32_t npending, nstack, nviews, npieces, ncallees;
    uint32_t has_loose; /* a bit for each view */
    uint64_t number, born, used;
    uint64_t variables; /* epoch of those in it; 0: they were not asked for */
    uint64_t named; /* epoch of those of its callees */
    uint64_t made; /* events of the trace then */
    uint64_t cost; /* words that a walk looks at, about */
    uint64_t walked; /* words that were looked at when it was made */
    struct pf_kept_pending *pending; /* not followed yet */
    const void *callee[PF_KEPT_CALLEES]; /* whose named variables are in it */
    struct pf_walk w;
    struct pf_range_of stack[PF_KEPT_STACK]; /* pieces of stacks that belong to it */
    bool loose
        [PF_KEPT_STACK]; /* not one variable, whose accesses are events or which is handed over anew */
    uint8_t view_of[PF_KEPT_STACK]; /* on which stack they are */
    uint64_t view[PF_KEPT_VIEWS]; /* the ends of the stacks they are on */
    struct pf_walk_thread
        thread[PF_KEPT_VIEWS]; /* their threads when their pieces were last looked at */
    uint64_t *seen[PF_KEPT_VIEWS]; /* and the words when they were last looked at */
    struct pf_range_of pieces[PF_KEPT_STACK]; /* of stacks, that were told */
};

/* One that can be used in which one of the words lies, or, where `all` variables are reached, they; NULL: none. After
 * pf_walk_begin of some walk. */
struct pf_kept *pf_kept_find(uint32_t n, void *const *words, bool all);
/* What recorded code has linked to it since, its pieces of stacks, and the words handed over: to be scanned. */
void pf_kept_renew(struct pf_kept *k, uint32_t n, void *const *words);

/* Has its thread not run since its stack was looked at? */
bool pf_kept_rested(const struct pf_walk_thread *t);
extern uint64_t pf_kept_now; /* calls so far */
/* still_closed.c: is there nothing that pf_kept_renew and a scan would add, but for blocks, which are in it then? false: there may be. */
bool pf_kept_stands(struct pf_kept *k, const void *callee, uint32_t n, void *const *words,
                    bool all);
void pf_kept_knows(struct pf_kept *k, const void *callee); /* its named variables are in it */
/* Blocks were taken in, from number `before` on; false: it is not worth while, or there is no room. */
bool pf_kept_grew(struct pf_kept *k, uint32_t before);
/* After the scan: does it hold still? before: how many objects it had. If not, it is dropped. */
bool pf_kept_settle(struct pf_kept *k, uint32_t before);
void pf_kept_drop(struct pf_kept *k);
void pf_kept_drop_all(void);
bool pf_kept_can(void); /* no call is under way */
/* From a walk that is complete; all: with all variables. NULL: it cannot be kept. */
struct pf_kept *pf_kept_make(const struct pf_walk *w, bool all, uint64_t number);

bool pf_kept_within(const struct pf_range_of *list, uint32_t n, struct pf_range_of o);

/* A call is to begin whose set was walked: what it does to those that are kept. Does it belong to one? */
bool pf_kept_meet(const struct pf_walk *w, bool has_data, uint32_t outer);
/* A call begins; k: uses this one, NULL: was met. */
uint64_t pf_kept_entered(struct pf_kept *k);
void pf_kept_left(uint64_t under_way);

/* Recorded code writes there; value: of 8 bytes, where it is known. */
void pf_kept_written(uint64_t addr, uint64_t size, const uint64_t *value);
/* Recorded code reads a pointer while a missing call of its thread is under way. */
void pf_kept_read(uint64_t value);
void pf_kept_coming(uint64_t addr); /* a block is to begin there soon */
/* missing: by missing code, or what it calls */
void pf_kept_allocated(uint64_t addr, uint64_t size, bool missing);

extern bool
    pf_kept_any; /* some are live, or calls under way have to be watched: the functions above want to know */

extern uint32_t pf_kept_calls; /* under way */

/* May what is written there matter? Wherever it is, a call under way may get hold of it. */
#define PF_KEPT_GRANULE 9u /* bits of an address, for which there is a byte */
#define PF_KEPT_GRANULES (1u << 18)
extern uint8_t pf_kept_granules[PF_KEPT_GRANULES];
static inline uint32_t pf_kept_granule(uint64_t number)
{
    return (uint32_t)(number * 0x9e3779b97f4a7c15ull >> (64 - 18));
}
static inline bool pf_kept_watches(uint64_t addr)
{
    return pf_kept_calls || pf_kept_granules[pf_kept_granule(addr >> PF_KEPT_GRANULE)];
}

#endif
