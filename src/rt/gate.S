/*
 * gate.S - the only system call instructions of the runtime.
 *
 * For syscall user dispatch (direct/syscall/trap.c) the kernel compares the address AFTER the
 * instruction with the permitted range, so the range ends one byte after the last of them.
 *
 *   pf_gate                  the system call in the registers; continues at the address in r12.
 *                            In a run that is to be rewound, first notes calls that make this
 *                            impossible (direct/schedule/rewind.h)
 *   pf_waits_for_its_turn    the same; a debugger shows this name for a waiting thread
 *                            (materialise.c)
 *   pf_gate_return           the end of a signal handler (the restorer)
 *   pf_gate_clone            creates a process with its own stack (direct/schedule/switch.S): rax
 *                            is the number; the parent continues at r12, the child at r13
 *
 * Unwind information: the first two push nothing, and r12 is their return address; at the end of a
 * handler the registers are in the ucontext at rsp.
 */
#include "asm_constants.h"
#include <asm/ioctls.h>
#include <asm/unistd.h>

#define DW_CFA_DEF_CFA_EXPRESSION 0x0f
#define DW_CFA_EXPRESSION 0x10
#define DW_OP_DEREF 0x06
#define DW_OP_BREG_RSP 0x77
/* rsp + n as a DWARF expression of three bytes */
#define RSP_PLUS(n) DW_OP_BREG_RSP, 0x80 | ((n) & 0x7f), (n) >> 7

/* The register with this DWARF number is saved in the ucontext at rsp. */
        .macro  SAVED number, register
        .cfi_escape DW_CFA_EXPRESSION, \number, 3, RSP_PLUS(UCONTEXT_GREGS + \register)
        .endm

        .macro  CALL
        .cfi_startproc
        .cfi_def_cfa_offset 0
        .cfi_register %rip, %r12
        syscall
        jmp     *%r12
        .cfi_endproc
        .endm

        .section .text.pf_gate, "ax", @progbits
        .globl  pf_gate, pf_gate_begin, pf_gate_end, pf_gate_return, pf_gate_clone, pf_gate_now
        .hidden pf_gate, pf_gate_begin, pf_gate_end, pf_gate_return, pf_gate_clone, pf_gate_now
        .globl  pf_waits_for_its_turn
        .hidden pf_waits_for_its_turn
        .type   pf_gate, @function
        .type   pf_waits_for_its_turn, @function
pf_gate_begin:
pf_gate:
        cmpb    $0, pf_rewind_on(%rip)
        jne     pf_gate_rewind
pf_gate_now:
        CALL
        .size   pf_gate, . - pf_gate
pf_waits_for_its_turn:
        CALL
        .size   pf_waits_for_its_turn, . - pf_waits_for_its_turn

        .cfi_startproc
        .cfi_signal_frame
        /* the CFA is the interrupted rsp */
        .cfi_escape DW_CFA_DEF_CFA_EXPRESSION, 4, RSP_PLUS(UCONTEXT_GREGS + GREG_RSP), DW_OP_DEREF
        SAVED   0, GREG_RAX
        SAVED   1, GREG_RDX
        SAVED   2, GREG_RCX
        SAVED   3, GREG_RBX
        SAVED   4, GREG_RSI
        SAVED   5, GREG_RDI
        SAVED   6, GREG_RBP
        SAVED   7, GREG_RSP
        SAVED   8, GREG_R8
        SAVED   9, GREG_R9
        SAVED   10, GREG_R10
        SAVED   11, GREG_R11
        SAVED   12, GREG_R12
        SAVED   13, GREG_R13
        SAVED   14, GREG_R14
        SAVED   15, GREG_R15
        SAVED   16, GREG_RIP
        nop                             /* unwinders look up the address before a return address */
pf_gate_return:
        movl    $__NR_rt_sigreturn, %eax
        syscall
        .cfi_endproc
pf_gate_clone:
        syscall
        testq   %rax, %rax
        jz      1f
        jmp     *%r12
1:      jmp     *%r13
pf_gate_end:

/* In a run that is to be rewound: a call that is not handled below makes rewinding impossible. */
pf_gate_rewind:
        cmpq    $__NR_exit_group, %rax
        je      4f
        cmpq    $__NR_madvise, %rax
        je      5f
        cmpq    $__NR_rt_sigprocmask, %rax
        je      6f
        cmpq    $__NR_ioctl, %rax
        je      7f
        cmpq    $(PF_REWIND_CALLS - 1), %rax
        ja      2f
        btq     %rax, pf_rewind_unchanging(%rip)
        jc      3f
2:      movb    $1, pf_rewind_spoiled(%rip)
3:      jmp     pf_gate_now
4:      movl    %edi, %ebx
        subq    $PF_STACK_RED_ZONE, %rsp
        andq    $-16, %rsp
        call    *pf_rewind_leave(%rip)  /* returns if the run cannot be rewound */
        movl    %ebx, %edi
        movl    $__NR_exit_group, %eax
        jmp     pf_gate_now
5:      cmpl    $MADV_POPULATE_WRITE, %edx
        jne     2b
        jmp     3b
6:      cmpl    $-1, %edi               /* pf_sys_readable: changes nothing */
        jne     2b
        jmp     3b
7:      cmpl    $TCGETS, %esi           /* isatty */
        jne     2b
        jmp     3b

        .section .note.GNU-stack, "", @progbits
