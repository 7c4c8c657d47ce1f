/*
 * adhoc_sync.h - finds the ad hoc synchronisation that orders two accesses: a variable that one
 * thread tests, in a loop or once, and that the other thread sets after its access.
 *
 * Model:   `now` is the trace of a run in which the thread of the first access was held before it.
 *          The other thread did not reach its own access, so the held thread was released. A loop:
 *          the accesses that the waiting thread was repeating when the held thread was released. It
 *          ends with a read that sees another value than before: the write of this value ends it.
 *          A guard: the waiting thread did not reach its access because a read saw another value
 *          than in the recording. There, the held thread wrote that value after its access.
 * Memory:  plain data.
 */
#ifndef PF_JUDGE_ADHOC_SYNC_H
#define PF_JUDGE_ADHOC_SYNC_H

#include "trace.h"

struct pf_adhoc_sync {
    bool in_loop; /* it is tested in a loop; otherwise once */
    char variable[80];
    uint64_t address; /* of the variable */
    char test[200], write[200]; /* the positions FILE:LINE of the test and of the write */
    uint32_t tester, writer; /* numbers of the threads in the recording */
};

/* The loop in which thread number `waiter` was when it had performed `released` events. False: it
 * was not in a loop, or the loop did not end by a read of a value that another thread wrote. */
bool pf_adhoc_sync_loop(const struct pf_trace *now, uint32_t waiter, uint64_t released,
                        struct pf_adhoc_sync *out);
/* The guard that kept the thread of event b from reaching it. `then` is the trace of the
 * recording, in which a comes before b. */
bool pf_adhoc_sync_guard(const struct pf_trace *then, uint32_t a, uint32_t b,
                         const struct pf_trace *now, struct pf_adhoc_sync *out);
/* The last write to `address` by the thread of event a before a; PF_NONE: none. Another thread
 * polls this variable, so it may be a lock made by hand, which the thread takes by this write. */
uint32_t pf_adhoc_sync_claim(const struct pf_trace *t, uint32_t a, uint64_t address);
/* In a run in which event b came first: true if the thread of event a waited for the thread of b
 * on its way from b to a, so that something orders the two accesses. */
bool pf_adhoc_sync_waited(const struct pf_trace *now, uint32_t b, uint32_t a);
/* True if the event is a read that its thread repeats in a loop, waiting for another value. */
bool pf_adhoc_sync_is_test(const struct pf_trace *t, uint32_t event);
/* True if, in the second half of the trace, no write changes a value and all threads only repeat
 * the accesses that they have made before: nothing can end their loops. */
bool pf_adhoc_sync_endless(const struct pf_trace *now);
/* Writes the position of an event as FILE:LINE. */
void pf_adhoc_sync_position(const struct pf_trace *t, uint32_t event, char *to, size_t room);

#endif
