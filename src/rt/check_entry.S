/*
 * check_entry.S - entry points of compiled code with the convention "preserve all but r11".
 *
 * The quick test of pf_shadow.h in registers that are saved by hand; on a miss all registers a C
 * function may change are saved and check.c goes on. Vector registers are not touched there.
 */
#include "entry_macros.def"

        .section pf_text, "ax", @progbits

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
        shr     $\shift, %rax          /* of all bytes: whichever these are */
        jz      2f
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

/*
 * Where the quick test did not pass: the usual first touch of a granule in a new epoch, in its
 * plainest cases (those of pf_cell_touch_lean); all others go to the C functions of check_miss.c,
 * which also assert the offsets used here.
 *
 *      rax  the statement to be made       rcx  the cell          r11  the thread's clock
 *      rdx  word 0                         r8   word 1            r9, r10  scratch
 */
        .set    TLS_KEY, 0
        .set    TLS_SHARED, 8
        .set    TLS_FRAME, 16
        .set    TLS_THREAD, 32
        .set    TLS_CLOCK, 40
        .set    THREAD_DIRTY, 20
        .set    THREAD_PAIRS, 32
        .set    THREAD_MET, THREAD_PAIRS+12*4096
        .set    THREAD_PATHS, THREAD_MET+64*16
        .set    THREAD_SPAN, THREAD_PATHS+4096*16
        .set    NODE_BLOCKS, 24
        .set    RT_SETTLED, 12

/*
 * uint32_t pf_stack_near(void), see stack.h. Up to the nearest frame that has a node, then down again:
 *
 *      rax  its node and call                  edx  the function called       r8  their pf_path_slot
 *      r9   the frame on top                   r10  the frame                 r11  __pf_tls
 */
        .hidden pf_stack_near
        BEGIN   pf_stack_near
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        mov     %fs:TLS_FRAME(%r11), %r9
        sub     $16, %r9
        mov     %r9, %r10
1:      sub     $16, %r10
        mov     12(%r10), %eax
        test    %eax, %eax
        jz      1b
        cmp     $1, %eax                /* PF_NODE_ROOT: its name is another one */
        je      3f
2:      mov     8(%r10), %ecx
        mov     16(%r10), %rdx
        and     $0xbfffffff, %ecx       /* PF_CALL_UNWATCHED */
        mov     20(%rdx), %edx
        imul    $31, %eax, %r8d
        add     %ecx, %r8d
        shl     $32, %rcx
        imul    $0x9e3779b9, %r8d, %r8d
        or      %rcx, %rax
        imul    $0x85ebca6b, %edx, %ecx
        add     %ecx, %r8d
        shr     $(32 - 12), %r8d        /* PF_PATH_BITS */
        shl     $4, %r8d
        add     %fs:TLS_THREAD(%r11), %r8
        cmp     %rax, THREAD_PATHS(%r8)
        jne     3f
        mov     THREAD_PATHS+8(%r8), %rcx
        cmp     %rax, THREAD_PATHS(%r8) /* a signal's handler may change it meanwhile */
        jne     3f
        mov     %rcx, %rax
        cmp     %edx, %ecx
        jne     3f
        shr     $32, %rax
        add     $16, %r10
        mov     %eax, 12(%r10)
        cmp     %r9, %r10
        jb      2b
        ret
3:      xor     %eax, %eax
        ret
        END     pf_stack_near

/* r9, r10: slot and clk of the statement s. */
        .macro  WHO s
        mov     \s, %r9
        mov     \s, %r10
        shr     $45, %r9                /* PF_SID_SHIFT */
        shl     $19, %r10               /* the 20 bits of clk alone */
        and     $1023, %r9d
        shr     $44, %r10
        .endm

/* Fails unless the statement s is known to the thread: its clk <= clock[sid]. */
        .macro  KNOWN s
        WHO     \s
        cmp     %r10d, (%r11,%r9,4)
        jb      8f
        .endm

/* Goes to \then if every thread knows the statement of WHO (pf_stmt_settled). */
        .macro  SETTLED then, scratch
        lea     pf_rt+RT_SETTLED(%rip), \scratch
        cmp     %r10d, (\scratch,%r9,4)
        jae     \then
        .endm

