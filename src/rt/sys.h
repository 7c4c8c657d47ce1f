/*
 * sys.h - the few system calls the runtime makes for itself, past every interposed function.
 *
 * Model:   all of them go through one gate of a few bytes (sys.c): directed mode traps every system
 *          call of the process but those that come from there.
 * Errors:  results are the kernel's: negative errno on failure; errno is not touched.
 */
#ifndef PF_RT_SYS_H
#define PF_RT_SYS_H

#include "pf_shadow.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long pf_sys6(long n, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long ret;
    /* A jump, not a call: the caller may keep something below its stack pointer. */
    __asm__ volatile("leaq 1f(%%rip), %%r12\n\t"
                     "jmp pf_gate\n"
                     "1:"
                     : "=a"(ret)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "r12", "memory");
    return ret;
}
#define pf_sys(n, ...) PF_SYS_(n, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define PF_SYS_(n, a, b, c, d, e, f, ...)                                                          \
    pf_sys6((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* Private zero pages, committed on first touch; at `at` exactly when that is not NULL.
 * NULL on failure. */
void *pf_sys_map(void *at, size_t size);
/* Gives the pages back: they read as zero again. */
void pf_sys_zap(void *at, size_t size);
/* One bit of news per page: out[i] & 1 iff page i of the range is in memory. */
long pf_sys_mincore(void *at, size_t size, unsigned char *out);

/* The pages are there and may be written, as far as the kernel can do that. */
void pf_sys_populate(void *at, size_t size);

/*
 * Pages of a plane that are about to be written, 64 KB at a time. A page that is read before it is written takes two faults:
 * the kernel maps its page of zeroes first, and to take that away again it interrupts every processor that runs a
 * thread of the process. Only where the 64 KB beside them are used too, for not all memory is used densely.
 */
void pf_ready_pages(uintptr_t at);
void pf_ready_forget(uintptr_t from, uintptr_t to); /* they were given back */
static inline uint8_t *pf_ready_mark(uintptr_t at)
{
    return (uint8_t *)(PF_READY_PLANE + (at >> PF_READY_SHIFT));
}
static inline void pf_ready(const void *at)
{
    if (__builtin_expect(!*pf_ready_mark((uintptr_t)at), 0))
        pf_ready_pages((uintptr_t)at);
}
static inline void pf_ready_range(const void *from, size_t size)
{
    for (uintptr_t at = (uintptr_t)from; at < (uintptr_t)from + size;
         at = ((at >> PF_READY_SHIFT) + 1) << PF_READY_SHIFT)
        pf_ready((const void *)at);
}

/* A line of memory that is written in a moment. (The compiler drops its own prefetches where it may use no
 * vector registers.) */
static inline void pf_prefetch(const void *p) { __asm__ volatile("prefetchw (%0)" : : "r"(p)); }

static inline void pf_zero(void *p, size_t n) /* no call to an interposed memset */
{
    __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(0) : "memory");
}
static inline void pf_copy(void *d, const void *s, size_t n)
{
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
}

#endif
