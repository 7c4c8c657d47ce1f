/*
 * wrap.h - how to write an interposed function.
 *
 * Model:   PF_INTERPOSE defines a weak, exported function `name` (a definition of the program's own
 *          takes precedence), the struct pf_func of `name` for stacks, and the pointer to the real
 *          function. A body looks like this:
 *
 *              PF_INTERPOSE(int, sem_wait, (sem_t *s))
 *              {
 *                  PF_CALL(c, sem_wait);                // pushes the frame, nests the runtime
 *                  if (!c.t)                            // unregistered, or inside the runtime
 *                      return PF_REAL(sem_wait)(s);
 *                  int r = PF_BLOCKING(c, PF_REAL(sem_wait)(s));
 *                  if (r == 0)
 *                      pf_hb_acquire(c.t, s);
 *                  return r;                            // leaves: pops, un-nests, restores errno
 *              }
 *
 *          Every exit leaves the scope, also unwinding by exceptions and cancellation (the folder
 *          is compiled with -fexceptions). Only longjmp does not: it is possible only from inside
 *          PF_BLOCKING, and there the runtime is not nested.
 * Memory:  none.
 * Threads: any.
 * Errors:  the pointer `real_name` of a function that does not exist is NULL; test it before
 *          calling.
 */
#ifndef PF_RT_WRAP_H
#define PF_RT_WRAP_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "direct.h"
#include "pc_frame.h"
#include "stack.h"
#include "thread.h"
#include <errno.h>

/* An entry of the table of real functions, in the linker section `pf_real`. */
struct pf_real {
    const char *name;
    const char *version; /* of the symbol; NULL: the default version */
    void **slot;
};

/* Called by the runtime's init, nested, once: finds every real function. */
void pf_wrap_init(void);
/* The part of it for fork and exit (wrap_process.c). */
void pf_process_init(void);
/* Stores the environment that the process was started with (wrap_exec.c). */
void pf_exec_init(char **env);
/* pthread_atfork, for handlers that stay registered until the process has ended. */
void pf_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void));
/* Around fork: the locks of wrap_limit.c and wrap_external.c. */
void pf_rlimit_lock(void);
void pf_rlimit_unlock(void);
void pf_external_lock(void);
void pf_external_unlock(void);
/* Call these handlers of the runtime, for a fork that libc does not know. */
void pf_fork_begins(void);
void pf_fork_ends(bool child);
/* Finds one real function, for calls before pf_wrap_init. NULL: there is none. */
void *pf_real_find(const struct pf_real *r);

#define PF_HIDDEN __attribute__((visibility("hidden")))

/* Defines only the pointer to the real function, for functions that the runtime itself calls. The
 * function must be declared. PF_REAL_EXTERN declares it in other files. */
#define PF_REAL_DEFINE(fn, ver)                                                                    \
    PF_REAL_EXTERN(fn);                                                                            \
    __typeof__(fn) *real_##fn;                                                                     \
    const struct pf_real pf_real_##fn __attribute__((used, retain, section("pf_real"))) = {        \
        #fn, ver, (void **)(void *)&real_##fn}
#define PF_REAL_EXTERN(fn)                                                                         \
    extern PF_HIDDEN __typeof__(fn) *real_##fn;                                                    \
    extern PF_HIDDEN const struct pf_real pf_real_##fn

