/*
 * spin_lock.h - locks that a program makes of an atomic variable, found in the trace.
 *
 * Model:   fills in spin, nspins and, for their sections, match of the index. The engine then treats
 *          them as it does other locks; without that it would have to try all orders of the
 *          sections to see that two of them exclude each other.
 * Memory:  O(n) while it looks; what stays belongs to the index.
 */
#ifndef PF_ENGINE_SPIN_LOCK_H
#define PF_ENGINE_SPIN_LOCK_H

#include "trace_index.h"

void pf_spin_locks(struct pf_index *x);

#endif