/* What rax leaves of the older read r8 of other bytes moves to one of the other words: one that is nothing, or a read that gives
 * way to rax, or that is needless beside r8 (an older one of its slot); or to the first of them if that is settled. Where they do
 * not count it moves to word 0, if that is settled. Else fails. */
        .macro  LEAVE
        mov     %rax, %r9
        shr     $56, %r9
        shl     $56, %r9
        not     %r9
        and     %r9, %r8
        movabs  $0x140000000000, %r10   /* PF_MORE_USED */
        mov     %rcx, %r9
        btr     $45, %r9
        shr     $4, %r9
        mov     %rcx, %rdx
        cmpb    $0, (%r10,%r9)
        je      .Lgone\@
        movabs  $0x100000000000, %r9
        add     %rcx, %rdx              /* PF_MORE_BASE */
        sub     %r9, %rdx
        .rept 4
        mov     (%rdx), %r9
        test    %r9, %r9
        jz      .Lleave\@
        bt      $24, %r9
        jc      13f
        mov     %r8, %r10
        xor     %r9, %r10
        shl     $8, %r10
        shr     $(8 + 45), %r10         /* of another slot, or atomic */
        jnz     12f
        mov     %r8, %r10
        not     %r10
        and     %r9, %r10
        shr     $56, %r10               /* of other bytes */
        jnz     12f
        mov     %r8, %r10
        shl     $8, %r9
        shl     $8, %r10
        cmp     %r9, %r10
        jae     .Lleave\@
        jmp     13f
12:     mov     %rax, %r10
        not     %r10
        and     %r9, %r10
        shr     $55, %r10               /* outside of rax, or atomic */
        jnz     13f
        mov     %r9, %r10
        shr     $45, %r9
        shl     $19, %r10
        and     $1023, %r9d
        shr     $44, %r10
        cmp     %r10d, (%r11,%r9,4)
        jae     .Lleave\@
13:     add     $8, %rdx
        .endr
        sub     $32, %rdx
.Lgone\@:
        mov     (%rdx), %r11
        WHO     %r11
        SETTLED .Lleave\@, %r11
        jmp     8f
.Lleave\@:
        mov     %r8, (%rdx)
        .endm

/* Bytes of s that the statement does not speak of, or'ed flags: zero if there are none. */
        .macro  OUTSIDE s
        mov     %rax, %r10
        not     %r10
        and     \s, %r10
        shr     $56, %r10
        .endm

/* Goes to \then if s says nothing that the write in rdx does not say too (pf_stmt_under). */
        .macro  UNDER s, then
        bt      $24, %rdx
        jnc     .Lnot\@
        mov     %rdx, %r10
        not     %r10
        and     \s, %r10
        shr     $56, %r10
        jnz     .Lnot\@
        mov     __pf_tls@GOTTPOFF(%rip), %r10
        mov     %fs:TLS_THREAD(%r10), %r10
        mov     \s, %r9
        shl     $9, %r9
        shr     $(9 + 25), %r9          /* slot and epoch */
        sub     THREAD_SPAN(%r10), %r9d
        cmp     THREAD_SPAN+4(%r10), %r9d
        ja      .Lnot\@
        shl     $8, %rdx                /* and that it is plain */
        shr     $(8 + 25), %rdx
        sub     THREAD_SPAN(%r10), %edx
        cmp     THREAD_SPAN+4(%r10), %edx
        jbe     \then
.Lnot\@:
        .endm

/* rax becomes the statement s and itself as one, from two places, if the thread made that pair of
 * them lately (pf_idpair_quick); else fails. rax stays where s says nothing that it does not. */
        .macro  JOIN s, s32
        OUTSIDE \s
        jz      6f
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        shl     $24, %r10
        mov     %fs:TLS_THREAD(%r11), %r11
        mov     %eax, %r9d
        and     $0xffffff, %r9d
        or      %r9, %r10
        shl     $24, %r10
        mov     \s32, %r9d
        and     $0xffffff, %r9d
        or      %r10, %r9               /* pf_idpair_word */
        movabs  $0x9e3779b97f4a7c15, %r10
        imul    %r9, %r10
        shr     $(64 - 12), %r10        /* PF_PAIRS_BITS */
        lea     THREAD_PAIRS(%r11,%r10,8), %r11
        neg     %r10
        cmp     %r9, (%r11)
        jne     8f
        mov     8*4096(%r11,%r10,4), %r10d
        cmp     %r9, (%r11)             /* a signal's handler may change it meanwhile */
        jne     8f
        test    %r10d, %r10d
        jz      8f
        or      \s, %rax
        shr     $24, %rax
        shl     $24, %rax
        or      %r10, %rax
