/*
 * sys.h - the few system calls that the runtime makes for itself, bypassing interposed functions.
 *
 * Model:   all of them are made by one short piece of code, the gate (gate.S): directed mode traps
 *          every system call of the process except those made from the gate.
 * Threads: any.
 * Errors:  results are the kernel's, a negative errno on failure; errno is not changed.
 */
#ifndef PF_RT_SYS_H
#define PF_RT_SYS_H

#include "pf_shadow.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

static inline long pf_sys6(long n, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long ret;
    /* A jump instead of a call: the caller may use the red zone below its stack pointer. */
    __asm__ volatile("leaq 1f(%%rip), %%r12\n\t"
                     "jmp pf_gate\n"
                     "1:"
                     : "=a"(ret)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "r12", "memory");
    return ret;
}
/* True if the result of a system call is an error: a negative errno. */
static inline bool pf_sys_failed(long result) { return result < 0 && result > -4096; }

#define pf_sys(n, ...) PF_SYS_(n, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define PF_SYS_(n, a, b, c, d, e, f, ...)                                                          \
    pf_sys6((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* For runs that are to be rewound (direct/schedule/rewind.h), while `on` is set:
 *   spoiled   set by the gate at a call that changes something in the kernel, so that the run
 *             cannot be rewound
 *   unchanging  the calls that change nothing in the kernel, one bit each
 *   leave, die  called where the process would end, by exit and by a signal; if they return, the
 *             process ends
 *   perform   performs a call so that it can be undone, if that is possible
 *   clear     zeroes the pages of the range that exist: what MADV_DONTNEED does, but without a
 *             change in the kernel */
#define PF_HIDDEN __attribute__((visibility("hidden")))
extern PF_HIDDEN uint8_t pf_rewind_on, pf_rewind_spoiled;
#define PF_REWIND_CALLS 512 /* numbers of system calls that it may contain */
extern PF_HIDDEN uint64_t pf_rewind_unchanging[PF_REWIND_CALLS / 64];
extern PF_HIDDEN void (*pf_rewind_leave)(int status), (*pf_rewind_die)(int signal);
extern PF_HIDDEN long (*pf_rewind_perform)(long number, const long argument[6]);
extern PF_HIDDEN void (*pf_rewind_clear)(uint64_t from, uint64_t to);
/* True if memory that is no longer used must stay mapped: releasing it would make rewinding
 * impossible. False if a run has kept much memory in this way. */
bool pf_rewind_keeps_memory(void);

#define PF_STACK_RED_ZONE 128 /* bytes below the stack pointer that code may use (System V ABI) */

/* The size of a page in bytes; the page of an address; the first page that begins at the address or
 * after it. */
#define PF_PAGE 4096ull
static inline uint64_t pf_page_down(uint64_t at) { return at & -PF_PAGE; }
static inline uint64_t pf_page_up(uint64_t at) { return (at + PF_PAGE - 1) & -PF_PAGE; }

/* Private zero pages, committed on first touch; exactly at `at` unless that is NULL. Returns NULL
 * on failure. */
void *pf_sys_map(void *at, size_t size);
/* Maps a file away from the mappings of the target: those must have the same addresses in runs with
 * and without it. shared: writes change the file; otherwise it can only be read. Returns the
 * address, or an error of the kernel. */
long pf_sys_map_file(int fd, size_t size, bool shared);
/* Returns the pages to the kernel; they read as zero afterwards. */
void pf_sys_discard(void *at, size_t size);
/* Sets out[i] & 1 iff page i of the range is in memory. */
long pf_sys_mincore(void *at, size_t size, unsigned char *out);

/* write(2), or writev(2) with `number`, for output of the runtime itself. A closed pipe makes
 * it fail, but raises no signal. A limit on the size of files that the target has set is raised for
 * the write, if that is possible (wrap_limit.c). */
long pf_sys_write(int fd, const void *bytes, size_t n);
long pf_sys_write_by(long number, int fd, const void *what, size_t n);

/* Prints texts on standard error, up to PF_SAY_MAX of them, with one write: lines of several
 * processes do not mix. */
#define PF_SAY_MAX 8
#define pf_sys_say(...) pf_sys_say_all((const char *const[]){__VA_ARGS__, NULL})
void pf_sys_say_all(const char *const *texts);

/* The runtime's own descriptors have this number or a higher one: programs rely on low ones. */
#define PF_OWN_FDS 900
/* Moves a descriptor to such a number, and closes the old one. Returns the new one, or a negative
 * errno. If fd is a negative errno, returns it. */
long pf_sys_move_fd(long fd);

/* A clock of the kernel, in nanoseconds. */
static inline uint64_t pf_sys_clock(int clock)
{
    uint64_t t[2] = {0}; /* struct timespec */
    pf_sys(SYS_clock_gettime, clock, t);
    return t[0] * 1000000000u + t[1];
}

/* True if all bytes of the range can be read. Costs a system call for each page. */
bool pf_sys_readable(const volatile void *at, size_t size);

/* Makes the pages present and writable, if the kernel supports that. */
void pf_sys_populate(void *at, size_t size);

/*
 * Prefaulting of shadow planes, 64 KB at a time, before a write. A page that is read before it is
 * written takes two faults: the kernel first maps its page of zeroes, and to replace that mapping
 * it interrupts every processor that runs a thread of the process. 64 KB are prefaulted only if
 * one of the two neighbouring 64 KB is in use too, because some memory is used sparsely.
 */
void pf_prefault_pages(uintptr_t at);
void pf_prefault_forget(uintptr_t from, uintptr_t to); /* the pages were returned to the kernel */
static inline uint8_t *pf_prefault_mark(uintptr_t at)
{
    return (uint8_t *)(PF_PREFAULT_PLANE + (at >> PF_PREFAULT_SHIFT));
}
static inline void pf_prefault(const void *at)
{
    if (__builtin_expect(!*pf_prefault_mark((uintptr_t)at), 0))
        pf_prefault_pages((uintptr_t)at);
}
static inline void pf_prefault_range(const void *from, size_t size)
{
    for (uintptr_t at = (uintptr_t)from; at < (uintptr_t)from + size;
         at = ((at >> PF_PREFAULT_SHIFT) + 1) << PF_PREFAULT_SHIFT)
        pf_prefault((const void *)at);
}

/* Prefetches a cache line for writing. (The compiler drops its own prefetches where it may not use
 * vector registers.) */
static inline void pf_prefetch(const void *p) { __asm__ volatile("prefetchw (%0)" : : "r"(p)); }

static inline void pf_zero(void *p, size_t n) /* does not call an interposed memset */
{
    __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(0) : "memory");
}
static inline void pf_copy(void *d, const void *s, size_t n)
{
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
}
/* An entry of a folder, as getdents64 stores it. */
struct pf_directory_entry {
    uint64_t ino, off;
    uint16_t length; /* of the entry, in bytes */
    uint8_t type;
    char name[];
};
/* Copies a text, or as much of it as fits with a terminating 0. NULL counts as an empty text. */
static inline void pf_copy_text(char *to, size_t room, const char *from)
{
    for (; from && *from && room > 1; room--)
        *to++ = *from++;
    *to = 0;
}

#endif
