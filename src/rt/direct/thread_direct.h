/*
 * thread_direct.h - the part of a thread's state that belongs to directed mode.
 */
#ifndef PF_RT_THREAD_DIRECT_H
#define PF_RT_THREAD_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

struct pf_thread_direct {
    uint32_t context; /* its number in a trace */
    bool creates; /* during the notification of an allocation: it counts as a write (pf_event.h) */
    /* memory/stack_variables.c: its variables on the stack */
    struct pf_stack_variable *stack_variables;
    /* how many levels of nesting come from annotations of a user-defined mutex */
    uint32_t annotated_nesting;
    /* events left in the annotated unlock of such a mutex, during which no other thread runs */
    uint32_t annotated_unlock_events;
};

#endif