6:
        .endm

/* pf_cell_first: the cell was empty. Two that come at the same time must see each other. */
        .macro  FIRST word, other
        mov     __pf_tls@GOTTPOFF(%rip), %r10
        mov     %rax, %r9
        mov     %fs:TLS_THREAD(%r10), %r10
        xor     %eax, %eax
        movb    $1, THREAD_DIRTY(%r10)
        lock cmpxchg %r9, \word(%rcx)
        mov     %r9, %rax
        jne     8f
        cmpq    $0, \other(%rcx)
        je      .Lfirst\@
        xor     %r10d, %r10d
        lock cmpxchg %r10, \word(%rcx)
        mov     %r9, %rax
        jmp     8f
.Lfirst\@:
        .endm

        .macro  TOUCH_READ size, at
        mov     \at(%rcx), %rdx
        bt      $24, %rdx               /* reads do not mind reads */
        jnc     7f
        KNOWN   %rdx
7:
        mov     \at+8(%rcx), %r8
        cmp     %rdx, %r8               /* a write stands in both words: gives way */
        je      4f
        .if \size < 8
        mov     %r8, %r9
        xor     %rax, %r9
        shl     $8, %r9
        jz      1f                      /* other bytes, same place and epoch */
        shr     $(8 + 24), %r9
        jz      3f                      /* the same epoch, another place */
        .endif
        bt      $24, %r8                /* an older plain read gives way */
        jc      .Lstrong\@
        bt      $55, %r8
        jc      .Lstrong\@
        KNOWN   %r8
        .if \size < 8
        mov     %rax, %rdx
        not     %rdx
        and     %r8, %rdx
        shr     $56, %rdx
        jz      2f
        SETTLED 2f, %rdx
        mov     \at(%rcx), %rdx
        UNDER   %r8, 2f
        LEAVE
        jmp     2f
3:      JOIN    %r8, %r8d
        jmp     2f
1:      or      %r8, %rax
        .endif
        jmp     2f
.Lstrong\@:
        WHO     %r8
        SETTLED 2f, %rdx
        jmp     8f
4:      test    %rdx, %rdx
        jnz     2f
        FIRST   \at+8, \at
        jmp     5f
2:      mov     %rax, \at+8(%rcx)
5:
        .endm

        .macro  TOUCH_WRITE size, at
        mov     \at(%rcx), %rdx
        KNOWN   %rdx
        mov     \at+8(%rcx), %r8
        cmp     %rdx, %r8
        je      .Ldouble\@
        KNOWN   %r8
1:
        .if \size < 8
        mov     %rdx, %r9
        xor     %rax, %r9
        shl     $8, %r9
        jz      3f
        OUTSIDE %rdx
        jz      4f
        shr     $(8 + 24), %r9          /* of this epoch, from another place */
        jz      7f
        cmp     %rdx, %r8               /* what is left of the older write moves back, */
        je      2f
        OUTSIDE %r8                     /* if there is room, */
        jz      2f
        WHO     %rdx                    /* or none is needed */
        SETTLED 4f, %r11
        WHO     %r8
        SETTLED 2f, %r11
        jmp     8f
2:      mov     %rax, %r10
        shr     $56, %r10
        shl     $56, %r10
        not     %r10
        and     %r10, %rdx
        mov     %rdx, %r8
        jmp     5f
7:      JOIN    %rdx, %edx
        jmp     4f
3:      or      %rdx, %rax
4:      mov     %rax, %r10              /* what it leaves of the second word, */
        shr     $56, %r10
        shl     $56, %r10
        not     %r10
        and     %r10, %r8
        mov     %r8, %r9
        shr     $56, %r9
        cmovz   %rax, %r8               /* or itself again */
