/*
 * memory_hash.h - a hash of the program's writable memory.
 *
 * Model:   over the pages in use of every private writable mapping of the program, without the
 *          stacks of its threads (local_state.h) and without the variables of the runtime. If it is
 *          the same at two moments, nothing was stored in between that is still visible. If all
 *          threads are in the same state too, the program repeats itself for ever.
 * Memory:  none.
 * Threads: the runner only.
 * Errors:  0 if the memory cannot be read, or if there is too much of it.
 */
#ifndef PF_RT_MEMORY_HASH_H
#define PF_RT_MEMORY_HASH_H

#include <stdint.h>

/* O(memory in use): takes about a quarter of a second for each gigabyte. */
uint64_t pf_memory_hash(void);

#endif
