/*
 * serial_orders.h - does an interleaving of two inferred regions matter? Runs the program along the
 * two serial orders of the regions and compares the results.
 *
 * Model:   each run follows the candidate's schedule up to the point where neither region has
 *          begun; then one region runs to its end, then the other one. Where a region ends is
 *          determined in the run itself, because a region that reads other values may take another
 *          path. Two results are compared. When both regions have ended: the values of the shared
 *          memory that either of them wrote. At the end of the run: its output (as a sorted list of
 *          lines, because the order of lines may depend on the schedule) and how it ended. Pointers
 *          to blocks that were allocated since the first region began are equal to each other. An
 *          unknown value equals every value: an interleaving counts only if it is shown to matter.
 *          An interleaving with the result of a serial order is suspicious. It is not an anomaly
 *          if the regions also write the same value to the variable that one of them has read, and
 *          the other one has not.
 * Errors:  an order that cannot be run is left out. If neither can be run, the interleaving
 *          matters only if the program failed.
 * Threads: must be called in a process of its own, like pf_try_one.
 */
#ifndef PF_CONFIRM_SERIAL_ORDERS_H
#define PF_CONFIRM_SERIAL_ORDERS_H

#include "try_one.h"

/* True if the result must be compared with the serial orders: it happened, its regions are
 * inferred, and the answer is not known yet. */
bool pf_serial_orders_needed(const struct pf_try_schedule *h, const struct pf_try_result *r);
/* Sets r->matters, or r->doubt and r->serial. `clip` is the recording of the candidate;
 * temporary files are created next to it. */
void pf_serial_orders_compare(const struct pf_trace *t, const struct pf_clip *recording,
                              const struct pf_try_schedule *h, const char *clip,
                              struct pf_try_result *r);

#endif
