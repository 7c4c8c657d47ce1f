/*
 * reach.h - what code that leaves no events can reach: from the pointers handed to it, through heap
 * blocks and variables, and from variables that the program names by PF_GLOBAL.
 *
 * Model:   an object is a heap block, a variable with static storage, or, where a pointer leads
 *          elsewhere, the memory from there on: of a stack the rest of the stack, else one page. All
 *          of an object is reached, and so is what any aligned word of it points into. Constants do not
 *          matter, and are not told apart.
 * Memory:  one table of its own; a set is valid until the next is found.
 * Threads: the target's one kernel thread.
 * Errors:  a set that outgrows the table is "everything": one range over all addresses.
 */
#ifndef PF_RT_REACH_H
#define PF_RT_REACH_H

#include <stdbool.h>
#include <stdint.h>

struct pf_reach_set;

/* variables: all of the program's are reached too, for its own functions may use any. */
struct pf_reach_set *pf_reach_find(uint32_t n, void *const *pointers, bool variables);
uint64_t pf_reach_count(const struct pf_reach_set *s);
void pf_reach_each(const struct pf_reach_set *s, void (*f)(void *, uint64_t addr, uint64_t size),
                   void *arg);

#endif
