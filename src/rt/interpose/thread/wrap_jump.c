/*
 * wrap_jump.c - longjmp and its variants: a jump may leave a signal handler. Directed mode must
 * know of a jump out of the handler of a fault.
 */
#include "mode_ops.h"
#include "wrap_signal.h"
#include <setjmp.h>

/* The stack pointer in a jmp_buf, which glibc stores mangled: rotated and mixed with a secret of
 * the thread. */
#define STACK_POINTER 6
static uint64_t stack_pointer(const struct __jmp_buf_tag *to)
{
    uint64_t secret, mangled = (uint64_t)to->__jmpbuf[STACK_POINTER];
    __asm__("movq %%fs:0x30, %0" : "=r"(secret));
    return __builtin_rotateright64(mangled, 17) ^ secret;
}

void __longjmp_chk(struct __jmp_buf_tag to[1], int value) __attribute__((noreturn));
#define JUMPS(fn)                                                                                  \
    PF_INTERPOSE(__attribute__((noreturn)) void, fn, (struct __jmp_buf_tag to[1], int value))      \
    {                                                                                              \
        pf_mode->jumps(stack_pointer(to));                                                         \
        if (__builtin_expect(pf_rt.pc_frames, 0))                                                  \
            pf_pc_jumped(stack_pointer(to));                                                       \
        if (__pf_tls.thread)                                                                       \
            pf_signal_jumped(__pf_tls.thread);                                                     \
        PF_REAL(fn)(to, value);                                                                    \
        __builtin_unreachable();                                                                   \
    }
JUMPS(longjmp)
JUMPS(_longjmp)
JUMPS(siglongjmp)
JUMPS(__longjmp_chk)
