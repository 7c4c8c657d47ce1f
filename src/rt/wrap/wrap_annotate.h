/*
 * wrap_annotate.h - what the target's annotations mean for a report.
 */
#ifndef PF_RT_WRAP_ANNOTATE_H
#define PF_RT_WRAP_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Did the program say that races on any of these bytes are benign? Any thread. */
bool pf_annotate_benign(uintptr_t addr, size_t size);

#endif
