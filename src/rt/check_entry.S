/*
 * check_entry.S - entry points of compiled code with the convention "preserve all but r11".
 *
 * The quick test of pf_shadow.h in registers that are saved by hand; on a miss all registers a C
 * function may change are saved and check.c goes on. Vector registers are not touched there.
 */
#include "entry_macros.def"

        .text

/* rdi: address, esi: site. slot: byte offset of the word in the cell; shift: lowest bit compared. */
        .macro  CHECK name, size, slot, shift, what
        BEGIN   \name
        push    %rax
        .cfi_adjust_cfa_offset 8
        mov     %rdi, %rax
        shl     $(64 - 43), %rax        /* PF_APP_BITS */
        shr     $(64 - 43 + 3), %rax
        shl     $4, %rax
        bts     $45, %rax               /* PF_SHADOW_BASE */
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        mov     %fs:(%r11), %r11
        xor     \slot(%rax), %r11
        .if \size == 8
        shr     $\shift, %r11
        pop     %rax
        jnz     1f
        ret
        .else
        mov     %r11, %rax
        shl     $8, %rax
        shr     $(\shift + 8), %rax
        jnz     2f
        push    %rcx
        mov     %edi, %ecx
        and     $7, %ecx
        shr     $56, %r11
        shr     %cl, %r11d
        pop     %rcx
        test    $((1 << \size) - 1), %r11b
2:      pop     %rax
        jnz     1f
        ret
        .endif
        .cfi_adjust_cfa_offset -8
1:      jmp     \name\()_miss
        END     \name
        .hidden pf_stub_\name
        BEGIN   pf_stub_\name
        SAVE
        mov     $\what, %edx
        call    pf_check_slow
        RESTORE
        ret
        END     pf_stub_\name
        .endm

        CHECK   __pf_read1, 1, 8, 25, 1
        CHECK   __pf_read2, 2, 8, 25, 2
        CHECK   __pf_read4, 4, 8, 25, 4
        CHECK   __pf_read8, 8, 8, 25, 8
        CHECK   __pf_write1, 1, 0, 24, 17
        CHECK   __pf_write2, 2, 0, 24, 18
        CHECK   __pf_write4, 4, 0, 24, 20
        CHECK   __pf_write8, 8, 0, 24, 24

/* Two granules. */
        .macro  CHECK16 name, slot, shift, what
        BEGIN   \name
        push    %rax
        .cfi_adjust_cfa_offset 8
        mov     %rdi, %rax
        shl     $(64 - 43), %rax
        shr     $(64 - 43 + 3), %rax
        shl     $4, %rax
        bts     $45, %rax
        push    %rcx
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        mov     %fs:(%r11), %r11
        mov     %r11, %rcx
        xor     \slot(%rax), %r11
        xor     \slot+16(%rax), %rcx
        or      %rcx, %r11
        pop     %rcx
        shr     $\shift, %r11
        pop     %rax
        .cfi_adjust_cfa_offset -8
        jnz     1f
        ret
1:      jmp     \name\()_miss
        END     \name
        .hidden pf_stub_\name
        BEGIN   pf_stub_\name
        SAVE
        mov     %esi, %edx
        mov     $16, %esi
        mov     $\what, %ecx
        call    pf_check_range
        RESTORE
        ret
        END     pf_stub_\name
        .endm

        CHECK16 __pf_read16, 8, 25, 0
        CHECK16 __pf_write16, 0, 24, 16

        .macro  FORWARD name, target, what
        BEGIN   \name
        SAVE
        .ifnb \what
        mov     $\what, %ecx
        .endif
        call    \target
        RESTORE
        ret
        END     \name
        .endm

        FORWARD __pf_read_range, pf_check_range, 0
        FORWARD __pf_write_range, pf_check_range, 16
        FORWARD __pf_write_vptr, pf_check_vptr

/* void pf_call_saved(void (*f)(void *), void *arg): the vector state lives on the stack meanwhile. */
        .hidden pf_call_saved
        BEGIN   pf_call_saved
        push    %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        mov     %rsp, %rbp
        .cfi_def_cfa_register %rbp
        push    %rbx
        sub     pf_xsave_size(%rip), %rsp
        and     $-64, %rsp
        mov     %rdi, %r8
        mov     %rsi, %rdi
        mov     pf_xsave_mask(%rip), %eax
        mov     pf_xsave_mask+4(%rip), %edx
        test    %eax, %eax
        jz      3f
        /* the header of the save area must be zero */
        movq    $0, 512(%rsp)
        movq    $0, 520(%rsp)
        movq    $0, 528(%rsp)
        movq    $0, 536(%rsp)
        movq    $0, 544(%rsp)
        movq    $0, 552(%rsp)
        movq    $0, 560(%rsp)
        movq    $0, 568(%rsp)
        xsave   (%rsp)
        call    *%r8
        mov     pf_xsave_mask(%rip), %eax
        mov     pf_xsave_mask+4(%rip), %edx
        xrstor  (%rsp)
        jmp     4f
3:      fxsave  (%rsp)
        call    *%r8
        fxrstor (%rsp)
4:      lea     -8(%rbp), %rsp
        pop     %rbx
        pop     %rbp
        .cfi_def_cfa %rsp, 8
        ret
        END     pf_call_saved

        .section .note.GNU-stack,"",@progbits
