/*
 * wrap_tsan_calls.c - the functions that code compiled with -fsanitize=thread calls.
 *
 * Two kinds of programs use them. A program whose runtime of ThreadSanitizer is replaced by ours
 * (start_tsan.c) announces all its functions and accesses in this way: its stacks are program
 * counters (pc_frame.h). A program built with pf cc may call some of them by hand, for memory that
 * it accesses in code that pf cc has not compiled: then they are ordinary frames of a report.
 */
#include "cell.h"
#include "entry.h"
#include "runtime_access.h"
#include "wrap.h"
#include <string.h>

#define PROVIDE(result, fn, parameters)                                                            \
    result fn parameters;                                                                          \
    PF_PROVIDE(result, fn, parameters)
#define CALLER __builtin_return_address(0)

/* --- functions --- */

static struct pf_thread *registered(void)
{
    struct pf_thread *t = __pf_tls.thread;
    return __builtin_expect(!t && !__pf_tls.nested, 0) ? pf_thread_record_adopt() : t;
}

/* Above the frame address are the saved frame pointer and the return address; then the caller's. */
PROVIDE(void, __tsan_func_entry, (void *pc))
{
    if (pf_rt.pc_frames && registered())
        pf_pc_push(pc, (uintptr_t)__builtin_frame_address(0) + 16);
}

/* The thread may have been registered inside the function. */
PROVIDE(void, __tsan_func_exit, (void))
{
    const struct pf_thread *t = __pf_tls.thread;
    if (!pf_rt.pc_frames || !t)
        return;
    struct pf_frame *top = __pf_tls.frame - 1;
    if (top > t->context.frames && pf_pc_is_record(top->func))
        __pf_tls.frame = top;
}

/* --- accesses --- */

/* True if a record of this epoch makes the access redundant (pf_shadow.h). */
static inline bool is_redundant(uintptr_t addr, unsigned size, bool write)
{
    if ((addr & 7) + size > 8)
        return false;
    uint64_t x = __atomic_load_n(&pf_cell_of(addr)[!write], __ATOMIC_RELAXED) ^ __pf_tls.key;
    uint64_t bytes = (uint64_t)((1u << size) - 1) << (addr & 7) << PF_MASK_SHIFT;
    return !((x & ~PF_MASK_ALL) >> (write ? PF_WRITE_BIT : PF_WRITE_BIT + 1)) && !(x & bytes);
}

/* Checks an access of a program whose frames are program counters. */
static void access_from(const void *pc, const void *addr, size_t size, bool write, uint32_t site)
{
    struct pf_thread *t = registered();
    if (!t || __pf_tls.nested || (size <= 8 && is_redundant((uintptr_t)addr, size, write)))
        return;
    struct pf_frame *top = __pf_tls.frame;
    pf_stack_push(pf_pc_record(pc));
    pf_nest();
    uint32_t id = pf_stack_id(t, site);
    if (write)
        pf_runtime_write(t, addr, size, id);
    else
        pf_runtime_read(t, addr, size, id);
    pf_unnest();
    __pf_tls.frame = top;
    pf_signal_poll_if_pending(t);
}

static inline uint32_t site_of(size_t size, bool write)
{
    return size > 8 ? (write ? PF_NATIVE_WRITE : PF_NATIVE_READ)
                    : (write ? PF_PC_WRITE : PF_PC_READ) + (uint32_t)__builtin_ctzl(size);
}

