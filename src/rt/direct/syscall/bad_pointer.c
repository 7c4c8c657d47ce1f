/*
 * bad_pointer.c - pointers of the target that the runtime follows in place of the kernel.
 *
 * The kernel answers a call with EFAULT if it cannot use a pointer. In directed mode the runtime
 * reads arguments and emulates calls, so such a pointer faults in the runtime: the fault handler
 * (signal_kernel.c) then continues where the access began (pf_context.recover), and the call
 * returns EFAULT too. The input log gets a record of this, because the replay does not follow
 * the same pointers. Probing every pointer first was rejected: each probe costs a real system call.
 */
#define _GNU_SOURCE
#include "scheduler.h"
#include "sys.h"
#include "syscalls.h"
#include <errno.h>

/* Replay: true if this very call had a bad pointer in the recording. */
static bool had_bad_pointer(const struct pf_context *c, long number)
{
    const struct pf_input *in = pf_recording() ? NULL : pf_input_peek();
    if (!in || in->kind != PF_INPUT_FAULT || in->context != c->number || in->number != number ||
        (uint64_t)in->result != pf_sched_calls())
        return false;
    pf_input_skip();
    return true;
}

long pf_trap_guarded(pf_trapped_call call, struct pf_context *c, long number, const long a[6])
{
    void *recover[5];
    uint64_t calls = pf_sched_calls();
    if (had_bad_pointer(c, number))
        return -EFAULT;
    if (__builtin_setjmp(recover)) {
        if (!pf_recording())
            pf_diverged_words("a system call", "usable pointers", "a bad pointer");
        pf_input_put(PF_INPUT_FAULT, number, (int64_t)calls, NULL, 0);
        return -EFAULT;
    }
    c->recover = recover;
    long r = call(c, number, a);
    c->recover = NULL;
    return r;
}

bool pf_try_copy(void *to, const void *from, size_t n)
{
    struct pf_context *c = pf_context_self();
    void *recover[5], **volatile outer = c->recover;
    if (__builtin_setjmp(recover)) {
        pf_context_self()->recover = outer;
        return false;
    }
    c->recover = recover;
    pf_copy(to, from, n);
    c->recover = outer;
    return true;
}
