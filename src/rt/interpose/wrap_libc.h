/*
 * wrap_libc.h - the light way to interpose a libc function: its accesses, and nothing more.
 *
 * Model:   PF_WITHIN(fn, accesses) makes the accesses as the function `fn` called from here, with
 *          the same range checks that compiled code uses. The runtime is not entered otherwise: no
 *          nesting, no errno to keep, and the stack of the call is only named when it is needed.
 *          PF_VISIBLE(fn) stands at the beginning of such a function.
 *          PF_STAND(t, fn) lets `fn` stand on the shadow stack until the scope ends; for functions
 *          whose real one calls the target, allocates, or has accesses before and after it.
 *          Where order is involved, or the real function waits, use PF_CALL of wrap.h.
 * Threads: any. `t` is NULL for a thread that is unknown or inside the runtime.
 */
#ifndef PF_RT_WRAP_LIBC_H
#define PF_RT_WRAP_LIBC_H

#define __NO_INLINE__ 1 /* libc's headers give functions, not inline bodies */
#include "access.h"
#include "hb.h"
#include "red_zone.h"
#include "rt.h"
#include "wrap.h"
#include <stdarg.h>
#include <string.h>

void __pf_read_range(const volatile void *addr, uint64_t size, uint32_t site)
    __attribute__((preserve_all));
void __pf_write_range(const volatile void *addr, uint64_t size, uint32_t site)
    __attribute__((preserve_all));

/* False where plain bodies run: what they do is not watched, nor what they call. */
static inline bool pf_watching(void)
{
    return __pf_tls.dispatch != PF_DISPATCH_PLAIN && pf_stack_watched();
}

static inline void pf_reads(const volatile void *addr, size_t size)
{
    if (pf_rt.events)
        pf_event_reach(addr, size, false, PF_NATIVE_READ);
    else if (pf_watching())
        __pf_read_range(addr, size, PF_NATIVE_READ);
}
static inline void pf_writes(const volatile void *addr, size_t size)
{
    if (pf_rt.events)
        pf_event_reach(addr, size, true, PF_NATIVE_WRITE);
    else if (pf_watching())
        __pf_write_range(addr, size, PF_NATIVE_WRITE);
}
/* Directed mode: is there nothing to be said of an access to these bytes? Quickly, so rather no. */
static inline bool pf_says_nothing(const volatile void *addr, size_t size)
{
    return pf_directed() && !pf_direct.tracing && !pf_direct.fuzzing &&
           pf_heap_fine((uintptr_t)addr, size);
}
/* A string of at most max bytes: what is read is up to its end, or all of max. */
size_t pf_bounded_length(const char *s, size_t max);
static inline void pf_reads_string(const char *s)
{
    if (s)
        pf_reads(s, pf_bounded_length(s, SIZE_MAX) + 1);
}
static inline void pf_writes_string(const char *s)
{
    if (s)
        pf_writes(s, pf_bounded_length(s, SIZE_MAX) + 1);
}

/* Directed mode: the function is a visible operation. First of all, since others may run here and nowhere
 * between its effect and its accesses. */
static inline void pf_visible(struct pf_func *native)
{
    if (pf_directed() && pf_self() && pf_watching()) {
        pf_sched_hash((uint64_t)native - (uint64_t)&pf_direct);
        pf_sched_point();
    }
}
#define PF_VISIBLE(fn) pf_visible(&pf_native_##fn)
/* The same where nobody else can run; false: nothing has happened yet. */
static inline bool pf_visible_quickly(struct pf_func *native)
{
    if (!pf_directed() || !pf_self() || !pf_watching() || __pf_tls.budget <= 0)
        return false;
    pf_sched_hash((uint64_t)native - (uint64_t)&pf_direct);
    __pf_tls.budget--;
    return true;
}

#define PF_WITHIN(fn, ...)                                                                         \
    do {                                                                                           \
        if (pf_self() && pf_watching() && !pf_orders_itself(__builtin_return_address(0))) {        \
            pf_stack_push(&pf_native_##fn);                                                        \
            __VA_ARGS__;                                                                           \
            pf_stack_pop();                                                                        \
        }                                                                                          \
    } while (0)

static inline struct pf_thread *pf_stand_enter(struct pf_func *native, const void *caller)
{
    struct pf_thread *t = pf_self();
    pf_visible(native);
    if (t)
        pf_stack_push(native);
    if (t && pf_orders_itself(caller))
        __pf_tls.frame[-1].call |= PF_CALL_UNWATCHED;
    return t;
}
static inline void pf_stand_leave(struct pf_thread **t)
{
    if (*t)
        pf_stack_pop();
}
#define PF_STAND(t, fn)                                                                            \
    struct pf_thread *t __attribute__((cleanup(pf_stand_leave))) =                                 \
        pf_stand_enter(&pf_native_##fn, __builtin_return_address(0))

/* Order made by a function that is not entered with PF_CALL. */
static inline void pf_orders(struct pf_thread *t,
                             void (*how)(struct pf_thread *, const volatile void *),
                             const volatile void *object)
{
    pf_nest();
    how(t, object);
    pf_unnest();
    pf_signals(t);
}

/* What a printf or scanf call does to its arguments: wrap_format.c. `wide` strings in the format
 * are wchar_t. scanf: `filled` is the number of conversions that were stored. */
void pf_format_reads(const char *format, va_list args);
void pf_format_writes(const char *format, va_list args, int filled);

/* What a descriptor is for order: wrap_fd.c. Called un-nested. */
void pf_fd_sends(struct pf_thread *t, int fd); /* before data leaves */
void pf_fd_receives(struct pf_thread *t, int fd); /* after data, or an end of file, came */
void pf_fd_closing(struct pf_thread *t, int fd); /* before it is closed */
void pf_fd_sends_all(struct pf_thread *t); /* before data leaves by any of them */

/* The environment the process was started with: wrap_exec.c. */
void pf_exec_init(char **env);

#endif
