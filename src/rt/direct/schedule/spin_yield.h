/*
 * spin_yield.h - makes threads that spin in code without events yield; a replay repeats these
 * yields exactly.
 *
 * Model:   a timer ticks in processor time. A thread that has performed no visible operation for 2
 *          ticks is examined if it is in code without instrumentation; after 8 ticks also in
 *          instrumented code. It is then single-stepped (the processor's trap flag) for a while. It
 *          is taken to wait if it is in a loop
 *            - that changes nothing: all registers repeat, so only another thread can end it; or
 *            - that contains the instruction `pause`; or
 *            - inside the OpenMP library, which only synchronises and computes nothing.
 *          An instruction of that loop gets a breakpoint (int3). From then on every thread that
 *          reaches it yields, as by sched_yield. That is deterministic. The first time is not: the
 *          number of iterations before the tick depends on the machine. So the schedule contains
 *          the registers at the breakpoint and the words of memory that change from iteration to
 *          iteration. A replay sets its breakpoint when the segment begins; when the thread reaches
 *          it, the replay sets these registers and words, checks that one more iteration is as
 *          recorded, and the thread yields.
 *
 *          Registers that the loop does not change are ignored: they may belong to the runtime.
 * Memory:  static tables.
 * Threads: the runner; everything runs in its signal handlers.
 * Errors:  a loop of another kind is left alone: it may compute. If an iteration differs in a
 *          replay, the run has diverged.
 */
#ifndef PF_RT_SPIN_YIELD_H
#define PF_RT_SPIN_YIELD_H

#include "context.h"

#define PF_SPIN_REGISTERS 16 /* in the order of ucontext's gregs, without rip */
#define PF_SPIN_WORDS 16
/* How a thread yielded in a spin loop, as stored in the schedule (docs/format/schedule.md). */
struct pf_spin_record {
    uint64_t at;   /* address of the breakpoint in the loop */
    /* bits: registers that are the same there in every iteration; 0: yield at once */
    uint64_t constant;
    uint64_t varying; /* bits: registers that change from iteration to iteration */
    uint64_t r[PF_SPIN_REGISTERS], flags;
    struct {
        uint64_t at, value;
    } word[PF_SPIN_WORDS]; /* words that change from iteration to iteration; at = 0: no more */
    uint64_t steps, hash; /* the next iteration: number of instructions, hash of the registers */
};

/* Starts the tick. Call again in a copy of the process: it inherits no timer. */
void pf_spin_yield_arm(void);
/* Handles a signal. Returns false if it is not the tick. */
bool pf_spin_yield_tick(const siginfo_t *info, ucontext_t *u);
/* Handles SIGTRAP. Returns false if it is not from one of our breakpoints or steps. */
bool pf_spin_yield_trap(ucontext_t *u);
/* Replay: the segment that begins now ends by this yield. */
void pf_spin_yield_expect(const struct pf_spin_record *how);
/* This process is a child that continues undirected: removes the breakpoints. */
void pf_spin_yield_child(void);
/* Makes the code at `u` continue as if it called sched_yield first (switch.S). */
void pf_spin_yield_at(ucontext_t *u);

/* For debuggers only: the number of breakpoints in the target's loops, and a function that is
 * called before each new one. */
extern uint32_t pf_spin_yield_breakpoints;
void pf_spin_yield_breakpoint_set(void);

#endif
