/*
 * memory_choice.h - choices of memory contents: which of several values a read returns, which
 * buffered store reaches memory next.
 *
 * Model:   a choice is a number below the number of options; 0 is what a sequentially consistent
 *          run does. While recording, the choices are random numbers, or come from a list and are 0
 *          after its end. Each one is a record of stream `memory`, and a replay repeats it.
 * Threads: the runner only.
 * Errors:  a replay that comes to a choice with another thread, event or number of options than
 *          the recording diverges.
 */
#ifndef PF_RT_MEMORY_CHOICE_H
#define PF_RT_MEMORY_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the list from the channel. */
void pf_memory_choice_init(void);
/* In a continuation: its choices from now on. */
void pf_memory_choice_begin(const uint8_t *list, uint32_t n);
/* Returns a number below `options`, which is at least 2. */
uint32_t pf_memory_choose(uint32_t options);
/* True if accesses of this memory may differ from sequential consistency. */
bool pf_memory_choice_wanted(uintptr_t addr, uint64_t size);

/* Counts how often a thread has chosen an old value at the same place. After this many times it
 * gets the newest value, so that a loop that waits for another thread ends. */
#define PF_MEMORY_REPEATS 2
struct pf_memory_repeat {
    uint64_t key;
    uint32_t n;
};
#define PF_MEMORY_PLACES 64 /* counters of a thread, by a hash of the place */
struct pf_memory_repeats {
    struct pf_memory_repeat at[PF_MEMORY_PLACES];
};
/* The counter of the access of `granule` at `site` of the function on top of the stack. */
uint32_t *pf_memory_repeat(struct pf_memory_repeats *r, uint64_t granule, uint32_t site);

#endif
