/*
 * crew.h - several programs at a time, each with its keeper, and the signals that end us.
 *
 * Model:   places 0 to n-1, each free or with a running program. A loop starts programs in free places,
 *          waits, and collects from the places that are ready. SIGINT, SIGTERM, SIGHUP and SIGQUIT are
 *          held off meanwhile, and told by pf_crew_wait.
 * Memory:  one allocation by init; what a place means is the caller's, by its number.
 * Threads: one, see keeper.h.
 * Errors:  PF_IO, PF_NOMEM. After a failed init release is fine.
 */
#ifndef PF_CLI_CREW_H
#define PF_CLI_CREW_H

#include "keeper.h"
#include <signal.h>

struct pf_crew_place {
    bool busy, ready;
    struct pf_keeper keeper;
};

struct pf_crew {
    struct pf_crew_place *at;
    size_t n, running;
    bool stopping; /* nothing more is started */
    struct pf_keeper_life life;
    int signals;
    sigset_t before;
};
PF_MUST_USE pf_status pf_crew_init(struct pf_crew *c, size_t n, struct pf_error *e);
void pf_crew_release(struct pf_crew *c);

PF_MUST_USE pf_status pf_crew_start(struct pf_crew *c, size_t place, const struct pf_keep *what,
                                    struct pf_error *e);
/* Ends all of them; their results still come. */
void pf_crew_stop(struct pf_crew *c);
/* Until a place is ready, a signal came or the time is up (-1: never). The signal, which has stopped the
   crew, or 0. */
int pf_crew_wait(struct pf_crew *c, int ms);
/* The result of a place that is ready, which is free then; false: its keeper was killed. */
bool pf_crew_collect(struct pf_crew *c, size_t place, struct pf_kept *result);

#endif
