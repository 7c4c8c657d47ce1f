// sources: src/predict/*.c src/predict/*/*.c src/trace/*.c
// sources: src/base/allocation.c src/base/vector.c src/base/hash_map.c src/base/status.c
// flags: -D_GNU_SOURCE -O1
/*
 * predict_limits.c - every limit of a search that leaves something out is counted. For each limit
 * there is a trace that exceeds it, and a trace that is just small enough.
 * test/shell/predict_limits.sh checks that such a count makes a result incomplete.
 */
#include "analysis.h"
#include "trace_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- traces as text --- */

struct text {
    FILE *f;
};
static char *bytes; /* of the current text */
static size_t nbytes;

static struct text begin(void) { return (struct text){open_memstream(&bytes, &nbytes)}; }

/* Starts threads 1 to n. */
static struct text with_threads(unsigned n)
{
    struct text x = begin();
    for (unsigned t = 1; t <= n; t++)
        fprintf(x.f, "T0 fork T%u\nT%u begin\n", t, t);
    return x;
}

/* Runs the analysis on the text, which is freed. */
static void run(struct text *x, const char *analysis, const struct pf_limits *limits,
                struct pf_result *r)
{
    struct pf_trace t;
    struct pf_error e;
    fclose(x->f);
    pf_trace_init(&t);
    if (pf_trace_read_text(&t, "trace", bytes, nbytes, &e) != PF_OK)
        fail_msg("%s", e.text);
    *r = (struct pf_result){0};
    pf_analysis_find(analysis, strlen(analysis))->run(&t, limits ? limits : &pf_limits_default, r);
    pf_trace_release(&t);
    free(bytes);
}

static struct pf_pattern_search_result pecan(struct text *x, const struct pf_limits *limits)
{
    struct pf_result r;
    run(x, "pecan", limits, &r);
    struct pf_pattern_search_result s = r.anomalies.search;
    pf_result_release(&r);
    return s;
}

/* Two threads whose locks are nested in opposite orders write x in between, so the writes cannot
 * meet: `same` sections of each of `codes` places in the source, and `filler` other events. */
static struct text crossing(unsigned codes, unsigned same, unsigned filler)
{
    struct text x = with_threads(2);
    for (unsigned t = 1; t <= 2; t++)
        for (unsigned i = 0; i < codes * same; i++) {
            const char *a = t == 1 ? "a" : "b", *b = t == 1 ? "b" : "a";
            fprintf(x.f, "T%u lock %s\nT%u lock %s\nT%u unlock %s\n", t, a, t, b, t, b);
            fprintf(x.f, "T%u write x=1 @%u.c:%u\nT%u unlock %s\n", t, t, i % codes + 1, t, a);
            for (unsigned k = 0; k < filler; k++)
                fprintf(x.f, "T%u write p%u=1 @9.c:1\n", t, t);
        }
    return x;
}

/* --- races --- */

static void test_history(void **state)
{
    for (uint32_t sites = 47; sites <= 48; sites++) { /* and one of T2 */
        struct text x = with_threads(2);
        struct pf_result r;
        fprintf(x.f, "T2 write x=1 @b.c:1\n");
        for (uint32_t i = 0; i < sites; i++)
            fprintf(x.f, "T1 write x=1 @a.c:%u\n", i + 1);
        run(&x, "hybrid", NULL, &r);
        assert_int_equal(r.dropped, sites - 47);
        pf_result_release(&r);
    }
}

/* The nearest pairs of two sites are tried, and each is rejected. */
static void test_tries(void **state)
{
    struct pf_limits limits = pf_limits_default;
    for (limits.tries = 3; limits.tries <= 4; limits.tries++) {
        struct text x = with_threads(2);
        struct pf_result r;
        for (int i = 0; i < 4; i++) /* distinct by the locks that are held */
            fprintf(x.f, "T1 lock l%d\nT1 write x=1 @a.c:1\nT1 unlock l%d\n", i, i);
        fprintf(x.f, "T1 awrite f=1\nT2 aread f=1\nT2 write x=2 @a.c:2\n");
        run(&x, "mc", &limits, &r);
        assert_int_equal(r.races.len, 0);
        assert_int_equal(r.untried, 4 - limits.tries);
        pf_result_release(&r);
    }
}

/* --- patterns --- */

/* The engine is asked about the first 256 matches without a generated schedule; it proves that
 * these have none. */
static void test_engine_matches(void **state)
{
    struct text x = crossing(16, 1, 0);
    struct pf_pattern_search_result s = pecan(&x, NULL);
    assert_int_equal(s.matches - s.accepted, 256);
    assert_int_equal(s.undecided, 0);
    x = crossing(17, 1, 0);
    s = pecan(&x, NULL);
    assert_int_equal(s.matches - s.accepted, 289);
    assert_int_equal(s.undecided, 33);
}

