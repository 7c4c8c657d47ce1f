/*
 * read_back.c - reads the events of a recording and prints the time it took.
 *
 *     read_back CLIP     -> EVENTS SECONDS-OF-CPU SECONDS
 */
#define _GNU_SOURCE
#include "events.h"
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    static struct pf_record got[256];
    struct pf_error e;
    struct pf_clip c;
    struct pf_events *r;
    pf_status s;
    uint64_t n = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: read_back CLIP\n");
        return 2;
    }
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
    if (pf_clip_open(&c, argv[1], &e) != PF_OK || pf_events_open(&r, &c, &e) != PF_OK) {
        fprintf(stderr, "read_back: %s\n", e.text);
        return 1;
    }
    for (size_t some; (some = pf_events_read(r, got, sizeof got / sizeof *got, &s, &e));)
        n += some;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = seconds(CLOCK_MONOTONIC) - wall;
    if (s != PF_OK || pf_events_cut(r)) {
        fprintf(stderr, "read_back: %s\n", s != PF_OK ? e.text : "the recording is cut");
        return 1;
    }
    pf_events_free(r);
    pf_clip_release(&c);
    printf("%" PRIu64 " %.3f %.3f\n", n, cpu, wall);
    return 0;
}
