/* search_stop.c - see search_stop.h. */
#define _GNU_SOURCE
#include "search_stop.h"
#include "duration.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define SHOW_MS 200

static volatile sig_atomic_t interrupted;

static void interrupt(int sig) { interrupted = sig; }

void pf_interrupt_catch(void)
{
    struct sigaction sa = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
}

void pf_interrupt_note(int sig) { interrupted = sig; }

bool pf_interrupted(void) { return interrupted; }

static bool should_stop(struct pf_stop *stop)
{
    struct pf_search_stop *s = (struct pf_search_stop *)(void *)stop; /* its first member */
    uint64_t now = pf_now_ms();
    if (now - s->shown >= SHOW_MS && isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[Kpf %s: searching, %" PRIu64, s->verb, stop->done);
        if (stop->all)
            fprintf(stderr, " of %" PRIu64, stop->all);
        fprintf(stderr, " %s", stop->what);
        s->shown = now;
    }
    return interrupted || (s->until_ms && now >= s->until_ms);
}

void pf_search_stop_init(struct pf_search_stop *s, const char *verb, uint64_t until_ms)
{
    *s = (struct pf_search_stop){.stop = {.should_stop = should_stop},
                                 .verb = verb,
                                 .until_ms = until_ms,
                                 .shown = pf_now_ms()};
}

void pf_search_stop_clear(struct pf_search_stop *s)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    s->shown = pf_now_ms();
}
