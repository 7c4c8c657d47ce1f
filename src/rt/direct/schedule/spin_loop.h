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
#ifndef PF_RT_LOOP_H
#define PF_RT_LOOP_H

#include "spin_detect.h"

struct pf_state {
    uint64_t rip, flags, r[PF_SPUN_REGISTERS];
};
void pf_state_take(struct pf_state *s, const ucontext_t *u);
/* Is it as deep in the stack as every round is there? Then: it is given what counts. */
bool pf_state_is_round(const struct pf_state *s, const struct pf_spun *what);
void pf_state_set(const struct pf_spun *what, ucontext_t *u);
/* One more state of a round, into its hash. A register that has what it had at the point, `base`, and has there in every
 * round, may only be kept for a caller: its value does not count. */
uint64_t pf_state_mix(uint64_t way, const struct pf_state *s, const struct pf_state *base,
                      const struct pf_spun *what);

#define PF_LOOP_STEPS 4096
enum pf_loop { PF_LOOP_NONE, PF_LOOP_REPEATS, PF_LOOP_COUNTS };
/* The states of one thread, one after the other. True: they are enough. */
void pf_loop_begin(void);
bool pf_loop_see(const struct pf_state *s);
/* What are they? The point and the registers are filled in, for a loop that waits. strict: one that counts does not. */
enum pf_loop pf_loop_judge(struct pf_spun *out, bool strict);
/* The memory that the loop may count in is kept; words: where it has changed since, false: in too many
 * places. */
void pf_loop_keep(const struct pf_state *now);
bool pf_loop_words(struct pf_spun *out);
/* The registers and words as they are. */
void pf_loop_note(const struct pf_state *now, struct pf_spun *out);

#endif
