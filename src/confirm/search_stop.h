/*
 * search_stop.h - ends searches at a time limit or on a signal, and shows their progress.
 *
 * Model:   the first SIGINT or SIGTERM stops the search; what was found so far is reported. The
 *          second one terminates pf. Progress is one line on standard error if that is a terminal.
 * Memory:  the caller's.
 * Threads: the signal state is per process; the rest is for one thread.
 */
#ifndef PF_CONFIRM_SEARCH_STOP_H
#define PF_CONFIRM_SEARCH_STOP_H

#include "stop.h"

/* Installs the signal handlers; they stay until pf ends. */
void pf_interrupt_catch(void);
bool pf_interrupted(void);
/* For a caller that has received such a signal itself. */
void pf_interrupt_note(int sig);

struct pf_search_stop {
    struct pf_stop stop;
    const char *verb;
    uint64_t until_ms; /* as pf_now_ms; 0: no limit */
    uint64_t shown;
};

void pf_search_stop_init(struct pf_search_stop *s, const char *verb, uint64_t until_ms);
/* Removes the progress line. */
void pf_search_stop_clear(struct pf_search_stop *s);

#endif
