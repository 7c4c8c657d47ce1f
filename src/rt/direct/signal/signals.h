/*
 * signals.h - the signals of the target, managed by the runtime instead of the kernel.
 *
 * Model:   actions, masks, pending signals, alternate stacks and timers are state of the runtime.
 *          The handlers installed in the kernel only put signals from outside into a ring. The
 *          scheduler takes them from there between two segments, and logs them with the number of
 *          that segment boundary. Everything else follows from that and is repeated by a replay. A
 *          handler of the target runs on the context's own stack, or its alternate one, when it is
 *          the context's turn and it is not inside the runtime.
 * Memory:  queued signals are blocks of the store, freed when they are delivered.
 * Threads: the runner; its signal handlers write the ring.
 */
#ifndef PF_RT_SIGNALS_H
#define PF_RT_SIGNALS_H

#include "syscalls.h"

#define PF_SIGNAL_MAX 64
#define PF_RESTORER 0x04000000ull

/* The kernel's layout of struct sigaction. */
struct pf_signal_action {
    void *handler;
    uint64_t flags;
    void *restorer;
    uint64_t mask;
};
struct pf_queued_signal {
    struct pf_queued_signal *next;
    siginfo_t info;
};

static inline uint64_t pf_signal_bit(int number) { return 1ull << (number - 1); }

extern struct pf_signal_action pf_signal_actions[PF_SIGNAL_MAX + 1];
/* signals for any thread that does not block them */
extern struct pf_queued_signal *pf_process_queue;

/* Sends a signal to one context, or to the process (NULL). */
void pf_signal_send(const siginfo_t *info, struct pf_context *to);
/* Takes the next pending signal of `set` for the current context; false if there is none. */
bool pf_signal_take(uint64_t set, siginfo_t *info);
/* The set of signals pending for w or for the process. */
uint64_t pf_signals_pending(const struct pf_syscall_state *w);
/* Sets the mask of w, and marks signals that become deliverable as due. */
void pf_signal_mask(struct pf_syscall_state *w, uint64_t mask);

/* --- the kernel's side (signal_kernel.c) --- */

/* Recording: installs the kernel's action for a signal, according to the target's action. */
void pf_kernel_set_action(int number);
/* Ends the process by this signal, as the kernel would. */
_Noreturn void pf_kernel_die(int number);
_Noreturn void pf_kernel_die_now(int number); /* without any report */
/* Installs all handlers. `ignored`: the set of signals that were ignored at the start. */
void pf_kernel_signals_init(uint64_t ignored);
/* For each kernel thread (materialise.h): gives it a stack for the fault handler. */
void pf_kernel_thread_init(void);
/* park: for a signal that all threads block and some signalfd accepts: blocks it in the kernel,
 * and sends it again, so that it is pending there. unpark: unblocks the set; parked signals then
 * arrive as if from outside. */
void pf_kernel_park(const siginfo_t *info);
void pf_kernel_unpark(uint64_t set);
extern uint64_t pf_kernel_mask; /* signals blocked in the kernel */
extern uint64_t pf_signalfd_mask; /* signals accepted by some signalfd */
/* True if the ring contains a signal that ends the target. Async-signal-safe. */
bool pf_kernel_has_fatal_signal(void);
/* True if the target has no handler that a signal could run. */
bool pf_signal_none_handled(void);
/* Takes the next signal from the ring; false if it is empty. */
bool pf_kernel_take_arrival(siginfo_t *info);
/* In a forked child: signals that arrived before were sent to the parent. */
void pf_kernel_drop_arrivals(void);

/* --- running a handler (handler_call.c) --- */

/* Calls the handler under its mask and on its stack. Returns true if an interrupted system call
 * must be restarted (SA_RESTART). */
bool pf_handler_run(const struct pf_signal_action *act, siginfo_t *info, void *ucontext);
/* The initial stack pointer for the handler: the top of the alternate stack, or 0 to stay on the
 * current one. */
uint64_t pf_handler_stack(const struct pf_signal_action *act, uint64_t sp);

/* --- timers that send signals, in virtual time (timer.c) --- */

/* Sends the signals of all timers that have expired. */
void pf_timers_fire(void);
/* In a forked child, which inherits no timers. */
void pf_timers_forked(void);

#endif
