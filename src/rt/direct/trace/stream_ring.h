/*
 * stream_ring.h - the streams of a clip inside the target, as rings in memory shared with pf
 * (src/clip/channel.h).
 *
 * Model:   each stream is off, written or read, independently of the others: a replay that
 *          regenerates the trace reads schedule and inputs and writes events.
 * Memory:  shared with pf, mapped at fixed addresses.
 * Threads: the target's one kernel thread; not in signal handlers of the target.
 * Errors:  when pf has died, the target ends as an orphan (orphan.h).
 */
#ifndef PF_RT_STREAM_RING_H
#define PF_RT_STREAM_RING_H

#include "channel.h"
#include "direct.h"

/* Attaches to the channel that the environment names, if any, and sets pf_direct. Must come first
 * in a directed target. */
void pf_channel_attach(void);
/* The settings of this run; NULL in free mode. */
struct pf_channel *pf_channel_get(void);
/* In a copy of the target: replaces the channel, at the same addresses, by the one in this file. It
 * must be a copy of the current one. False: the file cannot be mapped. */
bool pf_channel_move(const char *path);
/* In a child process of the target: detaches, so that nothing more is written or read. */
void pf_channel_detach(void);

/* reserve: returns room for the next n <= 64 KB bytes of a stream that is written; NULL: they are
 * dropped. commit: publishes the first n of them. */
unsigned char *pf_ring_reserve(enum pf_stream s, size_t n);
void pf_ring_commit(enum pf_stream s, size_t n);
/* For code that moves `head` itself: the ring (NULL: off), and in *base the address where it is
 * mapped. wake_pf makes pf read it. */
struct pf_ring *pf_ring_of(enum pf_stream s, unsigned char **base);
void pf_channel_wake_pf(void);
/* Sets the function to call when pf has died and no longer reads the rings. Without one, the run
 * goes on without a recording. */
void pf_ring_on_abandoned(void (*f)(void));
/* For code that reads byte by byte: the unread bytes of a stream, and their number; NULL if the
 * stream is not read. skip consumes n of them. */
const unsigned char *pf_ring_remaining(enum pf_stream s, size_t *n);
void pf_ring_skip(enum pf_stream s, size_t n);
/* A continuation copies what it puts into stream `input` from now on. The copy; NULL: it is too
 * long. */
void pf_ring_copy_begin(void);
const void *pf_ring_copy(void);
/* Number of bytes written to, or read from, the stream so far. */
uint64_t pf_ring_position(enum pf_stream s);

/* Call before the process is copied: the copy's log continues from this position, whatever this
 * process writes meanwhile. */
void pf_ring_mark(void);
/* Call before the process is copied, if its continuations run one after the other: they put their
 * logs into memory that is shared with this process, which is faster than a file. */
void pf_ring_share_log(void);
/* In a continuation (checkpoint.h): from now on everything is written to a log of its own. `path`
 * must stay valid. */
void pf_ring_split(const char *path, uint32_t number);
/* After a continuation has ended: writes its log from the shared memory to its file, or drops
 * it. */
void pf_ring_take_log(const char *path, bool keep);
/* What this continuation tells pf; NULL: this process is not a continuation. */
struct pf_continuation *pf_continuation_self(void);
/* Tells pf how many events all threads have performed, and how many threads there were. */
void pf_channel_set_events(uint64_t n, uint32_t threads);

/* Where the results of fuzzing policies and plan queries are stored. */
struct pf_reached *pf_channel_reached(void);
/* Where a continuation stores how the order of two accesses was enforced; NULL in other
 * processes. */
struct pf_order_outcome *pf_channel_order(void);
/* Where the first divergence is stored. */
struct pf_divergence *pf_channel_divergence(void);
/* The memory model has forgotten values that a read could have returned. */
void pf_channel_note_forgotten(void);
/* True if pf is still running. */
bool pf_channel_pf_alive(void);
struct pf_stack_frame;
/* Reports a memory error of this run to pf (hooks.h): counts it, and keeps the first one. */
void pf_channel_report_error(const char *text, uint32_t kind, const struct pf_stack_frame *at);
/* The program fails at this place (hooks.h). */
void pf_channel_report_failure(const char *text, uint32_t kind, const struct pf_stack_frame *at);
/* Tells pf how the run ended; only the first call counts. */
void pf_channel_set_outcome(enum pf_outcome what, const char *text);

#endif
