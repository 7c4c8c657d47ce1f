/*
 * lockset.h - interned sets of held locks: a small number per set, so that every epoch can store
 * its own.
 *
 * Model:   a set is the list of locks in the order in which they were taken: a node (rest, lock,
 *          where, shared); equal lists are the same node. 0 is the empty set.
 * Memory:  one mapping; nodes are never freed.
 * Threads: any; lookups are lock-free, new nodes take a lock.
 * Errors:  when the table is full the lock is left out of the set, counted as PF_LIMIT_LOCKS.
 */
#ifndef PF_RT_LOCKSET_H
#define PF_RT_LOCKSET_H

#include "thread.h"

bool pf_lockset_init(void); /* false: no address space */
/* The set `rest` with one more lock; `where` is the site id of the lock's first acquisition by any
 * thread. */
uint32_t pf_lockset_with(uint32_t rest, uintptr_t lock, uint32_t where, bool shared);
/* Copies up to max locks of a set; returns the number of locks in the set. */
size_t pf_lockset_get(uint32_t lockset, struct pf_held_lock *out, size_t max);

void pf_lockset_lock(void); /* around fork */
void pf_lockset_unlock(void);

#endif
