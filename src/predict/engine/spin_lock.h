/*
 * spin_lock.h - recognises locks that a program implements with an atomic variable.
 *
 * Model:   sets `spin`, `nspins` and, for the critical sections of these locks, `match` of the
 *          index. The engine then treats them like other locks. Otherwise the solver would have to
 *          try all orders of their critical sections to find out that two of them exclude each
 *          other.
 * Memory:  O(n) temporarily; the result belongs to the index.
 */
#ifndef PF_ENGINE_SPIN_LOCK_H
#define PF_ENGINE_SPIN_LOCK_H

#include "trace_index.h"

void pf_spin_lock_find(struct pf_trace_index *x);

#endif
