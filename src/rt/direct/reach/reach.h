/*
 * reach.h - what a missing call can reach: from its argument words through memory (reach_walk.h),
 * and from named variables.
 *
 * Model:   variables are named by PF_GLOBAL, for every call, and by the file of option `globals`. A
 *          line "GLOB NAME..." of that file applies to functions in libraries whose file name
 *          matches GLOB, and to functions of the program itself whose name matches.
 *
 *          Functions of the C++ library whose accesses are known reach only what they access
 *          (reach_models.h).
 *
 *          Every other call walks through memory, as long as all walks together read few words for
 *          each event of the trace. Beyond that, the set of a call is cached as a closure
 *          (closure_cache.h) and used for later calls that start in it. A closure is never smaller
 *          than what a walk would find. With option `reach=full` every call walks.
 *
 *          Sets have numbers, and the contents of a set are written to the trace once. A closure
 *          may grow: then the additional ranges are written under the same number, and apply to all
 *          calls with that number.
 * Memory:  static tables; a set is valid until the next call of pf_reach_begin.
 * Threads: the target's one kernel thread.
 * Errors:  a set that does not fit into the tables becomes "everything": one range over all
 *          addresses.
 */
#ifndef PF_RT_REACH_H
#define PF_RT_REACH_H

#include "reach_walk.h"

struct pf_reach_set {
    const struct pf_mem_range *at; /* ranges to be written to the trace now, sorted by address */
    uint32_t n;
    uint64_t number;
    uint64_t token; /* for pf_reach_end */
    /* for pf_reach_again: a hash of the ranges, or PF_REACH_CLOSURE, PF_REACH_FIXED */
    uint64_t content;
};
#define PF_REACH_FIXED 0u /* the set does not depend on pointers in memory, or is everything */
#define PF_REACH_CLOSURE 1u

/* value of n: the call has more argument words than can be passed */
#define PF_REACH_ALL UINT32_MAX

/* A missing call begins. function: the name of the callee if it belongs to the program, else NULL.
 * A function of the program may use any variable, unless option `globals` lists the variables.
 * events: events in the trace so far. outer: open calls of this thread. */
struct pf_reach_set pf_reach_begin(const void *callee, uint32_t n, void *const *words,
                                   const char *function, uint64_t events, uint32_t outer);
/* The call ends, and events were recorded while it was open. Pointers that they stored in its set
 * may have led it further: returns what it reaches now, with the number of its set; nothing if that
 * is the same as when it began. begun: from pf_reach_begin; the other arguments are those of
 * pf_reach_begin. */
struct pf_reach_set pf_reach_again(const struct pf_reach_set *begun, const void *callee, uint32_t n,
                                   void *const *words, const char *function);
void pf_reach_end(uint64_t token); /* the call has ended */

/* Reads the file of option `globals`. Ends the process if the file cannot be read, as for an
 * invalid option. */
void pf_reach_read_config(void);

#endif
