/*
 * bench_analysis.c - speed and memory of the analyses on synthetic traces.
 *
 *   bench_analysis run ANALYSIS EVENTS       one analysis over one trace, in this process
 *   bench_analysis pecan EVENTS              all built-in patterns: search, schedules, validation
 *   bench_analysis z3 WINDOW PAIRS SECONDS   compares the engine with Z3 under the paper's encoding
 *                                            and under the exact one, on the same pairs and windows
 */
#include "analysis.h"
#include "candidates.h"
#include "encode.h"
#include "engine/engine.h"
#include "pecan/pecan.h"
#include "selfcheck.h"
#include "synth.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long peak_mb(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_maxrss / 1024;
}

static void make(struct pf_trace *t, uint64_t events)
{
    struct pf_synth_shape s = pf_synth_default;
    struct pf_error err;
    s.events = events;
    pf_synth(t, &s, 1);
    if (pf_trace_check(t, NULL, &err) != PF_OK) {
        fprintf(stderr, "the synthetic trace is wrong: %s\n", err.text);
        exit(2);
    }
}

static int run_one(const char *name, uint64_t events)
{
    const struct pf_analysis *a = pf_analysis_find(name, strlen(name));
    if (!a) {
        fprintf(stderr, "no analysis is called %s\n", name);
        return 2;
    }
    struct pf_trace t;
    make(&t, events);
    struct pf_result r = {0};
    double start = cpu();
    a->run(&t, &pf_limits_default, &r);
    double took = cpu() - start;
    printf("%-10s %10lu events  %8.3f s  %8.2f M events/s  %5ld MB peak  %zu races, %lu pairs, "
           "%lu infeasible, %lu window, %lu unknown, %lu dropped, %lu invalid\n",
           a->name, events, took, (double)events / took / 1e6, peak_mb(), r.races.len, r.pairs,
           r.infeasible, r.window, r.unknown, r.dropped, r.invalid);
    pf_result_release(&r);
    pf_trace_release(&t);
    return r.invalid ? 1 : 0;
}

static enum pf_match_answer accept(void *arg, const struct pf_pattern_match *match)
{
    (void)arg;
    (void)match;
    return PF_MATCH_ACCEPTED; /* without a schedule: measures the search alone */
}

static int run_patterns(uint64_t events)
{
    struct pf_trace t;
    struct pf_anomalies a;
    struct pf_partial_order g;
    struct pf_units w;
    struct pf_pattern_search_result r = {0};
    pf_patterns patterns = {0};
    make(&t, events);
    pf_patterns_builtin(&patterns);
    double start = cpu();
    pf_partial_order_init(&g, &t);
    pf_units_init(&w, &g, NULL);
    pf_pattern_search(&w, &patterns, NULL, accept, NULL, &r);
    double search = cpu() - start;
    pf_units_release(&w);
    pf_partial_order_release(&g);
    start = cpu();
    pf_pecan(&t, &patterns, &pf_limits_default, &a);
    double all = cpu() - start;
    double schedules = all > search && a.at.len ? (all - search) / (double)a.at.len : 0;
    printf("pecan      %10lu events  search %.3f s  %.2f M events/s, %lu tuples of sites; with "
           "schedules "
           "%.3f s, %zu anomalies, %.3f ms each; %ld MB peak%s\n",
           events, search, (double)events / search / 1e6, r.matches, all, a.at.len, 1e3 * schedules,
           peak_mb(), a.search.cut ? ", SOME PATTERNS CUT" : "");
    pf_anomalies_release(&a);
    pf_vec_release(&patterns);
    pf_trace_release(&t);
    return 0;
}

struct sample {
    uint32_t (*at)[2];
    uint32_t len, max, window;
    uint64_t seen, rnd;
};

/* A random sample of the candidates that fit into a window. */
static void keep(void *arg, uint32_t a, uint32_t b, uint32_t older)
{
    (void)older;
    struct sample *s = arg;
    if (b - a + 1 > s->window)
        return;
    s->seen++;
    s->rnd = s->rnd * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t k = s->len < s->max ? s->len++ : (uint32_t)((s->rnd >> 20) % s->seen);
    if (k < s->max) {
        s->at[k][0] = a;
        s->at[k][1] = b;
    }
}

static int beside_z3(uint32_t window, uint32_t pairs, double seconds)
{
    struct pf_trace t;
    make(&t, 200000);
    struct sample s = {
        .at = pf_mem_zero(pairs, sizeof *s.at), .max = pairs, .window = window, .rnd = 7};
    struct pf_result unused = {0};
    pf_candidates_each(&t, &(struct pf_limits){.history = 48}, &unused, keep, &s);
    pf_result_release(&unused);
    struct pf_trace_index x;
    struct pf_window w;
    struct pf_query p = {0};
    struct pf_engine_stats stats = {0};
    pf_trace_index_init(&x, &t, PF_MISSING_IGNORE);
    pf_window_init(&w, &x);
    double ours = 0, paper = 0, exact = 0;
    uint32_t asked = 0, differs = 0, wrong = 0, timeouts = 0;
    for (uint32_t k = 0; k < s.len && paper + exact < seconds; k++) {
        uint32_t a = s.at[k][0], b = s.at[k][1], room = (window - (b - a + 1)) / 2;
        uint32_t lo = a > room ? a - room : 0;
        uint32_t hi = lo + window < x.n ? lo + window : x.n;
        double t0 = cpu();
        enum pf_answer got =
            pf_engine_decide(&w, &p, lo, hi, a, b, pf_limits_default.conflicts, &stats);
        double t1 = cpu();
        int z = pf_z3_ask(&t, PF_Z3_PAPER, lo, hi, a, b, 60000);
        double t2 = cpu();
        ours += t1 - t0;
        paper += t2 - t1;
        asked++;
        timeouts += z < 0;
        if (z >= 0 && got != PF_UNKNOWN && z != (got == PF_YES)) {
            differs++; /* then the exact encoding decides */
            z = pf_z3_ask(&t, PF_Z3_EXACT, lo, hi, a, b, 60000);
            exact += cpu() - t2;
            if (z >= 0 && z != (got == PF_YES)) {
                wrong++;
                fprintf(stderr, "events %u and %u in [%u, %u): engine %d, exact %d\n", a, b, lo, hi,
                        got == PF_YES, z);
            }
        }
    }
    printf(
        "window %u: %u pairs, engine %.3f ms a pair, Z3 with the paper's encoding %.1f ms a pair: "
        "%.0f times; %u differ, of these %u against the exact encoding; %u time-outs of Z3\n",
        window, asked, 1e3 * ours / asked, 1e3 * paper / asked, paper / ours, differs, wrong,
        timeouts);
    printf("tiers: order %lu, sync-preserving %lu, closure %lu, solver %lu\n", stats.order,
           stats.preserve, stats.close, stats.solved);
    pf_query_release(&p);
    pf_window_release(&w);
    pf_trace_index_release(&x);
    pf_trace_release(&t);
    free(s.at);
    return wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "run"))
        return run_one(argv[2], strtoull(argv[3], NULL, 10));
    if (argc == 3 && !strcmp(argv[1], "pecan"))
        return run_patterns(strtoull(argv[2], NULL, 10));
    if (argc == 5 && !strcmp(argv[1], "z3"))
        return beside_z3((uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]), atof(argv[4]));
    fprintf(stderr,
            "usage: bench_analysis run ANALYSIS EVENTS | pecan EVENTS | z3 WINDOW PAIRS SECONDS\n");
    return 2;
}
