/*
 * wrap.h - how an interposed function is written.
 *
 * Model:   PF_INTERPOSE defines a weak, exported function `name` (a definition of the program's own
 *          wins), the native record of `name` for stacks, and the pointer to the real function.
 *          A body looks like this:
 *
 *              PF_INTERPOSE(int, sem_wait, (sem_t *s))
 *              {
 *                  PF_CALL(c, sem_wait);                    // pushes the frame, nests the runtime
 *                  if (!c.t)                                // unknown thread, or inside the runtime
 *                      return PF_REAL(sem_wait)(s);
 *                  int r = PF_BLOCKING(c, PF_REAL(sem_wait)(s));
 *                  if (r == 0)
 *                      pf_hb_acquire(c.t, s);
 *                  return r;                                // leaves: pops, un-nests, errno restored
 *              }
 *
 *          Every way out leaves the scope, unwinding by exceptions and cancellation too (the
 *          folder is compiled with -fexceptions). longjmp is the exception: it is only possible
 *          from inside PF_BLOCKING and PF_CALLBACK, and there the runtime is not nested.
 * Memory:  none.
 * Threads: any.
 * Errors:  a real function that does not exist is NULL in `real_name`; ask before calling it.
 */
#ifndef PF_RT_WRAP_H
#define PF_RT_WRAP_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "direct.h"
#include "stack.h"
#include "thread.h"
#include <errno.h>

/* The table of real functions, in the linker section `pf_real`. */
struct pf_real {
    const char *name;
    const char *version; /* of the symbol; NULL: the default one */
    void **slot;
};

/* From the runtime's init, nested: finds every real function. Twice is fine. */
void pf_wrap_init(void);
/* Its part for fork and exit (wrap_process.c). */
void pf_process_init(void);
/* Finds one: for calls that come before pf_wrap_init. */
void *pf_real_find(const struct pf_real *r);

#define PF_HIDDEN __attribute__((visibility("hidden")))

/* The pointer to the real function, and nothing else: for functions the runtime calls itself.
 * The function must be declared. PF_REAL_EXTERN: in a second file that wants the same one. */
#define PF_REAL_DEFINE(fn, ver)                                                                    \
    PF_REAL_EXTERN(fn);                                                                            \
    __typeof__(fn) *real_##fn;                                                                     \
    const struct pf_real pf_real_##fn __attribute__((used, retain, section("pf_real"))) = {        \
        #fn, ver, (void **)(void *)&real_##fn}
#define PF_REAL_EXTERN(fn)                                                                         \
    extern PF_HIDDEN __typeof__(fn) *real_##fn;                                                    \
    extern PF_HIDDEN const struct pf_real pf_real_##fn

