/*
 * running_functions.h - the running-function table: which functions the other threads are in now.
 *
 * Model:   every sampled thread has an entry. Other threads read up to three functions from its
 *          shadow stack, without its cooperation: the function of the top frame; the function of
 *          the free frame above it, which has just returned or runs without pushing a frame
 *          (pf_abi.h); and the function that the thread began with, which runs as long as the
 *          thread. As in AtexRace, a function counts until the thread enters another one; those of
 *          a thread that has ended count until it is joined. A fiber that is switched out is like a
 *          preempted thread: what it ran last counts. Functions are identified by the hash that
 *          function_pairs.h counts them under.
 * Threads: any registered thread may read; a shadow stack is unmapped only when nobody reads.
 * Errors:  pf_running_register returns UINT32_MAX when the table is full.
 */
#ifndef PF_RT_RUNNING_FUNCTIONS_H
#define PF_RT_RUNNING_FUNCTIONS_H

#include "thread.h"

#define PF_RUNNING_THREADS_MAX 1024 /* entries of the table */
#define PF_RUNNING_FUNCTIONS_MAX 64 /* functions returned by one read */

#define PF_RUNNING_NO_FUNCTION 2ull /* the hash of "no function" */
#define PF_RUNNING_HAS_LOOPS 1ull
struct pf_running_function {
    /* of the function; its bit PF_RUNNING_HAS_LOOPS says that the function may run for long */
    uint64_t hash;
    uint32_t thread;  /* the thread's index in the table */
    bool first;     /* the thread began with it */
};

/* Returns the thread's index in the table, or UINT32_MAX if the table is full. */
uint32_t pf_running_register(struct pf_thread *t);
/* by = 1: a thread was created; -1: it has begun, or never will. In between it runs "no function",
 * with which other threads' functions form pairs too. */
void pf_running_expect(int by);
/* The thread ends; `top` is the top of its shadow stack. Waits until nobody reads the table. */
void pf_running_unregister(uint32_t thread, struct pf_frame *top);
void pf_running_joined(const struct pf_thread *t);
/* A fiber is switched out (`top`: the top of its shadow stack), or in again, on the kernel thread
 * of `tls`. _suspend waits until nobody reads the table: afterwards no other thread uses the tls
 * that the fiber ran with. */
void pf_running_suspend(uint32_t thread, struct pf_frame *top);
void pf_running_resume(uint32_t thread, struct pf_tls *tls);
/* Called in the child of fork, whose other threads do not exist. */
void pf_running_after_fork(uint32_t thread);
/* The calling thread runs f: registers f's hash, so that other threads can identify it. Returns the
 * hash. */
uint64_t pf_running_hash(struct pf_func *f);
/* Stores the functions that the other threads run in `out`, each function once for each thread, and
 * returns their number. They stay valid until _end_read. If there are none, the result is one
 * entry for "no function". *alone: no other thread runs a function, and none was created that has
 * not begun (pf_running_expect). */
unsigned pf_running_begin_read(uint32_t self, struct pf_running_function *out, bool *alone);
/* Makes the thread ask at its next call whether to sample the call (`woken`). switch_body: it also
 * switches from the plain body that it is in to the watch body. */
void pf_running_wake(uint32_t thread, bool switch_body);
/* True if the thread was woken and has not asked since. Between _begin_read and _end_read. */
bool pf_running_is_woken(uint32_t thread);
/* Makes every thread, also the calling one, ask at its next call and switch to the watch body at
 * the next back edge; `why` is stored in body_switch. */
void pf_running_ask_all(uint32_t self, uint32_t why);
void pf_running_end_read(uint32_t self);

#endif
