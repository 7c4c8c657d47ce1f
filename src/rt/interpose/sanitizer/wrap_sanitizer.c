/*
 * wrap_sanitizer.c - the interface common to all sanitizers: sanitizer/common_interface_defs.h,
 * allocator_interface.h and linux_syscall_hooks.h, as far as ThreadSanitizer's runtime has it. A
 * program built with `pf cc` sees __has_feature(thread_sanitizer) and may call it.
 *
 * Not supported: coverage, symbolisation by program counter, and malloc hooks, whose installation
 * fails. A program can announce the system calls that it makes without libc, by calling hooks.
 * Those for transfers, close and fork count like read, write, close and fork; the other hooks do
 * nothing (syscall_hooks.sh).
 */
#include "report_print.h"
#include "reporter.h"
#include "wrap_fd.h"
#include <dlfcn.h>
#include <malloc.h>
#include <string.h>

#define PROVIDE(result, fn, parameters)                                                            \
    result fn parameters;                                                                          \
    PF_PROVIDE(result, fn, parameters)

/* Unaligned memory. */

#define UNALIGNED(bits)                                                                            \
    PROVIDE(uint##bits##_t, __sanitizer_unaligned_load##bits, (const void *p))                     \
    {                                                                                              \
        PF_CALL(c, __sanitizer_unaligned_load##bits);                                              \
        uint##bits##_t v;                                                                          \
        if (c.t)                                                                                   \
            pf_runtime_read(c.t, p, sizeof v, pf_call_id(&c, PF_NATIVE_READ));                     \
        __builtin_memcpy(&v, p, sizeof v);                                                         \
        return v;                                                                                  \
    }                                                                                              \
    PROVIDE(void, __sanitizer_unaligned_store##bits, (void *p, uint##bits##_t v))                  \
    {                                                                                              \
        PF_CALL(c, __sanitizer_unaligned_store##bits);                                             \
        if (c.t)                                                                                   \
            pf_runtime_write(c.t, p, sizeof v, pf_call_id(&c, PF_NATIVE_WRITE));                   \
        __builtin_memcpy(p, &v, sizeof v);                                                         \
    }
UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)

/* Reports. */

PROVIDE(void, __sanitizer_set_report_path, (const char *path))
{
    PF_CALL(c, __sanitizer_set_report_path);
    pf_reporter_redirect(path ? path : "stderr");
}
PROVIDE(void, __sanitizer_set_report_fd, (void *fd))
{
    PF_CALL(c, __sanitizer_set_report_fd);
    pf_report_print_to_fd((int)(intptr_t)fd);
}
PROVIDE(const char *, __sanitizer_get_report_path, (void)) { return pf_report_print_path(); }

PROVIDE(void, __sanitizer_print_stack_trace, (void))
{
    PF_CALL(c, __sanitizer_print_stack_trace);
    if (c.t)
        pf_reporter_print_stack(pf_call_id(&c, PF_NATIVE_CALL));
}
PROVIDE(void, __sanitizer_report_error_summary, (const char *summary))
{
    PF_CALL(c, __sanitizer_report_error_summary);
    pf_reporter_print_line("SUMMARY: ", summary);
}
PROVIDE(void, __sanitizer_set_death_callback, (void (*callback)(void)))
{
    pf_reporter_on_halt(callback);
}

/* Only the first caller may report its own crash. */
PROVIDE(int, __sanitizer_acquire_crash_state, (void))
{
    static int taken;
    return !__atomic_exchange_n(&taken, 1, __ATOMIC_ACQ_REL);
}
PROVIDE(void, __sanitizer_sandbox_on_notify, (void *arguments)) { (void)arguments; }

PROVIDE(int, __sanitizer_get_module_and_offset_for_pc,
        (void *pc, char *path, size_t room, void **offset))
{
    Dl_info at;
    if (!dladdr(pc, &at) || !at.dli_fname)
        return 0;
    if (path && room) {
        size_t n = strnlen(at.dli_fname, room - 1);
        memcpy(path, at.dli_fname, n);
        path[n] = 0;
    }
    if (offset)
        *offset = (void *)((char *)pc - (char *)at.dli_fbase);
    return 1;
}

/* The allocator is libc's. */

#define OF_BLOCK(result, fn, value)                                                                \
    PROVIDE(result, fn, (const void *p))                                                           \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        size_t size = pf_block_size(p);                                                            \
        return value;                                                                              \
    }
OF_BLOCK(size_t, __sanitizer_get_allocated_size, size)
OF_BLOCK(size_t, __sanitizer_get_allocated_size_fast, size)
OF_BLOCK(int, __sanitizer_get_ownership, size != 0)
PROVIDE(const void *, __sanitizer_get_allocated_begin, (const void *p))
{
    PF_CALL(c, __sanitizer_get_allocated_begin);
    struct pf_block b;
    return pf_block_find(p, &b) && !b.freed ? (const void *)b.addr : NULL;
}
PROVIDE(size_t, __sanitizer_get_estimated_allocated_size, (size_t size)) { return size; }
PROVIDE(size_t, __sanitizer_get_current_allocated_bytes, (void)) { return mallinfo2().uordblks; }
PROVIDE(size_t, __sanitizer_get_heap_size, (void))
{
    struct mallinfo2 m = mallinfo2();
    return m.arena + m.hblkhd;
}
PROVIDE(size_t, __sanitizer_get_free_bytes, (void)) { return mallinfo2().fordblks; }
PROVIDE(size_t, __sanitizer_get_unmapped_bytes, (void)) { return 0; }
PROVIDE(void, __sanitizer_purge_allocator, (void)) { malloc_trim(0); }
/* 0: they could not be installed. */
PROVIDE(int, __sanitizer_install_malloc_and_free_hooks,
        (void (*allocated)(const volatile void *, size_t), void (*freed)(const volatile void *)))
{
    (void)allocated, (void)freed;
    return 0;
}

/* Direct system calls. */

#define HOOK(fn, parameters, ...)                                                                  \
    void __sanitizer_syscall_##fn parameters;                                                      \
    PF_NATIVE(__sanitizer_syscall_##fn);                                                           \
    PF_EXPORT void __sanitizer_syscall_##fn parameters                                             \
    {                                                                                              \
        PF_CALL(c, __sanitizer_syscall_##fn);                                                      \
        if (c.t) {                                                                                 \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }
#define HOOKS_SEND(fn, parameters)                                                                 \
    HOOK(pre_impl_##fn, parameters, PF_FD_READS(c, (void *)p, (size_t)n); pf_fd_send(c.t, (int)fd))
#define HOOKS_SEND_UNSEEN(fn, parameters) HOOK(pre_impl_##fn, parameters, pf_fd_send(c.t, (int)fd))
#define HOOKS_RECEIVE(fn, parameters)                                                              \
    HOOK(                                                                                          \
        post_impl_##fn, parameters, if (res >= 0) {                                                \
            pf_fd_receive(c.t, (int)fd);                                                           \
            PF_FD_WRITES(c, (void *)p, (size_t)res);                                               \
        })
#define HOOKS_RECEIVE_UNSEEN(fn, parameters)                                                       \
    HOOK(post_impl_##fn, parameters, if (res >= 0) pf_fd_receive(c.t, (int)fd))

/* A fork by a system call of the program, announced before and after it. */
void __sanitizer_syscall_pre_impl_fork(void);
void __sanitizer_syscall_post_impl_fork(long res);
PF_EXPORT void __sanitizer_syscall_pre_impl_fork(void)
{
    if (pf_rt.ready)
        pf_fork_begins();
}
PF_EXPORT void __sanitizer_syscall_post_impl_fork(long res)
{
    if (pf_rt.ready)
        pf_fork_ends(res == 0);
}

HOOK(pre_impl_close, (long fd), pf_fd_end(c.t, (int)fd))
HOOKS_SEND(write, (long fd, long p, long n))
HOOKS_SEND(pwrite64, (long fd, long p, long n, long at))
HOOKS_SEND(sendto, (long fd, long p, long n, long flags, long to, long size))
HOOKS_SEND_UNSEEN(writev, (long fd, long list, long n))
HOOKS_SEND_UNSEEN(pwritev, (long fd, long list, long n, long low, long high))
HOOKS_SEND_UNSEEN(sendmsg, (long fd, long message, long flags))
HOOKS_RECEIVE(read, (long res, long fd, long p, long n))
HOOKS_RECEIVE(pread64, (long res, long fd, long p, long n, long at))
HOOKS_RECEIVE(recvfrom, (long res, long fd, long p, long n, long flags, long from, long size))
HOOKS_RECEIVE_UNSEEN(readv, (long res, long fd, long list, long n))
HOOKS_RECEIVE_UNSEEN(preadv, (long res, long fd, long list, long n, long low, long high))
HOOKS_RECEIVE_UNSEEN(recvmsg, (long res, long fd, long message, long flags))
