/*
 * failed_stack.h - the stack of a recording that failed: field 39 of docs/format/clip.md.
 *
 * Model:   the field is "THREAD: STACK". A frame of the stack is "FUNCTION FILE:LINE", or only
 *          "FUNCTION" if the position is unknown; the innermost frame is first, and frames are
 *          separated by " < ". "" is an unknown stack. Only this file reads that form.
 * Memory:  the results point into the text.
 */
#ifndef PF_CLIP_FAILED_STACK_H
#define PF_CLIP_FAILED_STACK_H

#include "clip.h"

/* The stack of the run's failure, without the thread. */
const char *pf_clip_failed_stack(const struct pf_clip_end *e);
/* True if the innermost frame is one of this function. */
bool pf_failed_stack_is_in(const char *stack, const char *function);
/* True if any frame is. */
bool pf_failed_stack_has(const char *stack, const char *function);

#endif
