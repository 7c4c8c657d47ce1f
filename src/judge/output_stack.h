/*
 * output_stack.h - finds the call stack that wrote a certain byte of a run's output, and what
 *                  it wrote.
 *
 * Model:   the clip is replayed, and the runtime stores the stack when the byte is written.
 * Threads: the caller must be single-threaded; the replay happens in a process of its own.
 */
#ifndef PF_JUDGE_OUTPUT_STACK_H
#define PF_JUDGE_OUTPUT_STACK_H

#include "judge_clock.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_output_stack {
    char stack[2048]; /* one line for each function, innermost first; "": not known */
    size_t length; /* of bytes: what the same call writes from there on */
    char bytes[4096];
};

/* False: the byte is not written, or the clip could not be replayed within the time left. */
bool pf_output_stack_find(const char *clip, int fd, uint64_t at, const struct pf_judge_left *left,
                          struct pf_output_stack *out);

#endif
