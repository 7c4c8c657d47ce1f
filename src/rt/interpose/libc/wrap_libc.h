/*
 * wrap_libc.h - the cheap way to interpose a libc function: only its accesses are checked.
 *
 * Model:   PF_WITH_FRAME(fn, accesses), in the interposed function `fn`, makes the accesses in a
 *          frame of `fn` that its caller has called, with the same range checks that compiled code
 *          uses. The runtime is not entered otherwise: nothing nests, errno need not be kept, and
 *          the calling context is computed only if needed. A function that uses it begins with
 *          PF_VISIBLE(fn). PF_FRAME_SCOPE(t, fn) keeps the frame of `fn` on the shadow stack until
 *          the scope ends: for functions whose real function calls the target or allocates, and for
 *          those with accesses both before and after the real function. Functions that order
 *          threads, or whose real function blocks, use PF_CALL of wrap.h.
 * Threads: any. `t` is NULL for a thread that is unregistered or inside the runtime.
 * Errors:  none.
 */
#ifndef PF_RT_WRAP_LIBC_H
#define PF_RT_WRAP_LIBC_H

#define __NO_INLINE__ 1 /* libc's headers declare functions, without inline definitions */
#include "event.h"
#include "hb.h"
#include "last_sleep.h"
#include "red_zone.h"
#include "rt.h"
#include "runtime_access.h"
#include "sys.h"
#include "wrap.h"
#include <stdarg.h>
#include <string.h>

void __pf_read_range(const volatile void *addr, uint64_t size, uint32_t site)
    __attribute__((preserve_all));
void __pf_write_range(const volatile void *addr, uint64_t size, uint32_t site)
    __attribute__((preserve_all));

/* False while plain bodies run: neither their accesses nor those of their callees are watched. */
static inline bool pf_watching(void)
{
    return __pf_tls.dispatch != PF_DISPATCH_PLAIN && pf_stack_watched();
}

static inline void pf_reads(const volatile void *addr, size_t size)
{
    if (pf_rt.events)
        pf_event_leaf_access(addr, size, false, PF_NATIVE_READ);
    else if (pf_watching())
        __pf_read_range(addr, size, PF_NATIVE_READ);
}
static inline void pf_writes(const volatile void *addr, size_t size)
{
    if (pf_rt.events)
        pf_event_leaf_access(addr, size, true, PF_NATIVE_WRITE);
    else if (pf_watching())
        __pf_write_range(addr, size, PF_NATIVE_WRITE);
}
/* Directed mode: true if nothing records an access to these bytes. A cheap test: it may return
 * false although nothing records the access. */
static inline bool pf_access_is_unobserved(const volatile void *addr, size_t size)
{
    return pf_directed() && !pf_direct.tracing && !pf_direct.fuzzing &&
           pf_direct.memory == PF_MEMORY_SC && pf_red_zone_is_clear((uintptr_t)addr, size);
}
static inline size_t pf_least(size_t a, size_t b) { return a < b ? a : b; }
/* The length of a string that is read up to its end, or up to max bytes. */
size_t pf_bounded_length(const char *s, size_t max);
static inline void pf_reads_string(const char *s)
{
    if (s)
        pf_reads(s, pf_bounded_length(s, SIZE_MAX) + 1);
}
/* A string that only the kernel reads: it refuses a bad pointer. */
static inline void pf_reads_path(const char *s)
{
    if (pf_sys_readable(s, 1))
        pf_reads_string(s);
}
static inline void pf_writes_string(const char *s)
{
    if (s)
        pf_writes(s, pf_bounded_length(s, SIZE_MAX) + 1);
}

/* Directed mode: the function is a visible operation. Called first: other threads may run here, and
 * nowhere between the function's effect and its accesses. */
static inline void pf_visible(struct pf_func *native)
{
    if (pf_directed() && pf_self() && pf_watching())
        pf_call_visible(native);
}
#define PF_VISIBLE(fn) pf_visible(&pf_native_##fn)
/* The same if no other thread can run here. Returns false, with nothing done, if one might. */
static inline bool pf_visible_without_switch(struct pf_func *native)
{
    if (!pf_directed() || !pf_self() || !pf_watching() || __pf_tls.budget <= 0)
        return false;
    pf_sched_hash((uint64_t)native - (uint64_t)&pf_direct);
    __pf_tls.budget--;
    return true;
}

#define PF_WITH_FRAME(fn, ...)                                                                     \
    do {                                                                                           \
        if (pf_self() && pf_watching() && !pf_is_self_ordered(__builtin_return_address(0))) {      \
            struct pf_frame *pf_top_ = __pf_tls.frame;                                             \
            pf_stack_push_from(&pf_native_##fn, __builtin_return_address(0));                      \
            __VA_ARGS__;                                                                           \
            __pf_tls.frame = pf_top_;                                                              \
        }                                                                                          \
    } while (0)

struct pf_frame_scope {
    struct pf_thread *t;
    struct pf_frame *top;
};
static inline struct pf_frame_scope pf_frame_scope_enter(struct pf_func *native, const void *caller)
{
    struct pf_frame_scope s = {pf_self(), NULL};
    pf_visible(native);
    s.top = __pf_tls.frame;
    if (s.t)
        pf_stack_push_from(native, caller);
    if (s.t && pf_is_self_ordered(caller))
        __pf_tls.frame[-1].call |= PF_CALL_UNWATCHED;
    return s;
}
static inline void pf_frame_scope_leave(struct pf_frame_scope *s)
{
    if (s->t)
        __pf_tls.frame = s->top;
}
#define PF_FRAME_SCOPE(t, fn)                                                                      \
    struct pf_frame_scope pf_scope_##t __attribute__((cleanup(pf_frame_scope_leave))) =            \
        pf_frame_scope_enter(&pf_native_##fn, __builtin_return_address(0));                        \
    struct pf_thread *t __attribute__((unused)) = pf_scope_##t.t

/* Makes order in a function that was not entered with PF_CALL. */
static inline void pf_order_unnested(struct pf_thread *t,
                                     void (*how)(struct pf_thread *, const volatile void *),
                                     const volatile void *object)
{
    pf_nest();
    how(t, object);
    pf_unnest();
    pf_signal_poll_if_pending(t);
}

/* The accesses of a printf or scanf call to its arguments: wrap_format.c. For scanf, `filled` is
 * the number of conversions that were stored. */
void pf_format_reads(const char *format, va_list args);
void pf_format_writes(const char *format, va_list args, int filled);

/* The order that a descriptor makes: wrap_fd.c. Called un-nested. */
void pf_fd_send_unnested(struct pf_thread *t, int fd); /* before data is sent */
/* after data, or an end of file, was received */
void pf_fd_receive_unnested(struct pf_thread *t, int fd);
void pf_fd_end_unnested(struct pf_thread *t, int fd); /* before it is closed */
void pf_fd_send_all_unnested(struct pf_thread *t); /* before data is sent by any of them */

#endif