5:      mov     %rax, \at(%rcx)
        mov     %r8, \at+8(%rcx)
        .else
        mov     %rax, \at(%rcx)
        mov     %rax, \at+8(%rcx)
        .endif
        jmp     .Lstored\@
.Ldouble\@:
        test    %rdx, %rdx
        jnz     1b
        FIRST   \at, \at+8
        mov     %rax, \at+8(%rcx)
.Lstored\@:
        .endm

/* A part of a granule that this thread writes in this epoch already, while other words count: they must
 * be known; when the write is whole they go. */
        .macro  WRITE_ON
        shl     $4, %rcx
        test    %r11, %r11
        jz      9f
        bts     $45, %rcx
        mov     (%rcx), %rdx
        mov     %rdx, %r9
        xor     %rax, %r9
        shl     $8, %r9
        shr     $(8 + 24), %r9
        jnz     9f
        mov     8(%rcx), %r8
        KNOWN   %r8
        movabs  $0x100000000000, %r9
        lea     (%rcx,%rcx), %rdx       /* PF_MORE_BASE */
        sub     %r9, %rdx
        mov     (%rdx), %r8
        KNOWN   %r8
        mov     8(%rdx), %r8
        or      16(%rdx), %r8
        or      24(%rdx), %r8
        jz      4f
        .irp    word, 8, 16, 24
        mov     \word(%rdx), %r8
        KNOWN   %r8
        .endr
4:
        mov     (%rcx), %rdx
        mov     %rdx, %r9
        xor     %rax, %r9
        shl     $8, %r9
        jz      1f
        JOIN    %rdx, %edx
        jmp     2f
1:      or      %rdx, %rax
2:      mov     8(%rcx), %r8
        mov     %rax, %r10
        shr     $56, %r10
        shl     $56, %r10
        not     %r10
        and     %r10, %r8
        mov     %r8, %r9
        shr     $56, %r9
        cmovz   %rax, %r8
        mov     %rax, (%rcx)
        mov     %r8, 8(%rcx)
        mov     %rax, %r9
        not     %r9
        shr     $56, %r9
        jnz     3f
        movabs  $0x140000000000, %r9    /* PF_MORE_USED */
        btr     $45, %rcx
        shr     $4, %rcx
        movb    $0, (%r9,%rcx)
3:
        .endm

/* Of the other words some are writes: a read must know those of its bytes. */
        .macro  CALM
        shl     $4, %rcx
        test    %r11, %r11
        jz      9f
        bts     $45, %rcx
        movabs  $0x100000000000, %r9
        lea     (%rcx,%rcx), %rdx       /* PF_MORE_BASE */
        sub     %r9, %rdx
        .irp    word, 0, 8, 16, 24
        mov     \word(%rdx), %r8
        bt      $24, %r8
        jnc     11f
        mov     %r8, %r9
        and     %rax, %r9
        shr     $56, %r9
        jz      11f
        WHO     %r8
        cmp     %r10d, (%r11,%r9,4)
        jb      9f
11:
        .endr
        .endm

