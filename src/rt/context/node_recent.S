/*
 * node_recent.S - the calling context of the running function, from the cache of recent contexts.
 * In assembler, because the fast paths of compiled code call it and only these registers are free.
 */
#include "entry_macros.def"
#include "offsets.def"

        .section pf_text, "ax", @progbits

/*
 * uint32_t pf_stack_node_recent(void), see stack.h. Walks up to the nearest frame that has a node,
 * then down again and fills in the nodes:
 *
 *      rax  its node and call             edx  the called function     r8   cache entry of the call
 *      r9   the frame on top              r10  the current frame       r11  offset of __pf_tls
 */
        .hidden pf_stack_node_recent
        BEGIN   pf_stack_node_recent
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        mov     %fs:TLS_FRAME(%r11), %r9
        sub     $16, %r9
        mov     %r9, %r10
1:      sub     $16, %r10
        mov     12(%r10), %eax
        test    %eax, %eax
        jz      1b
        cmp     $1, %eax                /* PF_NODE_ROOT is not a store name */
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
        shr     $(32 - 12), %r8d        /* PF_RECENT_CONTEXT_BITS */
        shl     $4, %r8d
        add     %fs:TLS_THREAD(%r11), %r8
        cmp     %rax, THREAD_RECENT_CONTEXTS(%r8)
        jne     3f
        mov     THREAD_RECENT_CONTEXTS+8(%r8), %rcx
        cmp     %rax, THREAD_RECENT_CONTEXTS(%r8) /* a signal handler may have changed it */
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
        END     pf_stack_node_recent

        .section .note.GNU-stack, "", @progbits
