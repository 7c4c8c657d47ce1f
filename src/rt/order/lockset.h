/*
 * lockset.h - sets of held locks under one small number, so that every epoch can remember its own.
 *
 * Model:   a set is the list of locks in the order they were taken: a node (rest, lock, where,
 *          shared); equal lists are the same node. 0 is the empty set.
 * Memory:  the runtime's store; nodes stay.
 * Threads: any; lock-free look-up, one lock for new nodes.
 * Errors:  when the table is full the lock is left out of the set and PF_LIMIT_LOCKS is counted.
 */
#ifndef PF_RT_LOCKSET_H
#define PF_RT_LOCKSET_H

#include "thread.h"

void pf_lockset_init(void);
/* The set `rest` with one more lock. */
uint32_t pf_lockset_with(uint32_t rest, uintptr_t lock, uint32_t where, bool shared);

void pf_lockset_lock(void); /* around fork */
void pf_lockset_unlock(void);

#endif
