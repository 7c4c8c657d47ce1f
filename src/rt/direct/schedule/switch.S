/*
 * switch.S - switches between contexts, and starts new ones.
 *
 * A saved context lies on its own stack, lowest address first:
 *
 *      mxcsr (4), x87 control word (4), r15, r14, r13, r12, rbx, rbp, return address
 *
 * All other registers are dead across a call (System V ABI). If the switch happens inside a trapped
 * system call, they are in the signal frame above.
 *
 * A new context starts with a block of registers in the order of ucontext's gregs.
 */
#include "asm_constants.h"
#include <asm/prctl.h>
#include <asm/unistd.h>

        .section pf_text, "ax", @progbits
        .globl  pf_switch
        .hidden pf_switch
        .type   pf_switch, @function
pf_switch:                              /* (void **save, void *sp, uint64_t fs) */
        .cfi_startproc
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, (%rdi)
        movq    %rsi, %rbx
        cmpb    $0, pf_switch_slow(%rip)
        jne     2f
        wrfsbase %rdx
1:      movq    %rbx, %rsp
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        /* a ret would be mispredicted: the return address is of another call */
        popq    %rcx
        jmp     *%rcx
2:      movl    $__NR_arch_prctl, %eax
        movl    $ARCH_SET_FS, %edi
        movq    %rdx, %rsi
        leaq    1b(%rip), %r12
        jmp     pf_gate
        .cfi_endproc
        .size   pf_switch, . - pf_switch

/* Entry point of a kernel thread that takes over a context saved by pf_switch: rsp is the saved
 * stack pointer, rbx points to the struct pf_context. pf_baton_begin waits for the baton
 * (materialise.c). */
        .globl  pf_context_resume
        .hidden pf_context_resume
        .type   pf_context_resume, @function
        .cfi_startproc
        .cfi_def_cfa %rsp, 64
        .cfi_offset %rip, -8
        .cfi_offset %rbp, -16
        .cfi_offset %rbx, -24
        .cfi_offset %r12, -32
        .cfi_offset %r13, -40
        .cfi_offset %r14, -48
        .cfi_offset %r15, -56
        nop                             /* unwinders look up the address before a return address */
pf_context_resume:
        movq    %rbx, %rdi
        call    pf_baton_begin
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        popq    %r14
        .cfi_adjust_cfa_offset -8
        popq    %r13
        .cfi_adjust_cfa_offset -8
        popq    %r12
        .cfi_adjust_cfa_offset -8
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   pf_context_resume, . - pf_context_resume

/* Creates the kernel thread of a context: long (flags, sp, fs, struct pf_context *). */
        .globl  pf_clone_thread
        .hidden pf_clone_thread
        .type   pf_clone_thread, @function
pf_clone_thread:
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        movq    %rcx, %rbx
        movq    %rdx, %r8
        xorl    %edx, %edx
        xorl    %r10d, %r10d
        movl    $__NR_clone, %eax
        leaq    pf_context_resume(%rip), %r13
        leaq    1f(%rip), %r12
        jmp     pf_gate_clone
1:      popq    %r13
        popq    %r12
        popq    %rbx
        ret
        .size   pf_clone_thread, . - pf_clone_thread

/* Ends a kernel thread: (uint32_t *baton of the next context). Uses no stack: it may be reused as
 * soon as another thread has the baton. */
        .globl  pf_baton_leave
        .hidden pf_baton_leave
        .type   pf_baton_leave, @function
pf_baton_leave:
        movl    $1, (%rdi)
        movl    $FUTEX_WAKE_PRIVATE, %esi
        movl    $1, %edx
        movl    $__NR_futex, %eax
        leaq    1f(%rip), %r12
        jmp     pf_gate
1:      xorl    %edi, %edi
        movl    $__NR_exit, %eax
        jmp     pf_gate
        .size   pf_baton_leave, . - pf_baton_leave

/* Called in the middle of foreign code, as if by a call instruction below its red zone: executes
 * sched_yield, a system call that is trapped like every other. pf_spin_yield_at sets up the
 * frame. */
        .globl  pf_yield_here
        .hidden pf_yield_here
        .type   pf_yield_here, @function
pf_yield_here:
        pushq   %rax
        pushq   %rcx
        pushq   %r11
        movl    $__NR_sched_yield, %eax
        syscall
        popq    %r11
        popq    %rcx
        popq    %rax
        ret     $PF_STACK_RED_ZONE
        .size   pf_yield_here, . - pf_yield_here

/* Entry point of a new context: rbx points to its block of registers. */
        .globl  pf_context_start
        .hidden pf_context_start
        .type   pf_context_start, @function
        .cfi_startproc
        .cfi_undefined %rip             /* it has no caller */
        nop
pf_context_start:
        movq    %rbx, %rdi
enter:  movq    GREG_R8(%rdi), %r8
        movq    GREG_R9(%rdi), %r9
        movq    GREG_R10(%rdi), %r10
        movq    GREG_R11(%rdi), %r11
        movq    GREG_R12(%rdi), %r12
        movq    GREG_R13(%rdi), %r13
        movq    GREG_R14(%rdi), %r14
        movq    GREG_R15(%rdi), %r15
        movq    GREG_RSI(%rdi), %rsi
        movq    GREG_RBP(%rdi), %rbp
        movq    GREG_RBX(%rdi), %rbx
        movq    GREG_RDX(%rdi), %rdx
        xorl    %eax, %eax
        movq    GREG_RIP(%rdi), %rcx
        movq    GREG_RSP(%rdi), %rsp
        movq    GREG_RDI(%rdi), %rdi
        jmp     *%rcx
        .cfi_endproc
        .size   pf_context_start, . - pf_context_start

/* Creates a process that starts on a stack of its own: long (number, argument[6], size). The block
 * of registers of the child is `size` bytes below its stack pointer. */
        .globl  pf_clone_own_stack
        .hidden pf_clone_own_stack
        .type   pf_clone_own_stack, @function
pf_clone_own_stack:
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        movq    %rdi, %rax
        movq    %rdx, %rbx
        movq    %rsi, %r11
        movq    0(%r11), %rdi
        movq    8(%r11), %rsi
        movq    16(%r11), %rdx
        movq    24(%r11), %r10
        movq    32(%r11), %r8
        movq    40(%r11), %r9
        leaq    1f(%rip), %r12
        leaq    2f(%rip), %r13
        jmp     pf_gate_clone
1:      popq    %r13
        popq    %r12
        popq    %rbx
        ret
2:      movq    %rsp, %rdi
        subq    %rbx, %rdi
        jmp     enter
        .size   pf_clone_own_stack, . - pf_clone_own_stack

        .section .note.GNU-stack, "", @progbits