/*
 * Bytes are mostly touched one after the other: the statement of this epoch that speaks of their
 * neighbours grows, if it is from the same place, has a record of its places, or is one of a pair that the
 * thread made lately. Everything else goes on at 6. A signal's handler that comes in between can at most lose a statement of its own.
 *
 *      rax  the statement                  rcx  the cell          rdx  the id       r8, r9  scratch
 */
        .macro  GROW size, touch
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        mov     %rdi, %rcx
        shl     $(64 - 43), %rcx
        movabs  $0x140000000000, %rdx   /* PF_MORE_USED */
        shr     $(64 - 43 + 3), %rcx
        .ifc \touch, TOUCH_READ
        testb   $0xfe, (%rdx,%rcx)
        jne     6f
        .else
        movzbl  (%rdx,%rcx), %r9d
        .endif
        shl     $4, %rcx
        mov     %fs:TLS_KEY(%r11), %rdx
        bts     $45, %rcx
        .ifc \touch, TOUCH_READ
        mov     8(%rcx), %rax
        xor     %rax, %rdx
        shl     $8, %rdx
        shr     $(8 + 24), %rdx         /* of the key all is the same, but that it writes */
        cmp     $1, %rdx
        .else
        mov     (%rcx), %rax
        xor     %rax, %rdx
        shl     $8, %rdx
        shr     $(8 + 24), %rdx
        .endif
        jne     6f
        mov     %fs:TLS_FRAME(%r11), %rdx
        movabs  $0x160000000000, %r8    /* PF_STORE_BASE */
        mov     -4(%rdx), %edx
        cmp     $1, %edx                /* PF_NODE_ROOT */
        jbe     6f
        shl     $6, %rdx
        add     %r8, %rdx
        mov     %esi, %r8d
        shr     $4, %r8d
        mov     NODE_BLOCKS(%rdx,%r8,4), %edx
        mov     %esi, %r8d
        and     $15, %r8d
        test    %edx, %edx
        jz      6f
        or      %r8d, %edx
        mov     %fs:TLS_CLOCK(%r11), %r11
        test    %r11, %r11
        jz      6f
        .ifc \touch, TOUCH_READ
        mov     (%rcx), %r8
        bt      $24, %r8
        jnc     1f
        mov     %r8, %r9
        shr     $45, %r9
        shl     $19, %r8
        and     $1023, %r9d
        shr     $44, %r8
        cmp     %r8d, (%r11,%r9,4)
        jb      6f
1:
        .else
        test    %r9d, %r9d
        jnz     .Lmarked\@
        cmp     %rax, 8(%rcx)           /* a write stands in both words, or something known beside it */
        jne     .Lbeside\@
.Lgrows\@:
        .endif
        mov     %rcx, %r9
        mov     %edi, %ecx
        mov     $((1 << \size) - 1), %r8d
        and     $7, %ecx
        shl     %cl, %r8d
        mov     %edx, %ecx
        shl     $56, %r8
        xor     %eax, %ecx
        shl     $8, %ecx
        jnz     2f
        or      %r8, %rax
3:
        .ifc \touch, TOUCH_WRITE
        mov     (%r9), %rcx
        cmp     %rcx, 8(%r9)
        jne     .Lcut\@
        mov     %rax, (%r9)
        .endif
        mov     %rax, 8(%r9)
.Lgrown\@:
        pop     %r9
        pop     %r8
        pop     %rdx
        pop     %rcx
        pop     %rax
        .cfi_adjust_cfa_offset -40
        ret
        .cfi_adjust_cfa_offset 40
        .ifc \touch, TOUCH_WRITE
.Lmarked\@:                              /* the other words must be known too */
        cmp     %rax, 8(%rcx)
        je      6f
        push    %r10
        .cfi_adjust_cfa_offset 8
        movabs  $0x100000000000, %r9
        lea     (%rcx,%rcx), %r8        /* PF_MORE_BASE */
        sub     %r9, %r8
        .irp    word, 0, 8, 16, 24
        .if \word == 8                  /* mostly it is one */
        mov     8(%r8), %r9
        or      16(%r8), %r9
        or      24(%r8), %r9
        jz      4f
        .endif
        mov     \word(%r8), %r9
        mov     %r9, %r10
        shr     $45, %r10
        shl     $19, %r9
        and     $1023, %r10d
        shr     $44, %r9
        cmp     %r9d, (%r11,%r10,4)
        jb      5f
        .endr
4:      pop     %r10
        .cfi_adjust_cfa_offset -8
.Lbeside\@:
        mov     8(%rcx), %r8
        mov     %r8, %r9
        shr     $45, %r9
        shl     $19, %r8
        and     $1023, %r9d
        shr     $44, %r8
        cmp     %r8d, (%r11,%r9,4)
        jae     .Lgrows\@
        jmp     6f
        .cfi_adjust_cfa_offset 8
5:      pop     %r10
        .cfi_adjust_cfa_offset -8
        jmp     6f