/* What the engine rejects holds for the window only, unless that is the whole trace. */
static void test_match_window(void **state)
{
    struct pf_limits limits = pf_limits_default;
    struct text x = crossing(1, 1, 0);
    assert_int_equal(pecan(&x, NULL).undecided, 0);
    x = crossing(1, 1, 300); /* more than the margin: the whole trace is tried then */
    assert_int_equal(pecan(&x, NULL).undecided, 0);
    limits.window = 600; /* of 614 events */
    x = crossing(1, 1, 300);
    assert_int_equal(pecan(&x, &limits).undecided, 1);
    limits.window = 6; /* of 14 events */
    x = crossing(1, 1, 0);
    assert_int_equal(pecan(&x, &limits).undecided, 1);
    limits.window = 14;
    x = crossing(1, 1, 0);
    assert_int_equal(pecan(&x, &limits).undecided, 0);
}

/* Of many instances of two classes, three pairs are tried. Beyond 4,096 they are not counted. */
static void test_instances(void **state)
{
    struct text x = crossing(1, 1, 0);
    assert_int_equal(pecan(&x, NULL).skipped, 0);
    x = crossing(1, 2, 0);
    assert_true(pecan(&x, NULL).skipped > 0);
    x = crossing(1, 5000, 0);
    assert_true(pecan(&x, NULL).skipped > 4096);
}

/* Classes that differ in their locks match with the same sites: six of these matches are tried. */
static void test_class_matches(void **state)
{
    for (unsigned classes = 1; classes <= 2; classes++) { /* in both orders: 2 and 8 matches */
        struct text x = with_threads(2);
        for (unsigned t = 1; t <= 2; t++)
            for (unsigned i = 0; i < classes; i++) {
                const char *a = t == 1 ? "a" : "b", *b = t == 1 ? "b" : "a";
                fprintf(x.f, "T%u lock %s\nT%u lock %s\nT%u unlock %s\n", t, a, t, b, t, b);
                fprintf(x.f, "T%u lock t%u_%u\nT%u write x=1 @%u.c:1\nT%u unlock t%u_%u\n", t, t, i,
                        t, t, t, t, i);
                fprintf(x.f, "T%u unlock %s\n", t, a);
            }
        assert_int_equal(pecan(&x, NULL).skipped, classes == 2 ? 2 : 0);
    }
}

/* Of the third region of a pattern, the newest instance is tried. */
static void test_third_region(void **state)
{
    static const char text[] =
        "pattern three kind race\n E a - b - c\n T t - u - v\n SV x - x - x\n"
        " AR 1 - 2 - 3\n AT w - w - w\n next b c\n";
    pf_patterns patterns = {0};
    struct pf_limits limits = pf_limits_default;
    struct pf_error e;
    assert_int_equal(pf_patterns_parse(&patterns, "three", text, sizeof text - 1, &e), PF_OK);
    limits.patterns = &patterns;
    for (unsigned n = 1; n <= 2; n++) {
        struct text x = with_threads(3);
        for (unsigned t = 1; t <= 3; t++)
            for (unsigned i = 0; i < (t == 3 ? n : 1); i++) {
                const char *a = t == 3 ? "b" : "a", *b = t == 3 ? "a" : "b";
                fprintf(x.f, "T%u lock %s\nT%u lock %s\nT%u unlock %s\n", t, a, t, b, t, b);
                fprintf(x.f, "T%u write x=1 @%u.c:1\nT%u unlock %s\n", t, t, t, a);
            }
        struct pf_pattern_search_result s = pecan(&x, &limits);
        assert_true(s.matches > s.accepted);
        assert_true(n == 1 ? s.skipped == 0 : s.skipped > 0);
    }
    pf_vec_release(&patterns);
}

/* Of many cells that the same code uses, four are searched; of their eight matches, six are
 * tried. */
static void test_cells_of_code(void **state)
{
    for (unsigned cells = 3; cells <= 5; cells++) {
        struct text x = with_threads(2);
        for (unsigned t = 1; t <= 2; t++)
            for (unsigned i = 0; i < cells; i++) {
                const char *a = t == 1 ? "a" : "b", *b = t == 1 ? "b" : "a";
                fprintf(x.f, "T%u lock %s\nT%u lock %s\nT%u unlock %s\n", t, a, t, b, t, b);
                fprintf(x.f, "T%u write x%u=1 @%u.c:1\nT%u unlock %s\n", t, i, t, t, a);
            }
        assert_int_equal(pecan(&x, NULL).skipped, cells == 3 ? 0 : cells == 4 ? 2 : 3);
    }
}

/* A check and its act, with `reads` other checks in the section of the act, and a writer in another
 * thread whose section has `writes` other events. */
static uint64_t check_act(unsigned reads, unsigned writes)
{
    struct text x = with_threads(2);
    fprintf(x.f, "T1 lock m\nT1 read x checks @f.c:1\nT1 unlock m\nT1 lock m\n");
    for (unsigned i = 0; i < reads; i++)
        fprintf(x.f, "T1 read y%u checks @f.c:%u\n", i, i + 10);
    fprintf(x.f, "T1 write x=1 acts @f.c:2\nT1 unlock m\nT2 lock m\nT2 write x=2 @f.c:4\n");
    for (unsigned i = 0; i < writes; i++)
        fprintf(x.f, "T2 write p=1 @f.c:5\n");
    fprintf(x.f, "T2 write y0=1 @f.c:6\nT2 unlock m\n");
    return pecan(&x, NULL).skipped;
}

