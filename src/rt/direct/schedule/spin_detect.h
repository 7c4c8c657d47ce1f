/*
 * spin_detect.h - threads that spin in code without events: they give way too, and a replay repeats it exactly.
 *
 * Model:   a tick of processor time sees a thread that has done nothing visible since the last one,
 *          in an object without instrumentation. The thread is then watched instruction by instruction
 *          (the processor's trap flag) for a while. It waits, if it goes round in a loop
 *            - that changes nothing: all registers come back, so only others can end it; or
 *            - that says so itself, by the instruction `pause`; or
 *            - inside the OpenMP library, which orders by itself and computes nothing.
 *          A point of that loop gets a breakpoint, and from here on who passes it gives way, as by
 *          sched_yield. That is deterministic. What is not is the first time: how often the loop went
 *          round before the tick. So the schedule gets the registers at that point and the words of memory
 *          that change from round to round. A replay sets its breakpoint when the segment begins; at
 *          the first pass it gives the thread these registers and words, sees it go round once as
 *          the recorded one did, and the thread gives way.
 *
 *          Registers that nobody changes in the loop are not looked at: they may be the runtime's.
 * Memory:  tables of its own.
 * Threads: the runner; all of it runs in handlers of its signals.
 * Errors:  a loop that is none of these is left alone: it may be work. A replay in which it goes round
 *          otherwise diverges.
 */
#ifndef PF_RT_SPIN_DETECT_H
#define PF_RT_SPIN_DETECT_H

#include "context.h"

#define PF_SPIN_REGISTERS 16 /* as in ucontext's gregs: all but rip */
#define PF_SPIN_WORDS 16
/* Where a thread gave way, in the schedule (docs/format/schedule.md). */
struct pf_spin_record {
    uint64_t at;   /* the point of the loop */
    uint64_t same; /* bits: registers that every round has there; none: every pass will do */
    uint64_t counts; /* bits: registers that change from round to round */
    uint64_t r[PF_SPIN_REGISTERS], flags;
    struct {
        uint64_t at, value;
    } word[PF_SPIN_WORDS]; /* that change from round to round; 0: no more */
    uint64_t steps, way;   /* the round that follows: instructions, a hash of the registers */
};

/* From the start, and in copies of the process, which inherit no timer. */
void pf_spin_detect_arm(void);
/* Loops in this library are waits: it does nothing else. One is enough so far (wrap_ompt.c). */
void pf_spin_detect_set_library(uint64_t start, uint64_t size);
/* A signal of the kernel's: is it the tick? */
bool pf_spin_detect_tick(const siginfo_t *info, ucontext_t *u);
/* SIGTRAP: is it one of ours? */
bool pf_spin_detect_trap(ucontext_t *u);
/* Replay: the segment that begins ends so. */
void pf_spin_detect_expect(const struct pf_spin_record *how);
/* This process is a child that goes on undirected: its code is as it was. */
void pf_spin_detect_child(void);
/* The code at u goes on as if it had called sched_yield in between (switch.S). */
void pf_spin_detect_yield(ucontext_t *u);

/* For debuggers alone: the number of breakpoints in the target's loops, and what is called before each. */
extern uint32_t pf_spin_detect_breakpoints;
void pf_spin_detect_planted(void);

#endif