.Lcut\@:                                 /* what it leaves of the second word, or itself again */
        mov     8(%r9), %rcx
        mov     %rax, %rdx
        shr     $56, %rdx
        mov     %rdx, %r8
        shl     $56, %r8
        not     %r8
        and     %r8, %rcx
        mov     %rcx, %r8
        shr     $56, %r8
        cmovz   %rax, %rcx
        mov     %rax, (%r9)
        mov     %rcx, 8(%r9)
        cmp     $0xff, %edx             /* whole: the others go */
        jne     .Lgrown\@
        movabs  $0x140000000000, %rdx   /* PF_MORE_USED */
        btr     $45, %r9
        shr     $4, %r9
        cmpb    $0, (%rdx,%r9)
        je      .Lgrown\@
        movb    $0, (%rdx,%r9)
        jmp     .Lgrown\@
        .endif
4:      mov     %eax, %ecx              /* the record of its places: struct pf_places */
        movabs  $0x17f000000000, %r11   /* PF_PLACES_BASE */
        and     $0x3fffff, %ecx
        mov     %rax, %r8
        lea     (%rcx,%rcx,4), %rcx
        shr     $24, %r8
        lea     (%r11,%rcx,8), %r11
        mov     %r9, %rcx
        and     $0x1fffff, %r8d
        shl     $17, %rcx
        or      %r8, %rcx               /* pf_places_tag */
        cmp     %rcx, (%r11)
        jne     6f
        mov     %edi, %ecx
        mov     $((1 << \size) - 1), %r8d
        and     $7, %ecx
        mov     %edx, 8(%r11,%rcx,4)
        .if \size == 2
        mov     %edx, 12(%r11,%rcx,4)
        .endif
        shl     %cl, %r8d
        shl     $56, %r8
        or      %r8, %rax
        jmp     3b
2:      mov     %eax, %ecx
        shl     $8, %ecx
        cmp     $0xc0000000, %ecx       /* PF_ID_PLACES */
        jae     4b
        mov     %r8, %rcx               /* the bytes that the statement speaks of alone */
        not     %rcx
        and     %rax, %rcx
        shr     $56, %rcx
        jz      6f
        shl     $24, %rcx
        or      %rdx, %rcx
        shl     $24, %rcx
        mov     %eax, %edx
        and     $0xffffff, %edx
        or      %r8, %rax
        or      %rdx, %rcx              /* pf_idpair_word */
        movabs  $0x9e3779b97f4a7c15, %r8
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        imul    %rcx, %r8
        mov     %fs:TLS_THREAD(%r11), %r11
        shr     $(64 - 12), %r8         /* PF_PAIRS_BITS */
        cmp     %rcx, THREAD_PAIRS(%r11,%r8,8)
        jne     6f
        mov     THREAD_PAIRS+8*4096(%r11,%r8,4), %edx
        cmp     %rcx, THREAD_PAIRS(%r11,%r8,8)
        jne     6f
        test    %edx, %edx
        jz      6f
        shr     $24, %rax
        shl     $24, %rax
        or      %rdx, %rax
        jmp     3b
6:
        .endm

        .macro  MISS name, size, touch
        .hidden \name\()_full
        BEGIN   \name\()_miss
        push    %rax
        push    %rcx
        push    %rdx
        push    %r8
        push    %r9
        .cfi_adjust_cfa_offset 40
        .if \size <= 2
        GROW    \size, \touch
        .endif
        push    %r10
        .cfi_adjust_cfa_offset 8
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        mov     %fs:TLS_FRAME(%r11), %rax
        movabs  $0x160000000000, %r8    /* PF_STORE_BASE */
        mov     -4(%rax), %eax          /* the calling context */
        cmp     $1, %eax                /* PF_NODE_ROOT */
        jbe     .Lnear\@