/* The real function as an expression. */
#define PF_REAL(fn)                                                                                \
    (__builtin_expect(real_##fn != NULL, 1) ? real_##fn                                            \
                                            : (__typeof__(real_##fn))pf_real_find(&pf_real_##fn))

#define PF_INTERPOSE(result, fn, parameters) PF_INTERPOSE_VERSION(result, fn, NULL, parameters)
#define PF_INTERPOSE_VERSION(result, fn, ver, parameters)                                          \
    PF_NATIVE(fn);                                                                                 \
    PF_REAL_DEFINE(fn, ver);                                                                       \
    PF_EXPORT __attribute__((weak)) result fn parameters
/*
 * The same for functions that are called often and have nothing to do where nothing is watched: with
 * PF_OPTIONS=plain=1 the real one is jumped to at once. Written in assembler because a function in C
 * cannot hand its arguments on without naming them.
 */
#define PF_INTERPOSE_OFTEN(result, fn, parameters)                                                 \
    PF_NATIVE(fn);                                                                                 \
    PF_REAL_DEFINE(fn, NULL);                                                                      \
    PF_PASS_ON(fn);                                                                                \
    result PF_HIDDEN pf_own_##fn parameters;                                                       \
    result pf_own_##fn parameters
#define PF_PASS_ON(fn) PF_PASS_TO(fn, "jmp *real_" #fn "(%rip)\n")
/* pf_first_fn: the same place by another name. */
#define PF_PASS_TO(fn, jump)                                                                       \
    __asm__(".pushsection pf_text, \"ax\", @progbits\n.weak " #fn "\n.type " #fn                   \
            ", @function\n.p2align 4\n"                                                            \
            ".globl pf_first_" #fn "\n.hidden pf_first_" #fn "\n"                                  \
            "pf_first_" #fn ":\n" #fn ":\n"                                                        \
            ".cfi_startproc\n"                                                                     \
            "cmpb $0, pf_pass(%rip)\n"                                                             \
            "je pf_own_" #fn "\n" jump ".cfi_endproc\n.size " #fn ", .-" #fn "\n.popsection\n")
extern PF_HIDDEN bool pf_pass; /* plain mode, and the real functions are known (wrap_real.c) */

/* Is the function that everybody calls ours? Else the program brings its own. (To the compiler two names are two
 * places.) */
#define PF_IS_OURS(fn)                                                                             \
    __extension__({                                                                                \
        __typeof__(&fn) pf_used_ = fn;                                                             \
        __asm__("" : "+r"(pf_used_));                                                              \
        pf_used_ == pf_first_##fn || pf_is_stub((uintptr_t)pf_used_);                              \
    })
/* An executable at a fixed address that takes a function's address makes its own stub, which jumps to the function,
 * that address for everybody. Is this such a stub? */
PF_HIDDEN bool pf_is_stub(uintptr_t fn);

/* A function that exists here only, with no real one behind it. */
#define PF_PROVIDE(result, fn, parameters)                                                         \
    PF_NATIVE(fn);                                                                                 \
    PF_EXPORT __attribute__((weak)) result fn parameters

/* The watched thread of that name, while it is not joined; NULL if unknown. */
struct pf_thread *pf_thread_find(unsigned long pthread_id);

/* Signals that came while the thread was nested run their handlers here (wrap_signal.c). */
void pf_signal_poll(struct pf_thread *t) __attribute__((weak)) PF_HIDDEN;
/* Those that came while the thread was taking its leave of the runtime. */
void pf_signal_thread_ends(void);
static inline void pf_signals(struct pf_thread *t)
{
    if (__builtin_expect(t->signals != NULL, 0))
        pf_signal_poll(t);
}

/* One call of an interposed function, from entry to exit. */
struct pf_call {
    struct pf_thread *t; /* NULL: do the real work only */
    int err; /* errno as the caller will see it */
    struct pf_frame *frame;
};

/* For a thread that nobody has announced, see wrap_start.c; NULL if there is nothing to be done. */
struct pf_thread *pf_start_adopt(void);

/* A library that orders its own memory in ways that are not seen: what it does through interposed functions
 * is no access of the program. One is enough so far (wrap_ompt.c). */
struct pf_own_order {
    uintptr_t base, size;
};
extern PF_HIDDEN struct pf_own_order pf_own_order;
static inline bool pf_orders_itself(const void *caller)
{
    return __builtin_expect((uintptr_t)caller - pf_own_order.base < pf_own_order.size, 0);
}

static inline struct pf_call pf_call_enter(struct pf_func *native, const void *caller)
{
    struct pf_thread *t = pf_self();
    if (__builtin_expect(!t && !__pf_tls.nested, 0))
        t = pf_start_adopt();
    if (pf_directed() && t) {
        pf_sched_hash((uint64_t)native - (uint64_t)&pf_direct);
        pf_sched_point();
    }
    struct pf_call c = {t, 0, __pf_tls.frame};
    if (t) {
        pf_stack_push(native);
        if (pf_orders_itself(caller))
            c.frame->call |= PF_CALL_UNWATCHED;
        c.frame->call |= PF_NATIVE_CALL + 1; /* for functions of the target that it calls */
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
    pf_signals(c->t);
    errno = c->err;
}
#define PF_CALL(var, fn) PF_CALL_FROM(var, fn, __builtin_return_address(0))
#define PF_CALL_FROM(var, fn, caller)                                                              \
    struct pf_call var __attribute__((cleanup(pf_call_leave))) =                                   \
        pf_call_enter(&pf_native_##fn, caller)

/* After a real function that sets errno and before any event. */
static inline void pf_call_keep_errno(struct pf_call *c) { c->err = errno; }

/* The id of this call as an event: PF_NATIVE_READ, _WRITE, _CALL or _FREE. */
static inline uint32_t pf_here(const struct pf_call *c, enum pf_native_site site)
{
    return pf_stack_id(c->t, site);
}

/* wrap_thread.c: t, which was cancelled, may be acting on it. */
void pf_cancel_seen(struct pf_thread *t);

/* Around code that is not the runtime's: a function of the target, a real call that may wait. The
 * thread is not nested there, so handlers of signals can run. */
static inline struct pf_thread *pf_blocking_begin(struct pf_thread *t)
{
    pf_unnest();
    pf_signals(t);
    return t;
}
static inline void pf_blocking_end(struct pf_thread **t)
{
    if (__builtin_expect((*t)->cancelled && !(*t)->cancel_seen, 0))
        pf_cancel_seen(*t);
    pf_nest();
}
/* An expression with the value of `expr`; errno after it is kept for the caller. */
#define PF_BLOCKING(c, expr)                                                                       \
    __extension__({                                                                                \
        struct pf_thread *pf_b_ __attribute__((cleanup(pf_blocking_end))) =                        \
            pf_blocking_begin((c).t);                                                              \
        __typeof__(expr) pf_r_ = (expr);                                                           \
        pf_call_keep_errno(&(c));                                                                  \
        pf_r_;                                                                                     \
    })
#define PF_CALLBACK_VOID(c, expr) ((void)PF_BLOCKING(c, ((expr), 0)))

#endif
