/*
 * tracer.h - the trace of a directed run: every event with its value, as bytes
 * (docs/format/trace.md).
 *
 * Model:   events in the order in which they happen, which is total here. A site is a stack id of
 *          stack.h, so each event has its whole stack. The names of sites, threads and variables
 *          are written to the stream of names before they are first needed.
 * Memory:  the rings of stream_ring.h; 64 bytes for each site used.
 * Threads: the target's one kernel thread, nested.
 * Errors:  when pf has died, tracing is switched off.
 *
 * Called while vector registers are live: nothing here uses them.
 */
#ifndef PF_RT_TRACER_H
#define PF_RT_TRACER_H

#include "direct.h"
#include "pf_event.h"

/* A plain access of 1, 2, 4 or 8 bytes. `index` is the number of the current event in its thread.
 * The value is zero-extended. */
void pf_trace_access(uint32_t site, uint64_t addr, uint32_t size, bool write, uint64_t value,
                     uint64_t index);

/* An access of more than 8 bytes, with its first n bytes: like pf_trace_event, but faster. */
void pf_trace_wide(uint32_t site, uint64_t addr, uint64_t size, bool write, const void *bytes,
                   uint32_t n, uint64_t index);

/* Any other event. Fields that it does not have are 0. */
struct pf_trace_record {
    uint8_t kind; /* enum pf_event_kind */
    uint8_t flags; /* enum pf_event_flags */
    bool attached; /* part of the previous event: has no index of its own */
    bool has_value, has_old;
    uint32_t site;
    uint64_t what; /* address of the memory, lock ...; number of a thread */
    uint64_t more; /* size of the memory; address of the mutex of a wait or wake */
    uint64_t value, old;
    const void *bytes; /* contents of memory larger than 8 bytes */
    uint32_t nbytes; /* at most PF_TRACE_RECORD_BYTES are stored */
};
#define PF_TRACE_RECORD_BYTES 64 /* contents of an event that are stored */
void pf_trace_event(const struct pf_trace_record *e);
uint64_t pf_trace_records(void); /* number of records so far */
/* call: a CALL whose callee reaches the set with this number, from 1. range: adds a range to that
 * set. callback: a callback of the innermost open call of the thread begins, or has ended. return:
 * a RET of that call. */
void pf_trace_call(uint32_t site, uint64_t callee, uint64_t number);
void pf_trace_range(uint64_t addr, uint64_t size);
void pf_trace_callback(bool begins);
void pf_trace_return(void);

/* The current thread has created the context with this number. */
void pf_trace_thread_created(uint32_t number);
/* The current thread has forked, and this process is the child: what the other threads did is
 * ordered before everything that it does from now on. Call while they still exist. */
void pf_trace_process_forked(void);
/* From now on, synchronisation and memory operations reported by the runtime become events
 * (trace_sync.c). */
void pf_trace_listen(void);

/* --- names (trace_names.c) --- */

/* name_site: writes the name of a site, and the variables of newly loaded objects. name_thread:
 * writes the name of a thread; called again when its name has changed. */
/* The symbol of a function that is called through a pointer. */
void pf_trace_name_callee(const void *callee, const char *symbol);
void pf_trace_name_site(uint32_t site, unsigned kind, unsigned size);
void pf_trace_name_thread(uint32_t number, const struct pf_thread *t);

#endif
