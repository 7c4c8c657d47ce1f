/*
 * reach.h - what code that leaves no events can reach: from the words handed to it, through heap
 * blocks, variables and mapped memory, and from variables that are named.
 *
 * Model:   an object is a heap block, a variable with static storage, or, where a word leads elsewhere,
 *          what lies there: of a stack the rest of the stack, of other memory that can be written the whole
 *          mapping.
 *          All of an object is reached, and so is what any aligned word of it points into. Memory that
 *          the allocator keeps for itself is nobody's. Of libc's own data only the standard streams are
 *          objects, and what is handed over directly, to the end of its page: libc is interposed.
 *          Named are variables by PF_GLOBAL, for every call, and by the file of option `globals`, a line
 *          "GLOB NAME..." for calls of functions whose library's file name matches, or whose name does
 *          when they are the program's own.
 *
 *          A set is found once for the same words handed over, and again when a pointer may have been
 *          written into it by recorded code (the paper's optimisation: what missing code itself links to what
 *          it was given counts from the next recorded write on). Calls of the program's own functions,
 *          and all calls under option `reach=full`, walk anew every time.
 * Memory:  tables of its own; a set is valid until the next is found.
 * Threads: the target's one kernel thread.
 * Errors:  a set that outgrows the table is "everything": one range over all addresses.
 */
#ifndef PF_RT_REACH_H
#define PF_RT_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_range_of {
    uint64_t addr, size;
};

struct pf_reach_set {
    const struct pf_range_of *at; /* by address; neighbours are one */
    uint32_t n;
    uint64_t number; /* of the set, from 1; 0: it has none */
    bool told;       /* a set of this number was given before, the same */
};

#define PF_REACH_ALL UINT32_MAX /* as n: more words than can be handed over */

/* function: the name of the program's own function that is called, NULL: not its own. It may use any variable, unless
 * option `globals` says which ones. */
struct pf_reach_set pf_reach_find(const void *callee, uint32_t n, void *const *words,
                                  const char *function);

/* Recorded code writes there. */
void pf_reach_written(uint64_t addr, uint64_t size);

/* Reads the file of option `globals`; one that cannot be read ends the process, as a bad option does. */
void pf_reach_config(void);

#endif
