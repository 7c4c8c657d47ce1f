/*
 * process_pool.h - runs several programs in parallel, each under its own supervisor, and receives
 * the signals that stop pf.
 *
 * Model:   slots 0 to n-1, each free or running a program. The caller's loop starts programs in
 *          free slots, waits, and collects results from the slots that are ready. SIGINT, SIGTERM,
 *          SIGHUP and SIGQUIT are blocked meanwhile; pf_process_pool_wait reports them.
 * Memory:  one allocation by init. The caller identifies slots by number.
 * Threads: one, see supervisor.h.
 * Errors:  PF_IO. Release may be called after a failed init.
 */
#ifndef PF_PROCESS_PROCESS_POOL_H
#define PF_PROCESS_PROCESS_POOL_H

#include "supervisor.h"
#include <signal.h>

struct pf_process_slot {
    bool busy, ready;
    struct pf_supervisor supervisor;
};

struct pf_process_pool {
    struct pf_process_slot *at;
    size_t n, running;
    bool stopping; /* no further programs are started */
    struct pf_supervisor_lifeline life;
    int signals;
    sigset_t before;
};
PF_MUST_USE pf_status pf_process_pool_init(struct pf_process_pool *c, size_t n, struct pf_error *e);
void pf_process_pool_release(struct pf_process_pool *c);

PF_MUST_USE pf_status pf_process_pool_start(struct pf_process_pool *c, size_t slot,
                                            const struct pf_command *what, struct pf_error *e);
/* Stops all programs; their results must still be collected. */
void pf_process_pool_stop(struct pf_process_pool *c);
/* Waits until a slot is ready, a signal arrives or `ms` have passed (-1: no limit). Returns the
 * signal, which has stopped the pool, or 0. */
int pf_process_pool_wait(struct pf_process_pool *c, int ms);
/* Collects the result of a ready slot and frees the slot. False: its supervisor was killed. */
bool pf_process_pool_collect(struct pf_process_pool *c, size_t slot,
                             struct pf_supervisor_result *result);

#endif
