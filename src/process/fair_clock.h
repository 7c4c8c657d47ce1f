/*
 * fair_clock.h - the fair time (src/clip/fair_time.h) of this process and its descendants.
 *
 * Model:   the CPU time is that of this process, of its children that have ended and, if wanted, of
 *          all its descendants that still run.
 * Threads: one caller for each object.
 */
#ifndef PF_PROCESS_FAIR_CLOCK_H
#define PF_PROCESS_FAIR_CLOCK_H

#include "fair_time.h"
#include <stdbool.h>

struct pf_fair_clock {
    struct pf_fair_time time;
    uint64_t cpu_ms; /* CPU time at the begin */
};

/* Called while no child runs. */
void pf_fair_clock_begin(struct pf_fair_clock *c);
/* The fair time so far. alive: as below. */
uint64_t pf_fair_clock_ms(struct pf_fair_clock *c, bool alive);
/* CPU time of this process and of its children that have ended. alive: and of all descendants that
 * still run; this reads the whole of /proc. */
uint64_t pf_cpu_ms(bool alive);

#endif
