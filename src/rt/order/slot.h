/*
 * slot.h - thread slots: the small numbers (sid) under which threads appear in access records.
 *
 * Model:   a slot counts epochs 1, 2, ... for one owner after the other. It passes from a finished
 *          owner to a new thread only if the new one has seen everything that happened on it, so
 *          "clk <= clock[sid]" stays exact although the slot is shared. (If no unused slot is left,
 *          a free one passes to a thread that has not seen all of it, counted as PF_LIMIT_SLOTS.)
 *          For every epoch, the slot stores which thread owned it and which locks that thread held.
 * Memory:  the history of locks is packed (held_log.h); parts that no report can name are dropped.
 * Threads: pf_slot_take and pf_slot_retire lock. Histories are written by the owner alone, and read
 *          for reports: epochs that are over, or the reader's own.
 * Errors:  see pf_slot_take; when a slot's epochs are used up and no other slot is free, the thread
 *          stays in its last epoch, counted as PF_LIMIT_EPOCHS.
 */
#ifndef PF_RT_SLOT_H
#define PF_RT_SLOT_H

#include "thread.h"

/* Takes a slot for t, whose clock says what it has seen; sets its slot, its epoch and its clock
 * entry. Returns false if no slot is free. */
bool pf_slot_take(struct pf_thread *t);
/* The owner gives up its slot for ever. */
void pf_slot_retire(struct pf_thread *t);

/* Starts a new epoch if access records were made in the current one; otherwise does nothing. */
void pf_epoch_next(struct pf_thread *t);
/* Recomputes the key and the other words that compiled code compares with, and
 * may_order_unwatched. */
void pf_thread_update_key(struct pf_thread *t);
/* t->order.lockset has changed: later access records are made under the new set. */
void pf_epoch_lockset_changed(struct pf_thread *t);

/* The thread that used slot sid in epoch clk, and the interned set of locks that it held. */
struct pf_thread *pf_epoch_thread(uint32_t sid, uint32_t clk);
uint32_t pf_epoch_lockset(uint32_t sid, uint32_t clk);
/* Locksets of epochs that are globally ordered are forgotten from time to time, because no race can
 * name them. The calling thread t needs that of its current epoch nevertheless. */
void pf_epoch_keep_lockset(struct pf_thread *t);

/*
 * Spans. Other threads learn about t's epochs only through the numbers that t publishes: epochs
 * between two published numbers cannot be told apart. If t releases the same lock again before any
 * other thread has acquired it, the new number replaces the one that t published to the lock
 * before. The epochs that the two numbers stand for then form one span. If t writes some bytes and
 * reads them in a later epoch of the span, the read is redundant: a thread that has not seen the
 * read has not seen the write either (fast_update.h).
 */
static inline uint32_t pf_span_end(const struct pf_thread *t)
{
    return t->order.span.from + t->order.span.more;
}
/* Epoch `last` is about to become visible to others. */
static inline void pf_span_publish(struct pf_thread *t, uint32_t last)
{
    uint32_t from = pf_span_end(t) + 1, to = t->order.sid << PF_CLK_BITS | last;
    if (to >= from)
        t->order.span = (struct pf_epoch_span){from, to - from, 0};
    t->order.span.lock = 0;
}
/* The lock to which the previous epoch was published gets `last` instead. */
static inline void pf_span_extend(struct pf_thread *t, uint32_t last)
{
    t->order.span.more = (t->order.sid << PF_CLK_BITS | last) - t->order.span.from;
}

/* The last epoch in which t made an access record, which is what t publishes about itself.
 * _publish: t is publishing it now. */
static inline uint32_t pf_epoch_last(const struct pf_thread *t)
{
    uint32_t last = t->order.dirty ? t->order.clk : t->order.clk - 1;
    return last > t->order.highest_clk ? last : t->order.highest_clk;
}
static inline uint32_t pf_epoch_publish(struct pf_thread *t)
{
    uint32_t last = pf_epoch_last(t);
    t->order.resumable.lock = 0;
    pf_span_publish(t, last);
    return last;
}

/*
 * Resuming an epoch. An epoch number that no other thread has seen can be used again. So when t
 * takes a lock again, it may resume the epoch that it had while it held the lock before. Two
 * conditions must hold: no other thread has taken the lock since, and t has published its clock to
 * nothing but this lock. The access records that t made in that epoch are then still current: a
 * data structure under a lock need not be recorded anew each time. The same holds for a reader of a
 * read-write lock as long as no writer has taken it.
 *
 * set_resumable: t has just released `lock`, and its epoch has not ended yet. resume: t has taken
 * `lock`, and no other thread has acquired that release; returns false if t cannot resume.
 */
static inline void pf_epoch_set_resumable(struct pf_thread *t, uintptr_t lock)
{
    if (t->order.dirty)
        t->order.resumable = (struct pf_resumable_epoch){
            .lock = lock, .sid = t->order.sid, .clk = t->order.clk, .lockset = t->order.lockset};
}
bool pf_epoch_resume(struct pf_thread *t, uintptr_t lock);

void pf_slot_lock(void); /* around fork */
void pf_slot_unlock(void);

#endif