.Lnode\@:
        mov     %esi, %edx
        shl     $6, %rax
        shr     $4, %edx                /* PF_IDS_PER_BLOCK */
        add     %r8, %rax
        mov     NODE_BLOCKS(%rax,%rdx,4), %eax
        mov     %esi, %edx
        and     $15, %edx
        test    %eax, %eax
        jz      9f
        or      %edx, %eax
        mov     %fs:TLS_KEY(%r11), %rdx
        .if \size < 8
        mov     %edi, %ecx
        mov     $((1 << \size) - 1), %r8d
        and     $7, %ecx
        shl     $8, %rdx
        shl     %cl, %r8d
        shr     $8, %rdx
        shl     $56, %r8
        or      %r8, %rdx
        .endif
        .ifc \touch, TOUCH_READ
        btr     $24, %rdx               /* PF_WRITE_BIT */
        .endif
        or      %rdx, %rax
        mov     %rdi, %rcx
        shl     $(64 - 43), %rcx
        movabs  $0x140000000000, %r8    /* PF_MORE_USED */
        shr     $(64 - 43 + 3), %rcx
        mov     %fs:TLS_CLOCK(%r11), %r11
        .ifc \touch, TOUCH_READ        /* other words: reads do not mind reads */
        .if \size == 16
        testw   $0xfefe, (%r8,%rcx)
        .else
        testb   $0xfe, (%r8,%rcx)
        .endif
        .else
        .if \size == 16
        cmpw    $0, (%r8,%rcx)
        .else
        cmpb    $0, (%r8,%rcx)
        .endif
        .endif
        .ifc \touch, TOUCH_WRITE
        .if \size < 8
        jne     .Lwrite_on\@
        .else
        jne     9f
        .endif
        .else
        .if \size <= 8
        jne     .Lwrites\@
        .else
        jne     9f
        .endif
        .endif
        shl     $4, %rcx
        test    %r11, %r11
        jz      9f
        bts     $45, %rcx
.Ltouch\@:
        \touch  \size, 0
        .if \size == 16
        \touch  \size, 16
        .endif
.Ldone\@:
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        mov     %fs:TLS_THREAD(%r11), %rax
        movb    $1, THREAD_DIRTY(%rax)
7:      pop     %r10
        pop     %r9
        pop     %r8
        pop     %rdx
        pop     %rcx
        pop     %rax
        .cfi_adjust_cfa_offset -48
        ret
        .cfi_adjust_cfa_offset 48
.Lnear\@:
        je      9f
        call    pf_stack_near
        movabs  $0x160000000000, %r8
        test    %eax, %eax
        jnz     .Lnode\@
        jmp     9f
        .ifc \touch, TOUCH_WRITE
        .if \size < 8
.Lwrite_on\@:
        WRITE_ON
        jmp     .Ldone\@
        .endif
        .else
        .if \size <= 8
.Lwrites\@:
        CALM
        jmp     .Ltouch\@
        .endif
        .endif
8:
        .ifc \touch, TOUCH_READ
        .if \size <= 8                  /* covered by a write of this epoch? */
        mov     (%rcx), %rdx
        mov     %rdx, %r8
        xor     %rax, %rdx
        shl     $8, %rdx
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        shr     $(8 + 25), %rdx         /* PF_CLK_SHIFT */
        jnz     6f
        not     %r8
        and     %rax, %r8
        shr     $56, %r8
        jnz     6f
        mov     (%rcx), %r8             /* by a read: to where reads look, if another is there */
        mov     8(%rcx), %r9
        bt      $24, %r8
        jc      5f
        bt      $24, %r9
        jc      5f
        mov     %r9, %r10
        shr     $45, %r10
        not     %r10
        test    $1023, %r10d            /* PF_SID_REF */
        jz      5f
        mov     %r8, 8(%rcx)
        mov     %r9, (%rcx)
5:      jmp     7b
6:      mov     8(%rcx), %rdx           /* in a set that it met lately? */
        mov     %rdx, %r8
        shr     $45, %r8
        not     %r8
        test    $1023, %r8d             /* PF_SID_REF */
        jz      4f
        bt      $24, %rdx               /* its own older read, beside that of another? */
        jc      1f
        mov     (%rcx), %r8
        mov     %r8, %r9
        xor     %rax, %r9
        shr     $45, %r9
        test    $2047, %r9d             /* the same slot, and plain */
        jnz     1f
        bt      $24, %r8
        jc      1f
        OUTSIDE %r8
        jnz     1f
        mov     %rax, (%rcx)
        jmp     .Ldone\@
1:
        mov     %rcx, %r9               /* or in the other words, which another thread drove it to? */
        movabs  $0x140000000000, %r8    /* PF_MORE_USED */
        btr     $45, %r9
        shr     $4, %r9
        cmpb    $0, (%r8,%r9)
        je      9f
        movabs  $0x100000000000, %r8
        lea     (%rcx,%rcx), %rdx       /* PF_MORE_BASE */
        sub     %r8, %rdx
        .rept 4
        mov     (%rdx), %r8
        mov     %r8, %r9
        xor     %rax, %r9
        shl     $8, %r9
        shr     $(8 + 25), %r9
        jnz     3f
        not     %r8
        and     %rax, %r8
        shr     $56, %r8
        jz      2f
