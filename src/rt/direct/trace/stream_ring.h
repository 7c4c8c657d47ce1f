/*
 * stream_ring.h - the streams of a clip, seen from inside the target (src/clip/channel.h).
 *
 * Model:   each stream is off, written or read, on its own: a replay that regenerates the trace reads
 *          schedule and inputs and writes events.
 * Memory:  shared with pf, mapped at fixed places.
 * Threads: the target's one kernel thread. Not from signal handlers of the target.
 * Errors:  when pf is gone, what is put is dropped, after a message.
 */
#ifndef PF_RT_LOG_H
#define PF_RT_LOG_H

#include "channel.h"
#include "direct.h"

/* Attaches to the channel that pf left in the environment, if there is one, and sets pf_direct.
 * First thing in a directed target. */
void pf_log_init(void);
/* The settings of this run; NULL in free mode. */
struct pf_channel *pf_log_channel(void);
/* In a child that the target forked: nothing more is put or got. */
void pf_log_detach(void);

/* The next n <= 64 KB bytes of a stream that is written, to be filled in and then committed, whole or
 * in part; NULL: dropped. */
unsigned char *pf_log_room(enum pf_log_stream s, size_t n);
void pf_log_commit(enum pf_log_stream s, size_t n);
/* For who moves `head` by himself: the ring (NULL: off) and where it is mapped; wakes pf. */
struct pf_ring *pf_log_ring(enum pf_log_stream s, unsigned char **base);
void pf_log_call(void);
/* What is left of a stream that is read, for who takes it byte by byte; NULL: nothing. */
const unsigned char *pf_log_rest(enum pf_log_stream s, size_t *n);
void pf_log_skip(enum pf_log_stream s, size_t n);
/* Bytes put, or got, so far. */
uint64_t pf_log_at(enum pf_log_stream s);

/* Before the process is copied: its copy goes on from here, whatever this one puts meanwhile. */
void pf_log_mark(void);
/* In a continuation (checkpoint.h): what is put from here on goes to a file of its own. */
void pf_log_split(const char *path, uint32_t number);

/* Where it is told what the policy has reached. */
struct pf_reached *pf_log_reached(void);
/* Is pf still there? */
bool pf_log_followed(void);
/* Tells pf of a finding of this run. */
void pf_log_error(const char *text);
/* Tells pf how the run ends; the first word counts. */
void pf_log_outcome(enum pf_outcome what, const char *text);

#endif
