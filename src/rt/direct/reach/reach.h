/*
 * reach.h - what code that leaves no events can reach: from the words handed to it, through memory
 * (reach_walk.h), and from variables that are named.
 *
 * Model:   named are variables by PF_GLOBAL, for every call, and by the file of option `globals`, a line
 *          "GLOB NAME..." for calls of functions whose library's file name matches, or whose name does
 *          when they are the program's own.
 *
 *          Functions of the C++ library whose accesses are known reach what they touch (reach_models.h).
 *
 *          Every other call walks anew as long as all walks together look at few words for each event of the trace. Where
 *          they would be more, the set of a call is kept (closure_cache.h) and counts for later calls that begin in
 *          it; it is never less than a walk would find. Under option `reach=full` every call walks.
 *
 *          Sets have numbers; a set is told once. One that is kept may grow: then what is new is told under the same
 *          number, and counts for all calls of that number.
 * Memory:  tables of its own; a set is valid until the next is found.
 * Threads: the target's one kernel thread.
 * Errors:  a set that outgrows the table is "everything": one range over all addresses.
 */
#ifndef PF_RT_REACH_H
#define PF_RT_REACH_H

#include "reach_walk.h"

struct pf_reach_set {
    const struct pf_mem_range *at; /* what is to be told of it now, by address */
    uint32_t n;
    uint64_t number;
    uint64_t token; /* for pf_reach_end */
};

#define PF_REACH_ALL UINT32_MAX /* as n: more words than can be handed over */

/* A call begins. function: the name of the program's own function that is called, NULL: not its own. It may use any variable,
 * unless option `globals` says which ones. events: of the trace so far. outer: calls of this thread under way. */
struct pf_reach_set pf_reach_begin(const void *callee, uint32_t n, void *const *words,
                                   const char *function, uint64_t events, uint32_t outer);
void pf_reach_end(uint64_t token); /* and ends */

/* Reads the file of option `globals`; one that cannot be read ends the process, as a bad option does. */
void pf_reach_read_config(void);

#endif
