/* aimed_recording.c - see aimed_recording.h. */
#define _GNU_SOURCE
#include "aimed_recording.h"
#include "duration.h"
#include "findings.h"
#include "load_trace.h"
#include "message.h"
#include "race_events.h"
#include "self_run.h"
#include "textbuf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB "judge"
#define SEEDS 4

/* The milliseconds that are left of a limit, at least 1; 0: there is no limit. */
static uint64_t time_left(uint64_t began, uint64_t limit_ms)
{
    uint64_t used = pf_now_ms() - began;
    return !limit_ms ? 0 : used < limit_ms ? limit_ms - used : 1;
}

static bool has_accesses(const struct pf_finding *f, const char *file, uint64_t limit_ms, char *why,
                         size_t room)
{
    struct pf_trace t;
    uint32_t a, b;
    pf_trace_init(&t);
    t.recorded.replay_limit_ms = limit_ms;
    struct pf_error e;
    bool has = pf_load_trace(VERB, file, &t, &e) == PF_OK;
    if (!has)
        snprintf(why, room, "%s", e.text);
    has = has && pf_race_events_at(&t, f, &a, &b, why, room);
    pf_trace_release(&t);
    return has;
}

bool pf_aimed_recording(const struct pf_finding *f, char *const *command, const char *file,
                        uint64_t limit_ms, char *why, size_t room)
{
    char a[160], b[160];
    size_t n = 0, words = 0;
    if (!pf_access_position(&f->accesses[0], a, sizeof a) ||
        !pf_access_position(&f->accesses[1], b, sizeof b)) {
        snprintf(why, room, "the source positions of its accesses are unknown");
        return false;
    }
    while (command[words])
        words++;
    char **argv = pf_mem_zero(words + 8, sizeof *argv);
    bool done = false;
    uint64_t began = pf_now_ms();
    for (unsigned seed = 1; seed <= SEEDS && !done && (!limit_ms || pf_now_ms() - began < limit_ms);
         seed++) {
        struct pf_run_report report;
        struct pf_error e;
        char *schedule = pf_mem_format("--schedule=racefuzzer:%s,%s,%u", a, b, seed);
        n = 0;
        argv[n++] = "record";
        argv[n++] = "-o";
        argv[n++] = (char *)file;
        argv[n++] = schedule;
        argv[n++] = "--";
        for (size_t i = 0; i < words; i++)
            argv[n++] = command[i];
        argv[n] = NULL;
        if (pf_self_run(&(struct pf_self_run){.argv = argv, .limit_ms = time_left(began, limit_ms)},
                        &report, &e) != PF_OK)
            snprintf(why, room, "%.*s", (int)strcspn(e.text, "\n"), e.text);
        else if (access(file, R_OK))
            snprintf(why, room, "%s", *report.error ? report.error : "it could not be recorded");
        else
            done = has_accesses(f, file, time_left(began, limit_ms), why, room);
        free(schedule);
    }
    free(argv);
    if (!done)
        unlink(file);
    return done;
}
