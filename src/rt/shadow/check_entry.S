/*
 * check_entry.S - entry points of compiled code that preserve all registers except r11.
 *
 * Three steps, each in the register convention that it needs: the test of pf_shadow.h (CHECK,
 * CHECK16), which saves one or two registers; the simplest cases of the fast update (MISS), which
 * saves up to six; the C functions of check_miss.c, which save what they use. The stubs pf_stub_*
 * save all registers that a C function may change, and call the slow path in check.c. The vector
 * registers are not used on any of these paths.
 */
#include "asm_constants.h"
#include "cell_test_macros.def"
#include "entry_macros.def"

        .section pf_text, "ax", @progbits

/* rdi: address, esi: site. word_at: byte offset of the tested word in the cell; shift: lowest bit
 * compared (PF_WRITE_BIT or PF_CLK_SHIFT); what: the last argument of pf_check_slow. */
        .macro  CHECK name, size, word_at, shift, what
        BEGIN   \name
        PUSH    %rax
        CELL_OF %rax
        .if \size == 8
        TEST_GRANULE \word_at, \shift
        jnz     1f
        POP     %rax
        ret
        .cfi_adjust_cfa_offset 8
        .else
        XOR_KEY \word_at
        PUSH    %rcx
        mov     %r11, %rcx
        shr     $\shift, %rcx          /* all 8 bytes covered? then these are, too */
        jz      2f
        mov     %r11, %rcx
        shl     $(64 - PF_MASK_SHIFT), %rcx
        shr     $(\shift + 64 - PF_MASK_SHIFT), %rcx
        jnz     1f
        mov     %edi, %ecx
        and     $7, %ecx
        shr     $PF_MASK_SHIFT, %r11
        shr     %cl, %r11d
        test    $((1 << \size) - 1), %r11b
        jnz     1f
2:      POP     %rcx, %rax
        ret
        .cfi_adjust_cfa_offset 16
        .endif
1:
        .if \size == 8
        PUSH    %rcx
        .endif
        mov     %rax, %rcx
        jmp     .Lcell_of_\name
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

        CHECK   __pf_read1, 1, 8, PF_CLK_SHIFT, 1
        CHECK   __pf_read2, 2, 8, PF_CLK_SHIFT, 2
        CHECK   __pf_read4, 4, 8, PF_CLK_SHIFT, 4
        CHECK   __pf_read8, 8, 8, PF_CLK_SHIFT, 8
        CHECK   __pf_write1, 1, 0, PF_WRITE_BIT, PF_CHECK_WRITE+1
        CHECK   __pf_write2, 2, 0, PF_WRITE_BIT, PF_CHECK_WRITE+2
        CHECK   __pf_write4, 4, 0, PF_WRITE_BIT, PF_CHECK_WRITE+4
        CHECK   __pf_write8, 8, 0, PF_WRITE_BIT, PF_CHECK_WRITE+8

/* The same for 16 bytes: two granules. */
        .macro  CHECK16 name, word_at, shift, what
        BEGIN   \name
        PUSH    %rax
        CELL_OF %rax
        PUSH    %rcx
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        mov     %fs:TLS_KEY(%r11), %r11
        mov     %r11, %rcx
        xor     \word_at(%rax), %r11
        xor     \word_at+16(%rax), %rcx
        or      %rcx, %r11
        POP     %rcx
        shr     $\shift, %r11
        POP     %rax
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

        CHECK16 __pf_read16, 8, PF_CLK_SHIFT, 0
        CHECK16 __pf_write16, 0, PF_WRITE_BIT, PF_CHECK_WRITE

/* The test has failed: usually this is the first access to a granule in a new epoch. Handles the
 * simplest cases (those of pf_cell_update_front, and some more); the C functions of
 * check_miss.c handle the others. */
