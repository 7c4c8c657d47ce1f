/*
 * range_entry.S - entry points of compiled code for ranges; like those of check_entry.S, they
 * preserve all registers except r11.
 */
#include "asm_constants.h"
#include "cell_test_macros.def"
#include "entry_macros.def"

        .section pf_text, "ax", @progbits

/* Ranges of 4-byte units up to this size are checked granule by granule. */
#define SHORT_RANGE 64

/* rdi: address, rsi: size, edx: site. First tests ranges in one or two granules whose records cover
 * all 8 bytes, as in arrays. Other short ranges mostly come from loops over a few numbers: each of
 * their granules is tested, and updated like a single access if the test fails. check_miss.c
 * handles the rest. */
        .macro  RANGE name, word_at, shift, access
        BEGIN   \name
        PUSH    %rax
        CELL_OF %rax
        TEST_GRANULE \word_at, \shift
        jnz     1f
        mov     %edi, %r11d
        and     $7, %r11d
        add     %rsi, %r11
        cmp     $8, %r11
        jbe     2f
        cmp     $16, %r11
        ja      1f
        TEST_GRANULE \word_at+16, \shift
        jnz     1f
2:      POP     %rax
        ret
        .cfi_adjust_cfa_offset 8
1:      mov     %edi, %r11d
        or      %esi, %r11d
        test    $3, %r11b
        jnz     9f
        lea     -1(%rsi), %r11
        cmp     $(SHORT_RANGE - 1), %r11
        ja      9f
        PUSH    %rcx, %rdi, %rsi
        sub     $8, %rsp                /* the stack is aligned where C functions expect it */
        .cfi_adjust_cfa_offset 8
        lea     (%rdi,%rsi), %rcx       /* the end */
        mov     %edx, %esi
        test    $4, %dil
        jz      3f
        call    \access\()4
        add     $4, %rdi
        add     $16, %rax
3:      sub     $8, %rcx
        cmp     %rcx, %rdi
        ja      7f
4:      TEST_GRANULE \word_at, \shift           /* rax: the cell of the granule rdi */
        jnz     6f
5:      add     $16, %rax
        add     $8, %rdi
        cmp     %rcx, %rdi
        jbe     4b
7:      add     $8, %rcx
        cmp     %rcx, %rdi
        je      8f
        call    \access\()4
8:      add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        POP     %rsi, %rdi, %rcx, %rax
        ret
        .cfi_adjust_cfa_offset 40
6:
        .if \word_at
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        mov     %fs:TLS_READ_SET(%r11), %r11
        cmp     %r11, \word_at(%rax)
        je      5b
        .endif
        call    \access\()8_miss
        jmp     5b
        .cfi_adjust_cfa_offset -32
9:      POP     %rax
        jmp     \name\()_miss
        END     \name
        .endm

        RANGE   __pf_read_range, 8, PF_CLK_SHIFT, __pf_read
        RANGE   __pf_write_range, 0, PF_WRITE_BIT, __pf_write

        .hidden pf_stub___pf_read_range
        .hidden pf_stub___pf_write_range
        FORWARD pf_stub___pf_read_range, pf_check_range, 0
        FORWARD pf_stub___pf_write_range, pf_check_range, PF_CHECK_WRITE
        .hidden pf_stub___pf_read_turns
        .hidden pf_stub___pf_write_turns
        FORWARD pf_stub___pf_read_turns, pf_check_turns, 0, %r8d
        FORWARD pf_stub___pf_write_turns, pf_check_turns, PF_CHECK_WRITE, %r8d

        .section .note.GNU-stack,"",@progbits
