/*
 * signals.h - the signals of the target, kept here and not in the kernel.
 *
 * Model:   actions, masks, pending signals, alternate stacks and timers are state of the runtime; the
 *          kernel's own handlers only put what comes from outside into a ring. That is taken over
 *          between two segments of the schedule and logged with the number of that boundary; all else
 *          follows from it and happens again in a replay. A handler runs on the context's own stack,
 *          or its alternate one, when the context has its turn and is not inside the runtime.
 * Memory:  queued signals are blocks of the store, given back when they are delivered.
 * Threads: the runner; the ring is written by handlers of the kernel's signals on the same thread.
 */
#ifndef PF_RT_SIGNALS_H
#define PF_RT_SIGNALS_H

#include "world.h"

#define PF_SIGNAL_MAX 64
#define PF_RESTORER 0x04000000ull

/* As the kernel has it. */
struct pf_action {
    void *handler;
    uint64_t flags;
    void *restorer;
    uint64_t mask;
};
struct pf_queued {
    struct pf_queued *next;
    siginfo_t info;
};

static inline uint64_t pf_signal_bit(int number) { return 1ull << (number - 1); }

extern struct pf_action pf_actions[PF_SIGNAL_MAX + 1];
extern struct pf_queued *pf_process_queue; /* signals for whoever does not block them */

/* A signal for one context, or for the process (NULL). */
void pf_signal_send(const siginfo_t *info, struct pf_context *to);
/* Takes the first signal of `set` that is for the current context; false: there is none. */
bool pf_signal_take(uint64_t set, siginfo_t *info);
/* Those pending for w or the process. */
uint64_t pf_signals_pending(const struct pf_world_context *w);
/* The mask has changed: is anything due now? */
void pf_signal_mask(struct pf_world_context *w, uint64_t mask);

/* --- the kernel's side (signal_kernel.c) --- */

/* Recording: the kernel's action for a signal of the target's. */
void pf_kernel_action(int number);
/* Ends the process by this signal, as the kernel would. */
_Noreturn void pf_kernel_die(int number);
void pf_kernel_signals_init(uint64_t ignored);
/* One more kernel thread (materialise.h): a stack of its own for the handler of faults. */
void pf_kernel_thread_init(void);
/* A signal that everybody blocks and some signalfd is for: the kernel keeps it. unpark: it is let in
 * again, and comes as if from outside. */
void pf_kernel_park(const siginfo_t *info);
void pf_kernel_unpark(uint64_t set);
extern uint64_t pf_kernel_mask; /* what the kernel blocks */
extern uint64_t pf_signalfd_mask; /* what signalfds are for */
/* Does a signal of the ring wait that ends the target? Async-signal-safe. */
bool pf_kernel_awaits_end(void);
/* Has the target no handler that a signal could call? */
bool pf_signal_hopeless(void);
/* Takes one of the ring; false: it is empty. */
bool pf_kernel_arrival(siginfo_t *info);

/* --- running a handler (signal_deliver.c) --- */

/* Calls the handler for this signal under its mask, on its stack; true: calls go on after it. */
bool pf_handler_run(const struct pf_action *act, siginfo_t *info, void *ucontext);
/* The stack pointer to begin with: that of the alternate stack, or 0 for the current one. */
uint64_t pf_handler_stack(const struct pf_action *act, uint64_t sp);

/* --- timers that send signals, in virtual time (timer.c) --- */

void pf_timers_fire(void);

#endif