#include "fast_update_macros.def"
#include "front_update_macros.def"
#include "own_overflow_macros.def"
#include "widen_macros.def"

        /*
         * \update is UPDATE_READ or UPDATE_WRITE. Local labels: 7 returns; 8 tries further cases of
         * reads; 9 restores the registers and continues in check_miss.c.
         */
        .macro  MISS name, size, update
        .hidden \name\()_full
        BEGIN   \name\()_miss
        PUSH    %rax, %rcx
        CELL_OF %rcx
.Lcell_of_\name:                        /* CHECK continues here */
        .ifc \update, UPDATE_READ
        IF_REFERENCE .Lset\@
        .endif
        .if \size == 4 || \size == 8
        IF_OVERFLOW \update, .Loverflow\@, %rax
        PUSH    %rdx, %r8, %r9
        MAKE_RECORD \size, \update, .Lsaved\@
.Lfront\@:
        .ifc \update, UPDATE_READ
        FRONT_READ \size, .Lcovered\@, .Lhas_record\@
        .else
        FRONT_WRITE \size, .Lset\@, .Lhas_record\@
        .endif
.Lstored\@:
        mov     %fs:TLS_THREAD(%r11), %rax
        movb    $1, THREAD_DIRTY(%rax)
.Lcovered\@:
        POP     %r9, %r8, %rdx, %rcx, %rax
        ret
        .cfi_adjust_cfa_offset 40
.Lhas_record\@:
        PUSH    %r10
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        mov     %r8, %rax
        mov     %fs:TLS_CLOCK(%r11), %r11
        jmp     .Lupdate\@
        .cfi_adjust_cfa_offset -32
.Loverflow\@:
        .if \size == 4
        PUSH    %rdx, %r8, %r9
        MAKE_RECORD \size, \update, .Lsaved\@
        .ifc \update, UPDATE_READ
        REQUIRE_OWN_OVERFLOW_WRITE .Lsaved\@
        jmp     .Lfront\@
        .else
        FRONT_WRITE_OVERFLOW .Lsaved\@
        jmp     .Lstored\@
        .endif
        .cfi_adjust_cfa_offset -24
        .else
        jmp     .Lsave\@
        .endif
        .else
        .ifc \update, UPDATE_READ
        jmp     .Lsave\@
        .endif
        .endif
        .ifc \update, UPDATE_READ
.Lset\@:
        IN_READ_SET \size
        .if \size <= 8
        CELL_OF %rcx
        cmpq    $0, 8(%rcx)
        je      .Lsave\@
        PUSH    %rdx, %r8, %r9
        MAKE_RECORD \size, \update, .Lsaved\@
        FRONT_READ_REFERENCE .Lin_set\@, .Lsaved\@, .Lnot_in_set\@
.Lnot_in_set\@:
        POP     %r9, %r8, %rdx, %rcx, %rax
        jmp     \name\()_full
        .cfi_adjust_cfa_offset 40
.Lin_set\@:
        POP     %r9, %r8, %rdx, %rcx, %rax
        ret
        .cfi_adjust_cfa_offset 16
        .endif
        .else
        .if \size == 4 || \size == 8
        .cfi_adjust_cfa_offset 24
.Lset\@:                                /* cell[1] is a reference, and all registers are saved */
        POP     %r9, %r8, %rdx, %rcx, %rax
        jmp     \name\()_full
        .cfi_adjust_cfa_offset 16
        .endif
        .endif
.Lsave\@:
        PUSH    %rdx, %r8, %r9
.Lsaved\@:
        .if \size <= 2
        .ifc \update, UPDATE_READ
        WIDEN    \size, \update, .Loverflow\@, .Lcell\@
        .else
        WIDEN    \size, \update, 6f, .Lcell\@
        .endif
.Lgeneral\@:
        .endif
        PUSH    %r10
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        mov     %fs:TLS_FRAME(%r11), %rax
        movabs  $PF_STORE_BASE, %r8
        mov     FRAME_NODE-FRAME_SIZE(%rax), %eax          /* node of the running function */
        cmp     $PF_NODE_ROOT, %eax
        jbe     .Lrecent\@
