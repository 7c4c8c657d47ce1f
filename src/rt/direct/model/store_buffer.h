/*
 * store_buffer.h - memory model `tso`: the stores of each thread go through a buffer, as on x86.
 *
 * Model:   a buffer is a queue. A store is added to the queue of its thread; its thread sees it at
 *          once, the others when it is drained, that is, moved from the queue to memory. Fences,
 *          read-modify-write operations, sequentially consistent stores and calls of functions
 *          outside the program (locks, system calls) drain the queue of their thread.
 *          Other stores are drained as late as possible: before a read of their memory by another
 *          thread, which chooses how many of them it sees and in which order they are drained. The
 *          stores of a thread that has ended are drained when it is joined.
 *
 *          While a thread runs, memory has the values that this thread sees. A switch to another
 *          thread replaces the bytes that are in a buffer.
 * Memory:  fixed tables; a full buffer drains its oldest store.
 * Threads: the runner only.
 */
#ifndef PF_RT_STORE_BUFFER_H
#define PF_RT_STORE_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

struct pf_context;

bool pf_buffer_init(void);
/* The running thread is about to read. */
void pf_buffer_read(uintptr_t addr, uint64_t size, uint32_t site);
/* It is about to write these bytes; NULL: they are not known. */
void pf_buffer_write(uintptr_t addr, uint64_t size, const uint8_t *bytes);
/* It begins, and has finished, an atomic store whose bytes are not known before. */
void pf_buffer_store_begin(uintptr_t addr, unsigned size);
void pf_buffer_store_end(uintptr_t addr, unsigned size);
/* Drains the buffer of the running thread, or of another one. */
void pf_buffer_drain(void);
void pf_buffer_drain_of(uint32_t thread);
/* The thread `to` runs next. */
void pf_buffer_switch(const struct pf_context *to);

#endif
