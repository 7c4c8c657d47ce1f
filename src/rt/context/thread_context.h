/*
 * thread_context.h - the part of a thread's state that belongs to calling contexts: its shadow
 * stack and a cache.
 */
#ifndef PF_RT_THREAD_CONTEXT_H
#define PF_RT_THREAD_CONTEXT_H

#include "pf_abi.h"
#include <stddef.h>
#include <stdint.h>

/* A cache of calling contexts (stack.h): call `call` of node `parent` to function `func` is
 * `node`. */
#define PF_RECENT_CONTEXT_BITS 12
struct pf_recent_context {
    uint32_t parent, call, func, node;
};

struct pf_thread_context {
    struct pf_frame *frames; /* the shadow stack */
    size_t frames_size;
    /* a stack pointer for each frame, if the thread runs code of another compiler (pc_frame.c) */
    uintptr_t *stack_pointers;
    struct pf_recent_context recent[1 << PF_RECENT_CONTEXT_BITS];
};

#endif