.Lnode\@:
        mov     %esi, %edx
        shl     $PF_STORE_SHIFT, %rax
        shr     $IDS_PER_BLOCK_BITS, %edx
        add     %r8, %rax
        mov     NODE_BLOCKS(%rax,%rdx,4), %eax
        mov     %esi, %edx
        and     $((1 << IDS_PER_BLOCK_BITS) - 1), %edx
        test    %eax, %eax
        jz      9f
        or      %edx, %eax
        mov     %fs:TLS_KEY(%r11), %rdx
        .if \size < 8
        mov     %edi, %ecx
        mov     $((1 << \size) - 1), %r8d
        and     $7, %ecx
        shl     $(64 - PF_MASK_SHIFT), %rdx
        shl     %cl, %r8d
        shr     $(64 - PF_MASK_SHIFT), %rdx
        shl     $PF_MASK_SHIFT, %r8
        or      %r8, %rdx
        .endif
        .ifc \update, UPDATE_READ
        btr     $PF_WRITE_BIT, %rdx
        .endif
        or      %rdx, %rax
        mov     %rdi, %rcx
        shl     $(64 - PF_APP_BITS), %rcx
        movabs  $PF_OVERFLOW_STATE, %r8
        shr     $(64 - PF_APP_BITS + 3), %rcx
        mov     %fs:TLS_CLOCK(%r11), %r11
        .ifc \update, UPDATE_READ        /* reads ignore overflow words that are reads */
        .if \size == 16
        testw   $BLOCKING_STATES_READ_TWO, (%r8,%rcx)
        .else
        testb   $BLOCKING_STATES_READ, (%r8,%rcx)
        .endif
        .else
        .if \size == 16
        cmpw    $0, (%r8,%rcx)
        .else
        cmpb    $PF_OVERFLOW_UNUSED, (%r8,%rcx)
        .endif
        .endif
        .ifc \update, UPDATE_WRITE
        .if \size <= 8
        jne     .Loverflow_write\@
        .else
        jne     9f
        .endif
        .else
        .if \size <= 8
        jne     .Loverflow_read\@
        .else
        jne     9f
        .endif
        .endif
        shl     $PF_CELL_SHIFT, %rcx
        test    %r11, %r11
        jz      9f
        bts     $SHADOW_BASE_BIT, %rcx
.Lupdate\@:
        \update  \size, 0
        .if \size == 16
        \update  \size, 16
        .endif
.Ldone\@:
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        mov     %fs:TLS_THREAD(%r11), %rax
        movb    $1, THREAD_DIRTY(%rax)
7:      POP     %r10, %r9, %r8, %rdx, %rcx, %rax
        ret
        .cfi_adjust_cfa_offset 48
.Lrecent\@:
        je      9f
        call    pf_stack_node_recent
        movabs  $PF_STORE_BASE, %r8
        test    %eax, %eax
        jnz     .Lnode\@
        jmp     9f
        .ifc \update, UPDATE_WRITE
        .if \size <= 8
.Loverflow_write\@:
        UPDATE_WRITE_OVERFLOW \size
        jmp     .Ldone\@
        .endif
        .else
        .if \size <= 8
.Loverflow_read\@:
        CHECK_OVERFLOW_WRITES
        jmp     .Lupdate\@
        .endif
        .endif
