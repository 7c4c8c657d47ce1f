/*
 * stale_read.h - memory model `weak`: a read returns any write that is not overwritten before it in
 * happens-before.
 *
 * Model:   writes take effect in the order of the run, which is the modification order of every
 *          variable: a store is never delayed. A read may return an older write W, unless a newer
 *          write W' of the same bytes, or a read that returned W' or a newer write, is known to the
 *          thread (memory_view.h). So each variable is coherent, also for reads that are ordered by
 *          happens-before. Release and acquire carry views with the values; read-modify-write
 *          operations return the newest write and continue its release sequence.
 *
 *          The value reaches the program because no other thread runs between the event of a read
 *          and its load: the runtime puts the old bytes into memory, and the newest ones back when
 *          it is entered again.
 * Memory:  the newest writes of the granules that were written while there were several threads;
 *          bounded. What is forgotten is not offered to reads.
 * Threads: the runner only.
 * Errors:  a write that the runtime did not see is recognised by its value, and ends the history of
 *          the granule.
 */
#ifndef PF_RT_STALE_READ_H
#define PF_RT_STALE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In place of a memory order: the access is not atomic. */
#define PF_ORDER_PLAIN 255u

bool pf_stale_init(void);
/* The running thread is about to read; may put an old value into memory. */
void pf_stale_read(uintptr_t addr, unsigned size, unsigned order, uint32_t site);
/* It is about to write these bytes; not atomically. */
void pf_stale_write(uintptr_t addr, uint64_t size, const uint8_t *bytes);
/* It begins and has finished an atomic operation that may write. */
void pf_stale_update_begin(uintptr_t addr, unsigned size);
void pf_stale_update_end(uintptr_t addr, unsigned size, unsigned order, bool reads, bool wrote);
/* The memory has new contents that are not known, or is fresh: drops its history. */
void pf_stale_forget(uintptr_t addr, uint64_t size);

/* Puts the newest value back into memory. */
void pf_stale_restore(void);
extern bool pf_stale_lent; /* an old value is in memory */

#endif
