/*
 * spin_loop.h - what a loop does, seen instruction by instruction: is it one that only waits (spin_detect.h)?
 *
 * Model:   a state is the registers before an instruction. A loop that goes through the same states
 *          again and again changes nothing, and nothing but another thread can end it. One that counts
 *          in a register or in memory is told apart from work only by what it says itself (`pause`), or by
 *          where it is.
 * Memory:  tables of its own, for one thread at a time.
 * Threads: the runner, in its handlers of signals.
 */
#ifndef PF_RT_SPIN_LOOP_H
#define PF_RT_SPIN_LOOP_H

#include "spin_detect.h"

struct pf_cpu_state {
    uint64_t rip, flags, r[PF_SPIN_REGISTERS];
};
void pf_cpu_state_take(struct pf_cpu_state *s, const ucontext_t *u);
/* Is it as deep in the stack as every round is there? Then: it is given what counts. */
bool pf_cpu_state_same_depth(const struct pf_cpu_state *s, const struct pf_spin_record *what);
void pf_cpu_state_restore(const struct pf_spin_record *what, ucontext_t *u);
/* One more state of a round, into its hash. A register that has what it had at the point, `base`, and has there in every
 * round, may only be kept for a caller: its value does not count. */
uint64_t pf_cpu_state_mix(uint64_t way, const struct pf_cpu_state *s, const struct pf_cpu_state *base,
                      const struct pf_spin_record *what);

#define PF_SPIN_LOOP_STEPS 4096
enum pf_spin_loop_kind { PF_SPIN_LOOP_NONE, PF_SPIN_LOOP_REPEATS, PF_SPIN_LOOP_COUNTS };
/* The states of one thread, one after the other. True: they are enough. */
void pf_spin_loop_begin(void);
bool pf_spin_loop_add(const struct pf_cpu_state *s);
/* What are they? The point and the registers are filled in, for a loop that waits. strict: one that counts does not. */
enum pf_spin_loop_kind pf_spin_loop_classify(struct pf_spin_record *out, bool strict);
/* The memory that the loop may count in is kept; words: where it has changed since, false: in too many
 * places. */
void pf_spin_loop_snapshot(const struct pf_cpu_state *now);
bool pf_spin_loop_changed_words(struct pf_spin_record *out);
/* The registers and words as they are. */
void pf_spin_loop_note(const struct pf_cpu_state *now, struct pf_spin_record *out);

#endif