8:
        .ifc \update, UPDATE_READ
        .if \size <= 8                  /* label 8, reads: is it covered by cell[0]? */
        mov     (%rcx), %rdx
        mov     %rdx, %r8
        xor     %rax, %rdx
        shl     $(64 - PF_MASK_SHIFT), %rdx
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        shr     $(64 - PF_MASK_SHIFT + PF_CLK_SHIFT), %rdx
        jnz     6f
        not     %r8
        and     %rax, %r8
        shr     $PF_MASK_SHIFT, %r8
        jnz     6f
        /* by a read: swap it into cell[1], if another read is there */
        mov     (%rcx), %r8
        mov     8(%rcx), %r9
        bt      $PF_WRITE_BIT, %r8
        jc      5f
        bt      $PF_WRITE_BIT, %r9
        jc      5f
        mov     %r9, %r10
        shr     $PF_SID_SHIFT, %r10
        not     %r10
        test    $PF_SID_MASK, %r10d     /* zero: the slot is PF_SID_REF */
        jz      5f
        mov     %r8, 8(%rcx)
        mov     %r9, (%rcx)
5:      jmp     7b
6:      mov     8(%rcx), %rdx           /* is cell[1] a reference (read set or spill)? */
        mov     %rdx, %r8
        shr     $PF_SID_SHIFT, %r8
        not     %r8
        test    $PF_SID_MASK, %r8d      /* zero: the slot is PF_SID_REF */
        jz      9f
        /* a read of this epoch from another site: the C code merges them */
        mov     %rdx, %r8
        xor     %rax, %r8
        shl     $(64 - PF_MASK_SHIFT), %r8
        shr     $(64 - PF_MASK_SHIFT + PF_WRITE_BIT), %r8
        jz      9f
        /* cell[0]: an older read of this thread, next to another thread's in cell[1]? */
        bt      $PF_WRITE_BIT, %rdx
        jc      1f
        mov     (%rcx), %r8
        mov     %r8, %r9
        xor     %rax, %r9
        shr     $PF_SID_SHIFT, %r9
        test    $((2 << PF_SID_BITS) - 1), %r9d             /* same slot, and not atomic */
        jnz     1f
        bt      $PF_WRITE_BIT, %r8
        jc      1f
        BYTES_OUTSIDE %r8
        jnz     1f
        mov     %rax, (%rcx)
        jmp     .Ldone\@
1:      /* or do the overflow words have a record that covers the read, or an older read of this
         * thread? */
        mov     %rcx, %r9
        movabs  $STATE_OF_CELL, %r8
        shr     $PF_CELL_SHIFT, %r9
        cmpb    $PF_OVERFLOW_UNUSED, (%r8,%r9)
        je      9f
        movabs  $OVERFLOW_DISTANCE, %r8
        lea     (%rcx,%rcx), %rdx
        sub     %r8, %rdx
        xor     %r10d, %r10d            /* the word with this thread's older read, if any */
        .rept PF_OVERFLOW_WORDS
        mov     (%rdx), %r8
        mov     %r8, %r9
        xor     %rax, %r9
        shl     $(64 - PF_MASK_SHIFT), %r9
        shr     $(64 - PF_MASK_SHIFT + PF_CLK_SHIFT), %r9
        jz      14f
        shr     $(PF_SID_SHIFT - PF_CLK_SHIFT), %r9
        jnz     3f
        bt      $PF_WRITE_BIT, %r8
        jc      3f
        mov     %rax, %r9
        not     %r9
        and     %r8, %r9
        shr     $PF_MASK_SHIFT, %r9
        cmovz   %rdx, %r10
        jmp     3f
14:     not     %r8
        and     %rax, %r8
        shr     $PF_MASK_SHIFT, %r8
        jz      2f
3:      add     $8, %rdx
        .endr
        test    %r10, %r10
        jz      9f
        mov     %r10, %rdx
        mov     %fs:TLS_CLOCK(%r11), %r11
        .irp    word, 0, 8              /* neither front word may race with the read */
        mov     \word(%rcx), %r8
        bt      $PF_WRITE_BIT, %r8
        jnc     3f
        SLOT_AND_CLK     %r8
        cmp     %r10d, (%r11,%r9,4)
        jb      9f
3:
        .endr
        mov     %rax, (%rdx)
        jmp     .Ldone\@
        /* covered by an overflow word: swap it into cell[1], if a plain read is there */