/* The real function, as an expression. */
#define PF_REAL(fn)                                                                                \
    (__builtin_expect(real_##fn != NULL, 1) ? real_##fn                                            \
                                            : (__typeof__(real_##fn))pf_real_find(&pf_real_##fn))

/* ThreadSanitizer's second name of an interposed function. A program that defines `fn` itself can
 * call it: the alias is our definition even if the program's definition of `fn` takes
 * precedence. */
#define PF_INTERCEPTOR_NAME(fn)                                                                    \
    __asm__(".weak __interceptor_" #fn "\n.type __interceptor_" #fn                                \
            ", @function\n.set __interceptor_" #fn ", " #fn "\n")

#define PF_INTERPOSE(result, fn, parameters) PF_INTERPOSE_VERSION(result, fn, NULL, parameters)
#define PF_INTERPOSE_VERSION(result, fn, ver, parameters)                                          \
    PF_NATIVE(fn);                                                                                 \
    PF_REAL_DEFINE(fn, ver);                                                                       \
    PF_INTERCEPTOR_NAME(fn);                                                                       \
    PF_EXPORT __attribute__((weak)) result fn parameters
/*
 * The same for functions that are called often and have nothing to do if nothing is watched: with
 * PF_OPTIONS=plain=1 they jump to the real function at once. Written in assembly language, because
 * a C function cannot forward its arguments without naming them.
 */
#define PF_INTERPOSE_HOT(result, fn, parameters)                                                   \
    PF_NATIVE(fn);                                                                                 \
    PF_REAL_DEFINE(fn, NULL);                                                                      \
    PF_FORWARD_TO_REAL(fn);                                                                        \
    result PF_HIDDEN pf_impl_##fn parameters;                                                      \
    result pf_impl_##fn parameters
#define PF_FORWARD_TO_REAL(fn) PF_FORWARD_TO(fn, "jmp *real_" #fn "(%rip)\n")
/* pf_entry_fn: another symbol for the same address. */
#define PF_FORWARD_TO(fn, jump)                                                                    \
    __asm__(".pushsection pf_text, \"ax\", @progbits\n.weak " #fn "\n.type " #fn                   \
            ", @function\n.p2align 4\n"                                                            \
            ".globl pf_entry_" #fn "\n.hidden pf_entry_" #fn "\n"                                  \
            "pf_entry_" #fn ":\n" #fn ":\n"                                                        \
            ".cfi_startproc\n"                                                                     \
            "cmpb $0, pf_forward_all(%rip)\n"                                                      \
            "je pf_impl_" #fn "\n" jump ".cfi_endproc\n.size " #fn ", .-" #fn "\n.popsection\n");  \
    PF_INTERCEPTOR_NAME(fn)
/* True in plain mode, once the real functions are known (wrap_real.c). */
extern PF_HIDDEN bool pf_forward_all;

/* True if calls of `fn` reach the interposed function; false if the program defines its own. (The
 * asm keeps the compiler from assuming that two names are two addresses.) */
#define PF_IS_INTERPOSED(fn)                                                                       \
    __extension__({                                                                                \
        __typeof__(&fn) pf_used_ = fn;                                                             \
        __asm__("" : "+r"(pf_used_));                                                              \
        pf_used_ == pf_entry_##fn || pf_is_stub((uintptr_t)pf_used_);                              \
    })
/* True if `fn` is a stub in the executable. If a non-PIE executable takes the address of a library
 * function, the linker creates a stub that jumps to the function, and the stub's address is the
 * address of the function in all objects. */
PF_HIDDEN bool pf_is_stub(uintptr_t fn);

/* Defines a function that has no real function behind it. */
#define PF_PROVIDE(result, fn, parameters)                                                         \
    PF_NATIVE(fn);                                                                                 \
    PF_EXPORT __attribute__((weak)) result fn parameters

/* The process is about to end: waits for other threads that still run (exit_wait.c). Un-nested; the
 * second call of a process does nothing. */
void pf_wait_at_exit(void);

/* The watched thread with this pthread_t, as long as it is not joined; NULL if unknown. */
struct pf_thread *pf_thread_find(unsigned long pthread_id);

/* Runs the handlers of signals that arrived while the thread was nested (wrap_signal.c). */
PF_HIDDEN void pf_signal_poll(struct pf_thread *t);
/* The same for signals that arrived while the thread was ending. */
void pf_signal_unblock_deferred(void);
/* Called when the program is about to begin or end a region in which accesses or order are
 * ignored. If t has left a signal handler by longjmp, restores the regions of the interrupted
 * code. */
void pf_signal_find_jump(struct pf_thread *t);
/* Called when the program ends a region that is not open: restores the regions that the innermost
 * handler interrupted. Returns false if there are none. */
bool pf_signal_force_jump(struct pf_thread *t);
static inline void pf_signal_poll_if_pending(struct pf_thread *t)
{
    if (__builtin_expect(t->signals != NULL, 0))
        pf_signal_poll(t);
}

/* One call of an interposed function, from entry to exit. */
struct pf_call {
    struct pf_thread *t; /* NULL: only call the real function */
    int err; /* errno as the caller will see it */
    struct pf_frame *frame;
};

/* Registers a thread that was not created through an interposed function (thread_record.c). NULL:
 * the thread stays unregistered. */
struct pf_thread *pf_thread_record_adopt(void);

/* A library that orders accesses to its own memory by means that the runtime does not see.
 * Accesses that it makes through interposed functions are not checked. One entry is enough so far
 * (wrap_ompt.c). */
struct pf_self_ordered_library {
    uintptr_t base, size;
};
extern PF_HIDDEN struct pf_self_ordered_library pf_self_ordered_library;
static inline bool pf_is_self_ordered(const void *caller)
{
    return __builtin_expect(
        (uintptr_t)caller - pf_self_ordered_library.base < pf_self_ordered_library.size, 0);
}

/* Directed mode: the call is an event, and other threads may run before it. */
static inline void pf_call_visible(const struct pf_func *native)
{
    pf_sched_hash((uint64_t)native - (uint64_t)&pf_direct);
    pf_sched_preemption_point();
    if (__builtin_expect(pf_direct.exploring, 0))
        pf_resident_note_call(native);
}

static inline struct pf_call pf_call_enter(struct pf_func *native, const void *caller)
{
    struct pf_thread *t = pf_self();
    if (__builtin_expect(!t && !__pf_tls.nested, 0))
        t = pf_thread_record_adopt();
    if (pf_directed() && t)
        pf_call_visible(native);
    struct pf_call c = {t, 0, __pf_tls.frame};
    if (t) {
        pf_stack_push_from(native, caller);
        if (pf_is_self_ordered(caller))
            __pf_tls.frame[-1].call |= PF_CALL_UNWATCHED;
        __pf_tls.frame[-1].call |=
            PF_NATIVE_CALL + 1; /* for functions of the target that it calls */
        pf_nest();
        c.err = errno;
    }
    return c;
}
static inline void pf_call_leave(struct pf_call *c)
{
    if (!c->t)
        return;
    __pf_tls.frame = c->frame; /* frames above may have been unwound without a pop */
    pf_unnest();
    pf_signal_poll_if_pending(c->t);
    errno = c->err;
}
#define PF_CALL(var, fn) PF_CALL_FROM(var, fn, __builtin_return_address(0))
#define PF_CALL_FROM(var, fn, caller)                                                              \
    struct pf_call var __attribute__((cleanup(pf_call_leave))) =                                   \
        pf_call_enter(&pf_native_##fn, caller)

/* Call this after a real function that sets errno, before anything else. */
static inline void pf_call_keep_errno(struct pf_call *c) { c->err = errno; }

/* The site id of this call: PF_NATIVE_READ, _WRITE, _CALL or _FREE. */
static inline uint32_t pf_call_id(const struct pf_call *c, enum pf_native_site site)
{
    return pf_stack_id(c->t, site);
}

/* wrap_cxx.c: drops a reference that libstdc++ counts. Returns true if the count was `one`, so that
 * this was the last reference; then all earlier drops happened before. */
bool pf_count_drop(struct pf_call *c, int *count, int one);

/* wrap_thread.c: t was cancelled and may be acting on it. */
void pf_cancel_seen(struct pf_thread *t);

/* Around code outside the runtime: a function of the target, or a real call that may block. The
 * thread is not nested there, so signal handlers can run. */
static inline struct pf_thread *pf_blocking_begin(struct pf_thread *t)
{
    pf_unnest();
    pf_signal_poll_if_pending(t);
    return t;
}
static inline void pf_blocking_end(struct pf_thread **t)
{
    if (__builtin_expect((*t)->interpose.cancelled && !(*t)->interpose.cancel_seen, 0))
        pf_cancel_seen(*t);
    pf_nest();
}
/* Evaluates to `expr`, and keeps errno for the caller. */
#define PF_BLOCKING(c, expr)                                                                       \
    __extension__({                                                                                \
        struct pf_thread *pf_b_ __attribute__((cleanup(pf_blocking_end))) =                        \
            pf_blocking_begin((c).t);                                                              \
        __typeof__(expr) pf_r_ = (expr);                                                           \
        pf_call_keep_errno(&(c));                                                                  \
        pf_r_;                                                                                     \
    })
#define PF_CALLBACK_VOID(c, expr) ((void)PF_BLOCKING(c, ((expr), 0)))

/* Defines an interposed function that may block. `before` and `after` are statements around the
 * real call; they see the call `c`, whose thread is not NULL, and `after` sees the result `r`. */
#define PF_INTERPOSE_BLOCKING(result, fn, parameters, call, before, after)                         \
    PF_INTERPOSE(result, fn, parameters)                                                           \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (!c.t)                                                                                  \
            return call;                                                                           \
        before;                                                                                    \
        result r = PF_BLOCKING(c, call);                                                           \
        after;                                                                                     \
        return r;                                                                                  \
    }

#endif