3:      add     $8, %rdx
        .endr
        jmp     9f
2:      mov     8(%rcx), %r9            /* read again: to the front with it, if a read is there */
        bt      $24, %r9
        jc      5b
        bt      $55, %r9
        jc      5b
        mov     (%rdx), %r8
        mov     %r9, (%rdx)
        mov     %r8, 8(%rcx)
        jmp     5b
4:      mov     %edx, %r8d
        and     $63, %r8d
        shl     $4, %r8d
        add     %fs:TLS_THREAD(%r11), %r8
        cmp     %rdx, THREAD_MET(%r8)
        jne     9f
        mov     THREAD_MET+8(%r8), %r8
        mov     %r8, %r9
        xor     %rax, %r9
        shl     $8, %r9
        shr     $(8 + 25), %r9
        jnz     9f
        mov     %r8, %r9
        not     %r8
        and     %rax, %r8
        shr     $56, %r8
        jnz     9f
        shr     $56, %r9
        cmp     $255, %r9d
        jne     5b
        mov     %rdx, %fs:TLS_SHARED(%r11)
        jmp     5b
        .endif
        .endif
9:      pop     %r10
        pop     %r9
        pop     %r8
        pop     %rdx
        pop     %rcx
        pop     %rax
        .cfi_adjust_cfa_offset -48
        jmp     \name\()_full
        END     \name\()_miss
        .endm

        MISS    __pf_read1, 1, TOUCH_READ
        MISS    __pf_read2, 2, TOUCH_READ
        MISS    __pf_read4, 4, TOUCH_READ
        MISS    __pf_read8, 8, TOUCH_READ
        MISS    __pf_read16, 16, TOUCH_READ
        MISS    __pf_write1, 1, TOUCH_WRITE
        MISS    __pf_write2, 2, TOUCH_WRITE
        MISS    __pf_write4, 4, TOUCH_WRITE
        MISS    __pf_write8, 8, TOUCH_WRITE
        MISS    __pf_write16, 16, TOUCH_WRITE

        .macro  FORWARD name, target, what, to=%ecx
        BEGIN   \name
        SAVE
        .ifnb \what
        mov     $\what, \to
        .endif
        call    \target
        RESTORE
        ret
        END     \name
        .endm

        .hidden pf_stub___pf_read_range
        .hidden pf_stub___pf_write_range
        FORWARD pf_stub___pf_read_range, pf_check_range, 0
        FORWARD pf_stub___pf_write_range, pf_check_range, 16
        .hidden pf_stub___pf_read_turns
        .hidden pf_stub___pf_write_turns
        FORWARD pf_stub___pf_read_turns, pf_check_turns, 0, %r8d
        FORWARD pf_stub___pf_write_turns, pf_check_turns, 16, %r8d
        FORWARD __pf_write_vptr, pf_check_vptr

/*
 * void pf_call_saved(void (*f)(void *), void *arg): the vector registers live on the stack meanwhile, and
 * f finds no x87 register in use.
 *
 * Compiled code that calls us believes xmm0 to xmm15 to be preserved, where it has AVX their upper
 * halves too, and nothing else: the x87 registers, those that AVX-512 added and its masks are dead across
 * the call. An xsave of all that takes four times as long. Upper halves that are in their first state
 * stay so: to write them, even with zeroes, would slow down code that knows only xmm.
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

        .hidden pf_call_saved
        BEGIN   pf_call_saved
        push    %rbp
        .cfi_adjust_cfa_offset 8
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
        mov     $1, %ecx                /* those of the components that are in use */
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
        END     pf_call_saved

        .hidden pf_vector_state
        .globl  pf_vector_state
        .data
        .p2align 2
pf_vector_state:                        /* 1: x87, 4: AVX, 8: ask the processor; set at the start */
        .long   1

        .section .note.GNU-stack,"",@progbits