2:      mov     8(%rcx), %r9
        bt      $PF_WRITE_BIT, %r9
        jc      5b
        bt      $PF_ATOMIC_BIT, %r9
        jc      5b
        mov     (%rdx), %r8
        mov     %r9, (%rdx)
        mov     %r8, 8(%rcx)
        jmp     5b
        .endif
        .endif
9:      POP     %r10, %r9, %r8, %rdx, %rcx, %rax
        jmp     \name\()_full
        .ifc \update, UPDATE_READ
        .if \size <= 2
        .cfi_adjust_cfa_offset 40
.Loverflow\@:
        IF_COVERED_BY_WRITE \size, .Lcovered\@
        REQUIRE_OWN_OVERFLOW_WRITES .Lgeneral\@
        jmp     .Lcell\@
.Lcovered\@:
        POP     %r9, %r8, %rdx, %rcx, %rax
        ret
        .endif
        .endif
        END     \name\()_miss
        .endm

        MISS    __pf_read1, 1, UPDATE_READ
        MISS    __pf_read2, 2, UPDATE_READ
        MISS    __pf_read4, 4, UPDATE_READ
        MISS    __pf_read8, 8, UPDATE_READ
        MISS    __pf_read16, 16, UPDATE_READ
        MISS    __pf_write1, 1, UPDATE_WRITE
        MISS    __pf_write2, 2, UPDATE_WRITE
        MISS    __pf_write4, 4, UPDATE_WRITE
        MISS    __pf_write8, 8, UPDATE_WRITE
        MISS    __pf_write16, 16, UPDATE_WRITE

        FORWARD __pf_write_vptr, pf_check_vptr

/*
 * void pf_call_saving_vectors(void (*f)(void *), void *arg): calls f(arg) with the vector registers
 * saved on the stack, and with empty x87 registers.
 *
 * Of the vector and x87 registers, compiled code that calls the runtime expects only xmm0 to xmm15
 * to be preserved, and with AVX their upper halves. The x87 registers, the registers that AVX-512
 * added and its masks are dead across the call. An xsave of all of them takes four times as long.
 * Upper halves that are in their initial state are left in it: writing them, even with zeroes,
 * would slow down code that uses only xmm.
 */
        .macro  ALL16 op, wide, store, step
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        .if \store
        \op    %\wide\n, \step*\n(%rsp)
        .else
        \op    \step*\n(%rsp), %\wide\n
        .endif
        .endr
        .endm

        .hidden pf_call_saving_vectors
        BEGIN   pf_call_saving_vectors
        PUSH    %rbp
        .cfi_rel_offset %rbp, 0
        mov     %rsp, %rbp
        .cfi_def_cfa_register %rbp
        sub     $512, %rsp
        and     $-64, %rsp
        mov     %rdi, %r8
        mov     %rsi, %rdi
        mov     pf_vector_state(%rip), %eax
        test    $8, %eax
        jz      1f
        mov     $1, %ecx                /* ask for the components in use */
        xgetbv
1:      test    $1, %al
        jz      2f
        emms
2:      test    $4, %al
        jnz     3f
        ALL16   movaps, xmm, 1, 16
        call    *%r8
        ALL16   movaps, xmm, 0, 16
        jmp     4f
3:      ALL16   vmovaps, ymm, 1, 32
        vzeroupper
        call    *%r8
        ALL16   vmovaps, ymm, 0, 32
4:      mov     %rbp, %rsp
        pop     %rbp
        .cfi_def_cfa %rsp, 8
        ret
        END     pf_call_saving_vectors

        .hidden pf_vector_state
        .globl  pf_vector_state
        .data
        .p2align 2
/* Flags, by value: 1: x87 exists, 4: AVX exists, 8: xgetbv can tell which of them are in use. Set
 * by start.c. */
pf_vector_state:
        .long   1

        .section .note.GNU-stack,"",@progbits
