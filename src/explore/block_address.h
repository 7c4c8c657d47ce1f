/*
 * block_address.h - notices addresses of allocated memory that depend on the schedule.
 *
 * Model:   what a thread does next depends on what it has read, and on the addresses that malloc
 *          returned. Two runs in which an operation has the same history, but gets memory at
 *          another address, show that the class of a run does not determine its addresses: a
 *          program that compares, hashes or prints them may have executions that were not seen.
 * Memory:  one entry for each history of an allocation, until pf_block_addresses_release.
 * Errors:  none.
 */
#ifndef PF_EXPLORE_BLOCK_ADDRESS_H
#define PF_EXPLORE_BLOCK_ADDRESS_H

#include "execution.h"
#include "explore.h"
#include "hash_map.h"

struct pf_block_addresses {
    struct pf_hash_map seen; /* history of the allocation -> hash of its address */
    bool several; /* several threads have allocated memory */
};

/* Compares the run with those before it. Notes each place where an address differs. */
void pf_block_addresses_check(struct pf_block_addresses *a, const struct pf_execution *run,
                              const struct pf_trace *t, struct pf_exploration *out);
void pf_block_addresses_release(struct pf_block_addresses *a);

#endif
