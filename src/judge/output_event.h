/*
 * output_event.h - which events of a trace belong to output.
 *
 * Model:   output functions of libc read memory of the program: the format, the text, the buffer.
 *          These reads are events inside the function. A call that reads nothing (putchar) is not
 *          recognised.
 */
#ifndef PF_JUDGE_OUTPUT_EVENT_H
#define PF_JUDGE_OUTPUT_EVENT_H

#include "trace.h"

/* True for an access that a function of libc makes in order to write to a file or descriptor. */
bool pf_output_event(const struct pf_trace *t, uint32_t event);

#endif