#define IS_WRITE_read false
#define IS_WRITE_write true
#define SITE_read PF_NATIVE_READ
#define SITE_write PF_NATIVE_WRITE
#define ACCESS_AT(fn, parameters, kind, size, pc, pc_site)                                         \
    PROVIDE(void, fn, parameters)                                                                  \
    {                                                                                              \
        if (pf_rt.pc_frames) {                                                                     \
            access_from(pc, addr, size, IS_WRITE_##kind, pc_site);                                 \
            return;                                                                                \
        }                                                                                          \
        PF_CALL(c, fn);                                                                            \
        if (c.t)                                                                                   \
            pf_runtime_##kind(c.t, addr, size, pf_call_id(&c, SITE_##kind));                       \
    }
#define ACCESS(fn, kind, size)                                                                     \
    ACCESS_AT(__tsan_##fn, (void *addr), kind, size, CALLER, site_of(size, IS_WRITE_##kind))       \
    ACCESS_AT(__tsan_##fn##_pc, (void *addr, void *pc), kind, size, pc,                            \
              site_of(size, IS_WRITE_##kind))
#define ACCESS_UNALIGNED(fn, kind, size)                                                           \
    ACCESS_AT(__tsan_unaligned_##fn, (void *addr), kind, size, CALLER,                             \
              site_of(size, IS_WRITE_##kind))                                                      \
    ACCESS_AT(__sanitizer_unaligned_##fn, (void *addr), kind, size, CALLER,                        \
              site_of(size, IS_WRITE_##kind))
ACCESS(read1, read, 1)
ACCESS(read2, read, 2)
ACCESS(read4, read, 4)
ACCESS(read8, read, 8)
ACCESS(read16, read, 16)
ACCESS(write1, write, 1)
ACCESS(write2, write, 2)
ACCESS(write4, write, 4)
ACCESS(write8, write, 8)
ACCESS(write16, write, 16)
/* A read and a write of the same memory: the check of the write is enough. */
ACCESS(read_write1, write, 1)
ACCESS(read_write2, write, 2)
ACCESS(read_write4, write, 4)
ACCESS(read_write8, write, 8)
ACCESS(read_write16, write, 16)
ACCESS(volatile_read1, read, 1)
ACCESS(volatile_read2, read, 2)
ACCESS(volatile_read4, read, 4)
ACCESS(volatile_read8, read, 8)
ACCESS(volatile_read16, read, 16)
ACCESS(volatile_write1, write, 1)
ACCESS(volatile_write2, write, 2)
ACCESS(volatile_write4, write, 4)
ACCESS(volatile_write8, write, 8)
ACCESS(volatile_write16, write, 16)
ACCESS_UNALIGNED(read2, read, 2)
ACCESS_UNALIGNED(read4, read, 4)
ACCESS_UNALIGNED(read8, read, 8)
ACCESS_UNALIGNED(read16, read, 16)
ACCESS_UNALIGNED(write2, write, 2)
ACCESS_UNALIGNED(write4, write, 4)
ACCESS_UNALIGNED(write8, write, 8)
ACCESS_UNALIGNED(write16, write, 16)
ACCESS_UNALIGNED(read_write2, write, 2)
ACCESS_UNALIGNED(read_write4, write, 4)
ACCESS_UNALIGNED(read_write8, write, 8)
ACCESS_UNALIGNED(read_write16, write, 16)
ACCESS_AT(__tsan_read_range, (void *addr, unsigned long size), read, size, CALLER, PF_NATIVE_READ)
ACCESS_AT(__tsan_write_range, (void *addr, unsigned long size), write, size, CALLER,
          PF_NATIVE_WRITE)
ACCESS_AT(__tsan_read_range_pc, (void *addr, unsigned long size, void *pc), read, size, pc,
          PF_NATIVE_READ)
ACCESS_AT(__tsan_write_range_pc, (void *addr, unsigned long size, void *pc), write, size, pc,
          PF_NATIVE_WRITE)

/* Vtable pointers. Storing the value that is there already does not count (pf_check_vptr). */
ACCESS_AT(__tsan_vptr_read, (void **addr), read, 8, CALLER, PF_PC_VPTR_READ)
PROVIDE(void, __tsan_vptr_update, (void **addr, void *value))
{
    if (__atomic_load_n(addr, __ATOMIC_RELAXED) == value)
        return;
    if (pf_rt.pc_frames) {
        access_from(CALLER, addr, 8, true, PF_PC_VPTR_WRITE);
        return;
    }
    PF_CALL(c, __tsan_vptr_update);
    if (c.t)
        pf_runtime_write(c.t, addr, 8, pf_call_id(&c, PF_NATIVE_WRITE));
}

/* The intrinsics call the interposed functions. Reports show the caller of the intrinsic. */
#define MEMORY(fn, result, parameters, call)                                                       \
    PROVIDE(result, __tsan_##fn, parameters)                                                       \
    {                                                                                              \
        if (pf_rt.pc_frames && __pf_tls.thread)                                                    \
            pf_pc_push(CALLER, 0);                                                                 \
        result r = call;                                                                           \
        if (pf_rt.pc_frames && __pf_tls.thread)                                                    \
            pf_stack_pop();                                                                        \
        return r;                                                                                  \
    }
MEMORY(memcpy, void *, (void *to, const void *from, size_t n), memcpy(to, from, n))
MEMORY(memmove, void *, (void *to, const void *from, size_t n), memmove(to, from, n))
MEMORY(memset, void *, (void *to, int byte, size_t n), memset(to, byte, n))
