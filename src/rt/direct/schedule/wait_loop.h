/*
 * wait_loop.h - recognises loops with events that only wait for another thread (spin locks, flags).
 *
 * Model:   the events of a thread are examined in bursts of consecutive events: its first ones,
 *          those after each wait, and otherwise ever more rarely. An iteration is what happens
 *          between two arrivals at the same event. A thread waits in a loop if several iterations
 *          in a row perform the same events, read the same values, and store only values that are
 *          already there. It then leaves the run queue until a value that it read has changed, a
 *          signal is due, or a system call was made. (A loop without events is recognised by
 *          spin_yield.h.)
 *
 *          A loop that counts in a register cannot be told from one that waits. So such a thread
 *          also runs if no other thread can run, and now and then by chance; each time that nothing
 *          has changed it makes twice as many iterations before it leaves the run queue again. It
 *          loses priority, but it is never stopped for good.
 *
 *          Only the choice of the next thread depends on this: a schedule contains ordinary
 *          segments, and a replay does not watch loops.
 * Memory:  a part of each context.
 * Threads: the runner only.
 */
#ifndef PF_RT_WAIT_LOOP_H
#define PF_RT_WAIT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct pf_pending_event;

#define PF_WAIT_LOOP_WORDS 16 /* accesses of an iteration; further ones are not compared */
struct pf_wait_loop_word {
    uint64_t address, value;
    uint32_t size;
    bool write;
};
struct pf_wait_loop {
    bool stopped; /* no burst is under way */
    bool waits;   /* the thread has been recognised as waiting */
    bool changed; /* this iteration has changed memory, or does more than access memory */
    uint32_t left; /* events left of the burst */
    uint32_t gap;  /* events between the last burst and the next */
    uint64_t next; /* number of the thread's events at which the next burst begins */
    /* the first event of an iteration: the frame of its function, and its site */
    const void *frame;
    uint32_t site;
    uint32_t length;          /* events of this iteration so far */
    uint64_t hash, last_hash; /* of the events of this iteration so far, and of the last one */
    uint32_t limit;           /* events after which another event becomes the first one */
    uint32_t repeats;         /* identical iterations in a row */
    uint32_t wanted;          /* how many of them make a wait */
    uint64_t calls;           /* number of system calls at the beginning of the iteration */
    struct pf_wait_loop_word last; /* the access of the last event; size 0: none */
    struct pf_wait_loop_word word[PF_WAIT_LOOP_WORDS]; /* the accesses of this iteration */
    uint32_t nwords;
};

/* The number of events, from `events` on, after which the thread's next event must be seen. */
uint64_t pf_wait_loop_grant(const struct pf_wait_loop *w, uint64_t events);
/* The thread is about to perform this event, its `events`-th, and `calls` system calls were made so
 * far. Returns true, and sets `waits`, if the thread waits in a loop. */
bool pf_wait_loop_event(struct pf_wait_loop *w, const struct pf_pending_event *event,
                        const void *frame, uint64_t events, uint64_t calls);
/* The last event did not happen, or its memory may be gone: forgets it. */
void pf_wait_loop_forget(struct pf_wait_loop *w);
/* True if something that the loop depends on may have changed since. */
bool pf_wait_loop_is_over(const struct pf_wait_loop *w, uint64_t calls);
/* The thread does not wait yet: it makes this number of further iterations first. */
void pf_wait_loop_go_on(struct pf_wait_loop *w, uint32_t iterations);
/* The thread returns to the run queue. changed: because the wait is over. */
void pf_wait_loop_end(struct pf_wait_loop *w, bool changed);

#endif
