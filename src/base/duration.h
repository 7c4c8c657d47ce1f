/*
 * duration.h - durations as text, and a monotonic clock.
 */
#ifndef PF_BASE_DURATION_H
#define PF_BASE_DURATION_H

#include "status.h"
#include <stdbool.h>
#include <stdint.h>

/* Parses "90", "90s", "500ms", "2m" (or "2min") or "1h" into milliseconds. Returns false if the
 * text is not a duration. */
bool pf_duration_parse(const char *text, uint64_t *ms);
/* The same for the value of option --NAME. PF_BAD with a message if it is not a duration. */
PF_MUST_USE pf_status pf_duration_option(const char *name, const char *text, uint64_t *ms,
                                         struct pf_error *e);

/* Monotonic time since an arbitrary origin. */
uint64_t pf_now_ns(void);
static inline uint64_t pf_now_ms(void) { return pf_now_ns() / 1000000; }

#endif
