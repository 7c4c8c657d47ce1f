/*
 * compare_z3.c - compares the engine with Z3: on random traces that are too large for an
 * enumeration of all reorderings, and on the two traces on which the paper's encoding is wrong.
 *
 * usage: compare_z3 FOLDER    (the folder of text traces, test/trace)
 */
#include "../reorder/random_trace.h"
#include "encode.h"
#include "engine/engine.h"
#include "selfcheck.h"
#include "trace_text.h"
#include <string.h>
#include <time.h>

static int failures;

static enum pf_answer engine(const struct pf_trace *t, uint32_t lo, uint32_t hi, uint32_t a,
                             uint32_t b)
{
    struct pf_trace_index x;
    struct pf_window w;
    struct pf_query p = {0};
    struct pf_engine_stats stats = {0};
    pf_trace_index_init(&x, t, PF_MISSING_IGNORE);
    pf_window_init(&w, &x);
    enum pf_answer r = pf_engine_decide(&w, &p, lo, hi, a, b, 1000000, &stats);
    pf_query_release(&p);
    pf_window_release(&w);
    pf_trace_index_release(&x);
    return r;
}

/* a and b are event numbers as in the file. */
static void check_file(const char *folder, const char *name, uint32_t a, uint32_t b, int paper,
                       int exact)
{
    char path[1024], text[65536];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(2);
    }
    size_t len = fread(text, 1, sizeof text, f);
    fclose(f);
    struct pf_trace t;
    struct pf_error err;
    struct pf_error bad;
    pf_trace_init(&t);
    bool read = pf_trace_read_text(&t, path, text, len, &bad) == PF_OK;
    if (!read || pf_trace_check(&t, NULL, &err) != PF_OK) {
        fprintf(stderr, "%s\n", read ? err.text : bad.text);
        exit(2);
    }
    uint32_t n = (uint32_t)t.events.len, i = 0, k = 0;
    while (pf_trace_label(&t, i) != a)
        i++;
    while (pf_trace_label(&t, k) != b)
        k++;
    int p = pf_z3_ask(&t, PF_Z3_PAPER, 0, n, i, k, 60000);
    int e = pf_z3_ask(&t, PF_Z3_EXACT, 0, n, i, k, 60000);
    int g = engine(&t, 0, n, i, k) == PF_YES;
    printf("%s %u-%u: paper's encoding %d, exact %d, engine %d\n", name, a, b, p, e, g);
    if (p != paper || e != exact || g != exact) {
        fprintf(stderr, "%s: wanted paper %d, exact %d\n", name, paper, exact);
        failures++;
    }
    pf_trace_release(&t);
}

static void compare(const struct pf_random_shape *shape, uint64_t seconds)
{
    uint64_t pairs = 0, races = 0, differs = 0;
    struct timespec start, now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (uint64_t seed = 1;; seed++) {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        if ((uint64_t)(now.tv_sec - start.tv_sec) >= seconds)
            break;
        struct pf_trace t;
        struct pf_error err;
        pf_random_trace(&t, shape, seed);
        if (pf_trace_check(&t, NULL, &err) != PF_OK) {
            fprintf(stderr, "seed %lu: %s\n", seed, err.text);
            exit(2);
        }
        uint32_t n = (uint32_t)t.events.len;
        uint64_t rnd = seed;
        for (int tries = 0, asked = 0; tries < 400 && asked < 8; tries++) {
            uint32_t a = (uint32_t)(pf_random_next(&rnd) % n),
                     b = (uint32_t)(pf_random_next(&rnd) % n);
            if (a >= b || !pf_trace_conflict(&t, &t.events.at[a], &t.events.at[b]))
                continue;
            asked++;
            uint32_t lo = a / 2;
            int want = pf_z3_ask(&t, PF_Z3_EXACT, lo, n, a, b, 20000);
            int paper = pf_z3_ask(&t, PF_Z3_PAPER, lo, n, a, b, 20000);
            enum pf_answer got = engine(&t, lo, n, a, b);
            if (want < 0)
                continue;
            pairs++;
            races += want;
            differs += paper != want;
            if (got != (want ? PF_YES : PF_NO)) {
                fprintf(stderr, "seed %lu: events %u and %u in [%u, %u): Z3 %d, engine %d\n", seed,
                        a + 1, b + 1, lo, n, want, got);
                pf_trace_write_text(&t, stderr);
                failures++;
            }
        }
        pf_trace_release(&t);
    }
    printf("%u events: %lu pairs, %lu races; the paper's encoding differs on %lu\n", shape->events,
           pairs, races, differs);
    if (!pairs || !races)
        failures++;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: compare_z3 FOLDER\n");
        return 2;
    }
    check_file(argv[1], "trap/deadlock_after_race.txt", 2, 8, 0, 1);
    check_file(argv[1], "trap/release_behind_wrong_read.txt", 4, 9, 1, 0);
    check_file(argv[1], "basic/mc_beyond_syncp.txt", 2, 6, 1, 1);
    check_file(argv[1], "basic/conflict_in_section.txt", 1, 8, 0, 0);
    compare(&(struct pf_random_shape){3, 2, 2, 30, 2, PF_RANDOM_ATOMIC | PF_RANDOM_RWLOCK}, 2);
    compare(&(struct pf_random_shape){4, 4, 3, 60, 3, 0}, 3);
    compare(&(struct pf_random_shape){4, 3, 3, 60, 2, PF_RANDOM_BRANCH | PF_RANDOM_SIZES}, 2);
    compare(&(struct pf_random_shape){6, 6, 4, 100, 4, PF_RANDOM_FORK}, 3);
    return failures ? 1 : 0;
}
