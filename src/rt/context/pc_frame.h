/*
 * pc_frame.h - stacks of code that another compiler has instrumented for ThreadSanitizer: frames
 * are program counters, not records of the compiler plugin.
 *
 * Model:   such code calls the runtime at the start of a function, with the function's return
 *          address, at its end, and at each access. The return address of the call at an access is
 *          the place of the access. Each address gets a function record (pf_abi.h) with sites of
 *          its own, so that contexts and site ids work as for other code. A report looks up the
 *          source positions of the address (symbolizer.h).
 * Memory:  one mapping of records, never freed; for each thread, an array of stack pointers.
 * Threads: any; a lock for new records. Frames belong to the calling thread.
 * Errors:  above PF_PC_RECORDS addresses, one record stands for all others, counted as
 *          PF_LIMIT_CONTEXTS.
 */
#ifndef PF_RT_PC_FRAME_H
#define PF_RT_PC_FRAME_H

#include "rt.h"
#include "stack.h"

#define PF_PC_RECORDS (1u << 19) /* entries of the table of program counters */

/* The sites of a record: those of enum pf_native_site, and accesses of 1, 2, 4, 8 bytes, to which
 * log2 of the size is added. */
enum {
    PF_PC_READ = PF_NATIVE_SITES,
    PF_PC_WRITE = PF_PC_READ + 4,
    PF_PC_VPTR_READ = PF_PC_WRITE + 4,
    PF_PC_VPTR_WRITE,
    PF_PC_SITES
};

void pf_pc_init(void);
/* The record of a return address. */
struct pf_func *pf_pc_record(const void *pc);
bool pf_pc_is_record(const struct pf_func *f);
/* pf_stack_walk for one frame with such a record. */
bool pf_pc_walk(const struct pf_func *f, uint32_t site, uint32_t folded,
                bool (*visit)(const struct pf_position *, void *), void *arg);

/* Pushes the frame of the code that returns to pc. `sp`: the stack pointer of the function, for
 * pf_pc_jumped; 0: the frame is popped before the function can be left. */
void pf_pc_push(const void *pc, uintptr_t sp);
/* longjmp sets the stack pointer to sp: removes the frames of functions that are left. */
void pf_pc_jumped(uintptr_t sp);
/* Frees what pf_pc_push has stored for the thread, which is ending. */
void pf_pc_thread_end(struct pf_thread *t);

void pf_pc_lock(void); /* around fork */
void pf_pc_unlock(void);

/* pf_stack_push for an interposed function that was called from `caller`. Undone by restoring
 * __pf_tls.frame. */
static inline void pf_stack_push_from(struct pf_func *native, const void *caller)
{
    if (__builtin_expect(pf_rt.pc_frames, 0))
        pf_pc_push(caller, 0);
    pf_stack_push(native);
}

#endif