static void test_check_act(void **state)
{
    assert_int_equal(check_act(16, 0), 0);
    assert_int_equal(check_act(17, 0), 1); /* checks after the check that are examined: 16 */
    assert_int_equal(check_act(1, 4000), 0);
    assert_int_equal(check_act(1, 5000), 1); /* events of a foreign section: 4,096 */
}

/* --- lock cycles --- */

static struct pf_cycles deadlock(struct text *x)
{
    struct pf_result r;
    run(x, "deadlock", NULL, &r);
    struct pf_cycles c = r.cycles;
    pf_result_release(&r);
    return c;
}

static void section(struct text *x, unsigned t, const char *a, const char *b)
{
    fprintf(x->f, "T%u lock %s @%u.c:1\nT%u lock %s @%u.c:2\nT%u unlock %s\nT%u unlock %s\n", t, a,
            t, t, b, t, t, b, t, a);
}

/* Of each edge, six events are kept. Here only those of T1 in between are not ordered with T2. */
static void test_edge_samples(void **state)
{
    for (int more = 0; more < 2; more++) {
        struct text x = with_threads(2);
        for (int i = 0; i < 3; i++)
            section(&x, 1, "a", "b");
        fprintf(x.f, "T1 post s\nT2 take s\n");
        for (int i = 0; i < more; i++)
            section(&x, 1, "a", "b");
        section(&x, 2, "b", "a");
        fprintf(x.f, "T2 post r\nT1 take r\n");
        for (int i = 0; i < 3; i++)
            section(&x, 1, "a", "b");
        struct pf_cycles c = deadlock(&x);
        assert_int_equal(c.cycles, 1);
        assert_int_equal(c.cut, more);
    }
}

/* All combinations of the events of a cycle are tried, up to 1,296. The threads run one after
 * another. */
static void test_cycle_combinations(void **state)
{
    static const char *const locks[] = {"a", "b", "c", "d", "e"};
    for (unsigned n = 4; n <= 5; n++) {
        struct text x = begin();
        for (unsigned t = 1; t <= n; t++) {
            fprintf(x.f, "T0 fork T%u\nT%u begin\n", t, t);
            for (int i = 0; i < 6; i++)
                section(&x, t, locks[t - 1], locks[t % n]);
            fprintf(x.f, "T%u end\nT0 join T%u\n", t, t);
        }
        struct pf_cycles c = deadlock(&x);
        assert_int_equal(c.cycles, 1);
        assert_int_equal(c.cut, n == 5);
    }
}

/* The lock order graph has at most 20,000 edges. */
static void test_edges(void **state)
{
    for (unsigned n = 20000; n <= 20001; n++) {
        struct text x = begin();
        for (unsigned i = 0; i < n; i++)
            fprintf(x.f, "T0 lock a\nT0 lock b @a.c:%u\nT0 unlock b\nT0 unlock a\n", i + 1);
        assert_int_equal(deadlock(&x).dropped, n - 20000);
    }
}

/* Long paths without a cycle use up the steps. */
static void test_path_steps(void **state)
{
    for (unsigned threads = 2; threads <= 15; threads += 13) {
        struct text x = with_threads(threads);
        for (unsigned t = 1; t <= threads; t++)
            for (unsigned a = 0; a < 14; a++)
                for (unsigned b = a + 1; b < 14; b++)
                    fprintf(x.f, "T%u lock l%u\nT%u lock l%u\nT%u unlock l%u\nT%u unlock l%u\n", t,
                            a, t, b, t, b, t, a);
        struct pf_cycles c = deadlock(&x);
        assert_int_equal(c.cycles, 0);
        assert_int_equal(c.cut, threads == 15);
    }
}

/* Where order allows a cycle, but no strategy finds a schedule, it is not decided. Here T1 has run
 * a section of q inside p, and T2 a section of p inside q. */
static void test_cycle_without_schedule(void **state)
{
    for (int crossed = 0; crossed < 2; crossed++) {
        struct text x = with_threads(2);
        for (unsigned t = 1; t <= 2; t++) {
            const char *p = t == 1 ? "p" : "q", *q = t == 1 ? "q" : "p";
            fprintf(x.f, "T%u lock %s\n", t, p);
            if (crossed)
                fprintf(x.f, "T%u lock %s\nT%u unlock %s\n", t, q, t, q);
            section(&x, t, t == 1 ? "a" : "b", t == 1 ? "b" : "a");
            fprintf(x.f, "T%u unlock %s\n", t, p);
        }
        assert_int_equal(deadlock(&x).cut, crossed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_tries),
        cmocka_unit_test(test_engine_matches),
        cmocka_unit_test(test_match_window),
        cmocka_unit_test(test_instances),
        cmocka_unit_test(test_class_matches),
        cmocka_unit_test(test_third_region),
        cmocka_unit_test(test_cells_of_code),
        cmocka_unit_test(test_check_act),
        cmocka_unit_test(test_edge_samples),
        cmocka_unit_test(test_cycle_combinations),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_path_steps),
        cmocka_unit_test(test_cycle_without_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
