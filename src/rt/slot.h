/*
 * slot.h - thread slots: the short names (sid) under which threads appear in the shadow.
 *
 * Model:   a slot counts epochs 1, 2, … for one owner after the other. It passes from a finished
 *          owner to a new thread only if the new one already knows all that happened on it; so
 *          "clk <= clock[sid]" stays exact although the slot was shared. For every epoch the slot
 *          remembers who owned it and which locks it then held.
 * Memory:  the lock history is a mapping of 4 bytes an epoch, committed as it is used.
 * Threads: slot_take and slot_retire lock; histories are written by the owner alone and read at
 *          reports, for epochs that are over or the reader's own.
 */
#ifndef PF_RT_SLOT_H
#define PF_RT_SLOT_H

#include "thread.h"

/* Takes a slot for t, whose clock says what it knows; sets t->sid and t->clk and its clock entry.
 * False when none can be had. */
bool pf_slot_take(struct pf_thread *t);
/* The owner is done with its slot, for ever. */
void pf_slot_retire(struct pf_thread *t);

/* Starts a new epoch if statements were made in this one. Cheap otherwise. */
void pf_epoch_next(struct pf_thread *t);
/* Recomputes the words that compiled code compares with. */
void pf_thread_key(struct pf_thread *t);
/* t->lockset has changed: later statements are made under the new set. */
void pf_epoch_lockset_changed(struct pf_thread *t);

/* What t may tell others about itself: the last epoch in which it made a statement. */
static inline uint32_t pf_epoch_published(const struct pf_thread *t)
{
    return t->dirty ? t->clk : t->clk - 1;
}

void pf_slot_lock(void); /* around fork */
void pf_slot_unlock(void);

#endif
