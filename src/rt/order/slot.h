/*
 * slot.h - thread slots: the short names (sid) under which threads appear in the shadow.
 *
 * Model:   a slot counts epochs 1, 2, … for one owner after the other. It passes from a finished
 *          owner to a new thread only if the new one already knows all that happened on it; so
 *          "clk <= clock[sid]" stays exact although the slot was shared (only when all slots are in
 *          use does it pass to one that does not, and PF_LIMIT_SLOTS is counted). For every epoch the slot
 *          remembers who owned it and which locks it then held.
 * Memory:  the lock history is packed (held_log.h).
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

/*
 * What others can know of t's epochs are the numbers that it told: between two of them nobody can tell one epoch from another.
 * A thread that gives the same lock back again, before anybody learned from that, has told one number instead of
 * another, and the epochs of both times are one span. Then a read of t's in a later epoch of it than that of t's write of
 * the same bytes says nothing new: who does not know of the read does not know of the write (fast_update.h).
 *
 * told: `last` is about to be known to others. told_again: to the lock that was told of the epoch before it, in the place of that.
 */
static inline uint32_t pf_span_end(const struct pf_thread *t)
{
    return t->span.from + t->span.more;
}
static inline void pf_span_told(struct pf_thread *t, uint32_t last)
{
    uint32_t from = pf_span_end(t) + 1, to = t->sid << PF_CLK_BITS | last;
    if (to >= from)
        t->span = (struct pf_epochs){from, to - from, 0};
    t->span.lock = 0;
}
static inline void pf_span_told_again(struct pf_thread *t, uint32_t last)
{
    t->span.more = (t->sid << PF_CLK_BITS | last) - t->span.from;
}

/* What t tells others about itself: the last epoch in which it made a statement. _published: it does so now. */
static inline uint32_t pf_epoch_last(const struct pf_thread *t)
{
    uint32_t last = t->dirty ? t->clk : t->clk - 1;
    return last > t->top ? last : t->top;
}
static inline uint32_t pf_epoch_published(struct pf_thread *t)
{
    uint32_t last = pf_epoch_last(t);
    t->undo.lock = 0;
    pf_span_told(t, last);
    return last;
}

/*
 * Epochs are names that t gives to what it does, for others to learn. Names that nobody has learned
 * yet can be used again. So a thread that takes a lock again which nobody else had in between, and
 * told nothing to anybody in other ways, goes on in the epoch it had under the lock, and finds its
 * statements of then still current: a data structure under a lock is not touched anew each time.
 * A reader of a read-write lock likewise, as long as no writer has come.
 *
 * undoable: t has just released `lock`, its epoch has not ended yet. undo: t has taken `lock` and
 * nobody learned from that release; false if t cannot go back.
 */
static inline void pf_epoch_undoable(struct pf_thread *t, uintptr_t lock)
{
    if (t->dirty)
        t->undo =
            (struct pf_undo){.lock = lock, .sid = t->sid, .clk = t->clk, .lockset = t->lockset};
}
bool pf_epoch_undo(struct pf_thread *t, uintptr_t lock);

void pf_slot_lock(void); /* around fork */
void pf_slot_unlock(void);

#endif
