/*
 * wrap_annotate.h - what the target's annotations mean for a report.
 */
#ifndef PF_RT_WRAP_ANNOTATE_H
#define PF_RT_WRAP_ANNOTATE_H

#include <stdbool.h>
#include <stdint.h>

/* Did the program say that races on one of these bytes (a bit each) of the 8 at `granule` are
 * benign? Any thread. */
bool pf_annotate_benign(uintptr_t granule, unsigned bytes);

#endif
