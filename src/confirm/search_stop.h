/*
 * search_stop.h - searches that end when the time is up or the user has had enough, and show how far they are.
 *
 * Model:   the first SIGINT or SIGTERM asks for the end: what was found so far is reported. The second one ends pf, as
 *          ever. Progress is one line on standard error, if that is a terminal.
 * Memory:  the caller's.
 * Threads: the interrupt is the process's; the rest of one thread.
 */
#ifndef PF_CLI_PREDICT_STOP_H
#define PF_CLI_PREDICT_STOP_H

#include "stop.h"

/* From here on an interrupt is taken note of; until the end of pf. */
void pf_interrupts_take(void);
bool pf_interrupted(void);

struct pf_predict_stop {
    struct pf_stop stop;
    const char *verb;
    uint64_t until_ms; /* of pf_now_ms; 0: no limit */
    uint64_t shown;
};

void pf_predict_stop_init(struct pf_predict_stop *s, const char *verb, uint64_t until_ms);
/* Takes the line away that shows how far it is. */
void pf_predict_stop_clear(struct pf_predict_stop *s);

#endif
