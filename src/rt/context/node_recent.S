/*
 * node_recent.S - the calling context of the running function, from the cache of recent contexts.
 * In assembler, because the fast paths of compiled code call it, and only the registers below are
 * free there.
 */
#include "asm_constants.h"
#include "entry_macros.def"

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
        sub     $FRAME_SIZE, %r9
        mov     %r9, %r10
1:      sub     $FRAME_SIZE, %r10
        mov     FRAME_NODE(%r10), %eax
        test    %eax, %eax
        jz      1b
        cmp     $PF_NODE_ROOT, %eax                /* PF_NODE_ROOT is not a store handle */
        je      3f
2:      mov     FRAME_CALL(%r10), %ecx
        mov     FRAME_SIZE+FRAME_FUNC(%r10), %rdx
        and     $~PF_CALL_UNWATCHED, %ecx
        mov     FUNC_NUMBER(%rdx), %edx
        imul    $PF_RECENT_CONTEXT_PARENT, %eax, %r8d
        add     %ecx, %r8d
        shl     $32, %rcx
        imul    $PF_RECENT_CONTEXT_HASH, %r8d, %r8d
        or      %rcx, %rax
        imul    $PF_RECENT_CONTEXT_FUNC, %edx, %ecx
        add     %ecx, %r8d
        shr     $(32 - PF_RECENT_CONTEXT_BITS), %r8d
        shl     $RECENT_CONTEXT_ENTRY_BITS, %r8d
        add     %fs:TLS_THREAD(%r11), %r8
        cmp     %rax, THREAD_RECENT_CONTEXTS+RECENT_CONTEXT_PARENT_CALL(%r8)
        jne     3f
        mov     THREAD_RECENT_CONTEXTS+RECENT_CONTEXT_FUNC_NODE(%r8), %rcx
        /* a signal handler may have changed it */
        cmp     %rax, THREAD_RECENT_CONTEXTS+RECENT_CONTEXT_PARENT_CALL(%r8)
        jne     3f
        mov     %rcx, %rax
        cmp     %edx, %ecx
        jne     3f
        shr     $32, %rax
        add     $FRAME_SIZE, %r10
        mov     %eax, FRAME_NODE(%r10)
        cmp     %r9, %r10
        jb      2b
        ret
3:      xor     %eax, %eax
        ret
        END     pf_stack_node_recent

        .section .note.GNU-stack, "", @progbits
