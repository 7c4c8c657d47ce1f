/*
 * stop.h - stopping a search early, and reporting its progress.
 *
 * Model:   a search regularly reports its progress through a callback; the callback may show it,
 *          and returns true if the search must stop. A stopped search keeps what it has found and
 *          sets `stopped` in its result. Once stopped, every later search with the same pf_stop
 *          stops, too, until the owner clears `stopped`.
 * Memory:  owned by the caller.
 * Threads: one thread at a time.
 */
#ifndef PF_PREDICT_STOP_H
#define PF_PREDICT_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pf_stop {
    bool (*should_stop)(struct pf_stop *s);
    const char *what; /* progress: `done` of `all` of these; `all` 0: unknown */
    uint64_t done, all;
    bool stopped;
};

/* Calls the callback every time, so use it between steps of at least microseconds. True: stop. s
 * may be NULL. */
static inline bool pf_stop_poll(struct pf_stop *s, const char *what, uint64_t done, uint64_t all)
{
    if (!s || s->stopped)
        return s != NULL;
    s->what = what;
    s->done = done;
    s->all = all;
    return s->stopped = s->should_stop(s);
}

/* The same for a loop over n events: calls the callback at every 65536th event. */
static inline bool pf_stop_poll_loop(struct pf_stop *s, uint64_t i, uint64_t n)
{
    return !(i & 0xffff) && pf_stop_poll(s, "events", i, n);
}

#endif
