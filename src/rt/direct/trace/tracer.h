/*
 * tracer.h - the trace of a directed run: every event with its value, as bytes (docs/format/trace.md).
 *
 * Model:   events in the order in which they happen, which is total here. A site is an id of stack.h,
 *          so each event has its whole stack. What a site, a thread or a variable is called goes to the
 *          stream of names when it first turns up.
 * Memory:  the rings of stream_ring.h; 64 bytes for each site used.
 * Threads: the target's one kernel thread, nested.
 * Errors:  when pf is gone, tracing is switched off.
 *
 * Called from places where vector registers are alive: nothing here touches them.
 */
#ifndef PF_RT_TRACER_H
#define PF_RT_TRACER_H

#include "direct.h"
#include "pf_event.h"

/* A plain access of 1, 2, 4 or 8 bytes at the current event, which is the thread's number `index`; the value is
 * zero-extended. */
void pf_trace_access(uint32_t site, uint64_t addr, uint32_t size, bool write, uint64_t value,
                     uint64_t index);

/* An access of more than 8 bytes at the current event, with the first `n` of them; as pf_trace_event, quicker. */
void pf_trace_wide(uint32_t site, uint64_t addr, uint64_t size, bool write, const void *bytes,
                   uint32_t n, uint64_t index);

/* Any other event. What it does not have is 0. */
struct pf_traced {
    uint8_t kind; /* enum pf_event_kind */
    uint8_t flags; /* enum pf_event_flags */
    bool attached; /* part of the operation of the event before it: no number of its own */
    bool has_value, has_old;
    uint32_t site;
    uint64_t what; /* address of the place, lock ...; number of the thread */
    uint64_t more; /* size of the place; address of the mutex of a wait or wake */
    uint64_t value, old;
    const void *bytes; /* contents of a place larger than 8 bytes */
    uint32_t nbytes; /* kept up to PF_TRACED_BYTES */
};
#define PF_TRACED_BYTES 64
void pf_trace_event(const struct pf_traced *e);
uint64_t pf_trace_records(void); /* so far */
/* CALL of a function with the set of this number, from 1; what of the set is to be told now, range by range; RET of the innermost call of
 * the thread that is not over. */
void pf_trace_call(uint32_t site, uint64_t callee, uint64_t number);
void pf_trace_range(uint64_t addr, uint64_t size);
void pf_trace_over(void);

/* The current thread has made the context of this number. */
void pf_trace_forked(uint32_t number);
/* From now on the runtime's synchronisation and memory are events too (trace_sync.c). */
void pf_trace_listen(void);

/* --- names (trace_names.c) --- */

/* Says what a site is, and what was loaded meanwhile. */
void pf_trace_name_site(uint32_t site, unsigned kind, unsigned size);
void pf_trace_name_thread(uint32_t number, const struct pf_thread *t);

#endif
