/*
 * watch_window.h - how long AtexRace watches: bursts in loops, windows of time in which all threads
 * are watched, and the share of time that watching may take.
 *
 * Model:   A *burst* lasts 100 microseconds of the thread's processor time. A call that stays in a
 *          loop goes back to its plain body when its burst is over.
 *          A *window* is open for 100 microseconds, for all threads at once: every call and every
 *          loop that they enter is watched. So races between accesses that are rare in long
 *          loops can be found. Windows take the part `overhead` of the time. Half of this time is
 *          for *rare calls*: a call of a function that the thread seldom calls opens a window; if
 *          there are too many, only those of the rarest functions open one. The other half, and
 *          what rare calls leave over, is for windows that open at regular times.
 *          A thread's *share* is the part of its time that passed in watched calls outside
 *          windows, measured at its calls. While it is above `overhead`, only first calls, rare
 *          calls, new pairs and pairs in their first burst are sampled. So windows and the rest
 *          together take up to about twice `overhead`.
 * Threads: the window is shared by all threads, the rest belongs to one.
 */
#ifndef PF_RT_WATCH_WINDOW_H
#define PF_RT_WATCH_WINDOW_H

#include "pf_abi.h"
#include <stdbool.h>

/* Values of pf_tls.body_switch. */
#define PF_BODY_SWITCH_WOKEN 1u  /* another thread sampled a pair with this thread's function */
#define PF_BODY_SWITCH_WINDOW 2u /* a window was opened */

struct pf_watch_time {
    uint64_t burst_end; /* in cycles */
    uint64_t burst_cpu; /* processor time of the thread when the burst began, in ns */
    bool in_window;     /* the burst ends with the window */
    bool watching;      /* the decision for the last call that asked */
    uint64_t last_call; /* when the thread asked last, in cycles */
    uint64_t total, watched; /* cycles */
};

/* Reads the option `overhead`. */
void pf_window_start(void);
static inline uint64_t pf_window_now(void) { return __builtin_ia32_rdtsc(); }
bool pf_window_is_open(uint64_t now);
/* True if a window is due, and this thread is the one to open it: from now on it is open. */
bool pf_window_open_if_due(uint64_t now);
/* The same at a call of a function that the thread calls once in `interval` cycles, if that is
 * rare. */
bool pf_window_open_for_rare(uint64_t now, uint64_t interval);
/* True if such a call may open a window. */
bool pf_window_is_rare(uint64_t interval);
/* True if the thread asks too seldom for windows to open in time; it asked last at `last`. */
bool pf_window_is_late(uint64_t last, uint64_t now);

/* A thread enters the block of a loop in its plain body. Returns true if it should switch to the
 * watch body: at first, and as long as the block is entered less than about once in 100
 * microseconds; after that never again. */
bool pf_window_rare_block(struct pf_rare_block *b, uint64_t now);

/* The thread asks at a call: adds the time since it asked last. Returns true if its share is too
 * large. */
bool pf_watch_time_add(struct pf_watch_time *w, uint64_t now);
/* What was decided for the call. */
static inline void pf_watch_time_decided(struct pf_watch_time *w, bool watching)
{
    w->watching = watching;
}

/* Processor time of the thread, in cycles. A system call. */
uint64_t pf_watch_processor_cycles(void);
/* A burst begins. in_window: it ends with the window, at once if no window is open. */
void pf_watch_burst_begin(struct pf_watch_time *w, bool in_window);
/* A burst that is over at the next back edge. */
void pf_watch_burst_short(struct pf_watch_time *w);
/* True if the burst is over. */
bool pf_watch_burst_over(struct pf_watch_time *w);

#endif
