/*
 * wrap_signal.h - what the files about signals share: the default action of fatal signals, which
 * reports the crash (wrap_crash.c), and the target's own actions (wrap_signal.c).
 */
#ifndef PF_RT_WRAP_SIGNAL_H
#define PF_RT_WRAP_SIGNAL_H

#include "wrap.h"
#include <signal.h>

PF_REAL_EXTERN(sigaction);

/* _init is called at start; _thread_begin and _thread_end, called in each thread, install and
 * remove its alternate stack. */
void pf_crash_init(void);
void pf_crash_thread_begin(void);
void pf_crash_thread_end(void);
/* In the child of fork: a thread that was reporting its crash does not exist there. */
void pf_crash_after_fork(void);
/* The target wants the default action: replaces *act by the one that reports the crash, if that is
 * wanted for this signal. */
void pf_crash_default_action(int number, struct sigaction *act);
/* True if the kernel's action is the one that reports the crash; the target sees it as SIG_DFL. */
bool pf_crash_is_default(const struct sigaction *act);

/* t calls a function that is not allowed in a signal handler; the frame of the function is on top
 * of the stack. Reports it if t is in a handler. */
void pf_signal_unsafe_call(struct pf_thread *t);
static inline void pf_signal_check_call(struct pf_thread *t)
{
    if (__builtin_expect(t->interpose.handler != NULL, 0))
        pf_signal_unsafe_call(t);
}
/* t leaves its signal handlers by a jump. */
static inline void pf_signal_jumped(struct pf_thread *t) { t->interpose.handler = NULL; }

#endif
