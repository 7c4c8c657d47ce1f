/*
 * spin_loop.h - classifies a loop, seen instruction by instruction: does it only wait
 * (spin_yield.h)?
 *
 * Model:   a state is the registers before an instruction. A loop that repeats the same states
 *          changes nothing, so only another thread can end it. A loop that counts in a register or
 *          in memory can be distinguished from work only by the instruction `pause`, or by the
 *          library it is in.
 * Memory:  static tables, for one thread at a time.
 * Threads: the runner, in its signal handlers.
 */
#ifndef PF_RT_SPIN_LOOP_H
#define PF_RT_SPIN_LOOP_H

#include "spin_yield.h"

struct pf_cpu_state {
    uint64_t rip, flags, r[PF_SPIN_REGISTERS];
};
/* Takes the state from a signal frame. */
void pf_cpu_state_take(struct pf_cpu_state *s, const ucontext_t *u);
/* same_depth: true if the stack pointer is as recorded. restore: sets the varying registers, the
 * flags and the words of memory as recorded. */
bool pf_cpu_state_same_depth(const struct pf_cpu_state *s, const struct pf_spin_record *what);
void pf_cpu_state_restore(const struct pf_spin_record *what, ucontext_t *u);
/* Mixes one more state of an iteration into its hash. If a constant register still has its value
 * from the breakpoint (`base`), the loop may merely preserve it for a caller, so its value is not
 * mixed in. */
uint64_t pf_cpu_state_mix(uint64_t hash, const struct pf_cpu_state *s,
                          const struct pf_cpu_state *base, const struct pf_spin_record *what);

#define PF_SPIN_LOOP_STEPS 4096 /* instructions that are examined */
enum pf_spin_loop_kind { PF_SPIN_LOOP_NONE, PF_SPIN_LOOP_REPEATS, PF_SPIN_LOOP_COUNTS };
/* Loops inside this library are waits. There is only one such library so far (wrap_ompt.c). */
void pf_spin_loop_set_library(uint64_t start, uint64_t size);
/* begin: starts a new sequence of states. add: appends a state; returns true when there are
 * enough. */
void pf_spin_loop_begin(void);
bool pf_spin_loop_add(const struct pf_cpu_state *s);
/* Classifies the loop and, for a spin loop, fills in the breakpoint address and the registers.
 * strict: a loop that counts is not a spin loop. */
enum pf_spin_loop_kind pf_spin_loop_classify(struct pf_spin_record *out, bool strict);
/* snapshot: copies the memory that the loop may count in. changed_words: adds the words that have
 * changed since; false if there are too many. */
void pf_spin_loop_snapshot(const struct pf_cpu_state *now);
bool pf_spin_loop_changed_words(struct pf_spin_record *out);
/* Stores the current values of registers and words in the record. */
void pf_spin_loop_note(const struct pf_cpu_state *now, struct pf_spin_record *out);

#endif
