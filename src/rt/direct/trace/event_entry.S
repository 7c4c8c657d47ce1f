/*
 * event_entry.S - the entry points of the event body. Each counts its event; when the budget of the
 * thread is used up, it calls event.c. All registers but r11 are preserved.
 */
#include "asm_constants.h"
#include "entry_macros.def"
#include "event.h"

        .section pf_text, "ax", @progbits

        .macro  COUNT
        mov     __pf_tls@GOTTPOFF(%rip), %r11
        decq    %fs:TLS_BUDGET(%r11)
        js      1f
        ret
1:
        .endm

/* rdi: address, esi: site, rdx: value. */
        .macro  EVENT name, what, target
        BEGIN   \name
        COUNT
        SAVE
        mov     $\what, %ecx
        call    \target
        RESTORE
        ret
        END     \name
        .endm

        EVENT   __pf_event_read1, 1, pf_event_access
        EVENT   __pf_event_read2, 2, pf_event_access
        EVENT   __pf_event_read4, 4, pf_event_access
        EVENT   __pf_event_read8, 8, pf_event_access
        EVENT   __pf_event_write1, PF_EVENT_WRITE+1, pf_event_access
        EVENT   __pf_event_write2, PF_EVENT_WRITE+2, pf_event_access
        EVENT   __pf_event_write4, PF_EVENT_WRITE+4, pf_event_access
        EVENT   __pf_event_write8, PF_EVENT_WRITE+8, pf_event_access
        EVENT   __pf_event_vptr, PF_EVENT_VPTR+PF_EVENT_WRITE+8, pf_event_access

/* rdi: address, esi: site, rdx: size, rcx: pointer to the bytes, or the byte value. */
        .macro  RANGE name, what, counts
        BEGIN   \name
        .if \counts
        COUNT
        .endif
        SAVE
        mov     $\what, %r8d
        call    pf_event_range
        RESTORE
        ret
        END     \name
        .endm

        RANGE   __pf_event_read_range, PF_EVENT_RANGE_READ, 1
        RANGE   __pf_event_write_range, PF_EVENT_RANGE_WRITE, 1
        RANGE   __pf_event_fill, PF_EVENT_RANGE_FILL, 1
        RANGE   __pf_event_copied, PF_EVENT_RANGE_COPIED, 0

/* rdi: function, esi: site, edx: number of pointers, rcx: pointers. */
        BEGIN   __pf_event_call
        COUNT
        SAVE
        call    pf_missing_call_begin
        RESTORE
        ret
        END     __pf_event_call

/* Events about variables. Arguments as in the C calling convention; the events are not counted. */
        .macro  VARIABLE name, target
        BEGIN   \name
        SAVE
        call    \target
        RESTORE
        ret
        END     \name
        .endm

        VARIABLE   __pf_event_outside, pf_memory_outside_variable
        VARIABLE   __pf_variables_enter, pf_stack_variables_enter
        VARIABLE   __pf_variable_begins, pf_stack_variable_begin
        VARIABLE   __pf_variable_ends, pf_stack_variable_end
        VARIABLE   __pf_variables_leave, pf_stack_variables_unwind

        .section .note.GNU-stack,"",@progbits
