/*
 * output_stack.h - finds the call stack that wrote a certain byte of a run's output.
 *
 * Model:   the clip is replayed, and the runtime stores the stack when the byte is written.
 * Threads: the caller must be single-threaded; the replay happens in a process of its own.
 */
#ifndef PF_JUDGE_OUTPUT_STACK_H
#define PF_JUDGE_OUTPUT_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PF_OUTPUT_STACK 2048 /* bytes of a stack as text */

/* Writes the stack, one line for each function, innermost first. False: the byte is not written, or
 * the clip could not be replayed. */
bool pf_output_stack_find(const char *clip, int fd, uint64_t at, char *to, size_t room);

#endif
