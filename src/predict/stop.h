/*
 * stop.h - the end of a search before its time, and how far it is.
 *
 * Model:   whoever searches says now and then what it is at; whoever called answers whether it is to stop, and may show
 *          it. A search that was stopped keeps what it has and says so in its result. Once stopped, all that comes after
 *          it is, too, until the owner clears `stopped`.
 * Memory:  the caller's.
 * Threads: one at a time.
 */
#ifndef PF_PREDICT_STOP_H
#define PF_PREDICT_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_stop {
    bool (*asked)(struct pf_stop *s);
    const char *what; /* where the search is: done of all, of these */
    uint64_t done, all;
    bool stopped;
};

/* NULL: never. Asks every time: for what takes microseconds. */
static inline bool pf_stop_now(struct pf_stop *s, const char *what, uint64_t done, uint64_t all)
{
    if (!s || s->stopped)
        return s != NULL;
    s->what = what;
    s->done = done;
    s->all = all;
    return s->stopped = s->asked(s);
}

/* The same in a loop over events: every 65536th asks. */
static inline bool pf_stop_at(struct pf_stop *s, uint64_t i, uint64_t n)
{
    return !(i & 0xffff) && pf_stop_now(s, "events", i, n);
}

#endif
