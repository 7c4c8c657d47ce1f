/*
 * hb.h - happens-before: sync objects by address, locks.
 *
 * Model:   a sync object is a vector clock found by any address the target chooses (a mutex, an
 *          atomic, a file descriptor's own object). release: object := join(object, thread), and
 *          the thread starts a new epoch; acquire: thread := join(thread, object).
 * Memory:  objects come and go with pf_hb_forget when their memory does.
 * Threads: any; striped locks inside. Never call one of these inside another.
 */
#ifndef PF_RT_HB_H
#define PF_RT_HB_H

#include "thread.h"

void pf_hb_acquire(struct pf_thread *t, const volatile void *addr);
void pf_hb_release(struct pf_thread *t, const volatile void *addr);
/* object := thread, what earlier releases left is replaced. */
void pf_hb_release_store(struct pf_thread *t, const volatile void *addr);
/* The memory is gone (free, munmap, destroy): objects in [addr, addr + size) are dropped. */
void pf_hb_forget(const volatile void *addr, size_t size);

/* Clocks that are not at an address: a file descriptor, a message, a signal in flight. */
struct pf_hb_clock;
struct pf_hb_clock *pf_hb_clock_new(void); /* empty; never NULL: a lost one is a shared dummy */
void pf_hb_clock_free(struct pf_hb_clock *c);
void pf_hb_clock_acquire(struct pf_thread *t, struct pf_hb_clock *c);
void pf_hb_clock_release(struct pf_thread *t, struct pf_hb_clock *c);
void pf_hb_clock_release_store(struct pf_thread *t, struct pf_hb_clock *c);

/* Locks: order as above, and the thread's set of held locks for the reports. A lock taken `shared`
 * (rdlock) is ordered after the writers before it only, and its unlock only before later writers. */
enum pf_lock_flags { PF_LOCK_SHARED = 1, PF_LOCK_RECURSIVE = 2, PF_LOCK_ROBUST = 4 };
/* where: 0 stands for the call on top of the stack, found only if it is the first. */
void pf_lock_taken(struct pf_thread *t, const volatile void *lock, unsigned flags, uint32_t where);
/* Just before the real unlock. Ends one level of a recursive lock; only the last one is a release.
 * Unlocking what the thread is not known to hold is a release too: order is never lost. */
void pf_lock_dropping(struct pf_thread *t, const volatile void *lock);
/* All levels at once, as a condition wait does (t->cond is it, else NULL); returns the depth to give to _retaken. */
#define PF_LOCK_DEPTH_ROBUST 0x80000000u
uint32_t pf_lock_drop_all(struct pf_thread *t, const volatile void *lock);
/* The thread ends: a robust lock that it holds is given back, any other stays taken for ever. */
void pf_lock_abandon(struct pf_thread *t, const volatile void *lock);
void pf_lock_retaken(struct pf_thread *t, const volatile void *lock, uint32_t depth,
                     uint32_t where);
/* A frame of a watch body is about to stand at `frame`: from there on statements are made. When sampling, nested. */
void pf_lock_watched(struct pf_thread *t, struct pf_frame *frame);

#endif
