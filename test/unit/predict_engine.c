// sources: src/trace/*.c src/predict/*.c src/predict/*/*.c test/oracle/reorder/*.c
// sources: src/base/allocation.c src/base/vector.c src/base/hash_map.c src/base/status.c
// flags: -D_GNU_SOURCE -O1
/*
 * predict_engine.c - the engine against the definition. On small random traces, the answer for
 * every pair of conflicting accesses must be the one that enumerating all reorderings gives, and
 * every witness must pass the validator.
 */
#include "../oracle/reorder/brute.h"
#include "../oracle/reorder/random_trace.h"
#include "analysis.h"
#include "engine/engine.h"
#include "engine/validate.h"
#include "selfcheck.h"
#include "trace_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MAX_ORDER 64
/* AddressSanitizer builds use a sixth of the traces. These suffice to find memory errors, and the
 * plain build compares the results of all traces. */
#if __has_feature(address_sanitizer)
#define SHARE 6
#else
#define SHARE 1
#endif

#define LEAST_PAIRS (10000 / SHARE) /* enough pairs for a meaningful comparison */

static uint64_t all_pairs, unknown;

struct tally {
    uint64_t pairs, yes, no, traces, refused;
    struct pf_engine_stats stats;
};

static void explain(const struct pf_trace *t, uint64_t seed, uint32_t a, uint32_t b, bool want,
                    const char *what)
{
    fprintf(stderr, "seed %lu: events %u and %u: expected %s, %s\n", (unsigned long)seed, a + 1,
            b + 1, want ? "race" : "none", what);
    pf_trace_write_text(t, stderr);
}

static bool is_valid(const struct pf_trace *t, enum pf_missing missing, const struct pf_race *r,
                     struct pf_error *why)
{
    enum pf_validity v;
    pf_validate(t, (enum pf_missing_rule)missing, r, 1, NULL, &v, why);
    assert_int_not_equal(v, PF_UNCHECKED);
    return v == PF_VALID;
}

/* Damaged schedules, most of them wrong: the validator must reject those that the definition
 * rejects. */
static void damage(const struct pf_trace *t, enum pf_missing missing, const struct pf_race *good,
                   uint64_t seed, struct tally *sum)
{
    uint64_t rnd = seed * 31 + good->a;
    for (int tries = 0; tries < 3 && good->norder; tries++) {
        uint32_t order[MAX_ORDER + 1], n = good->norder;
        struct pf_race r = {good->a, good->b, 0, order, n};
        memcpy(order, good->order, n * sizeof *order);
        uint32_t i = (uint32_t)(pf_random_next(&rnd) % n), k = (uint32_t)(pf_random_next(&rnd) % n);
        uint32_t event = order[i];
        if (tries == 0) { /* move one event */
            memmove(order + i, order + i + 1, (n - i - 1) * sizeof *order);
            memmove(order + k + 1, order + k, (n - 1 - k) * sizeof *order);
            order[k] = event;
        } else if (tries == 1) { /* remove one event */
            memmove(order + i, order + i + 1, (n - i - 1) * sizeof *order);
            r.norder--;
        } else { /* append another event */
            order[n] = (uint32_t)(pf_random_next(&rnd) % t->events.len);
            r.norder++;
        }
        bool want = pf_brute_run(t, (enum pf_brute_missing)missing, order, r.norder, r.a, r.b);
        struct pf_error err = {0};
        bool ok = is_valid(t, missing, &r, &err);
        sum->refused += !want;
        if (ok != want) {
            explain(t, seed, r.a, r.b, want, ok ? "the validator accepts" : err.text);
            for (uint32_t q = 0; q < r.norder; q++)
                fprintf(stderr, " %u", order[q] + 1);
            fail();
        }
    }
}

/* The whole analysis, including its search for candidates: exactly the races of the definition. */
static void check_analysis(const struct pf_trace *t, uint64_t seed, enum pf_missing missing,
                           const bool *race)
{
    const char *name = missing == PF_MISSING_RDIT ? "rdit" : missing == PF_MISSING_SB ? "sb" : "mc";
    uint32_t n = (uint32_t)t->events.len;
    struct pf_result r = {0};
    struct pf_limits limits = pf_limits_default;
    limits.all_pairs = true;
    limits.history = 1000;
    limits.conflicts = 100000;
    pf_analysis_find(name, strlen(name))->run(t, &limits, &r);
    assert_int_equal(r.invalid + r.unknown + r.window + r.dropped + r.untried, 0);
    bool *reported = pf_mem_zero((size_t)n * n, 1);
    for (size_t i = 0; i < r.races.len; i++)
        reported[r.races.at[i].a * n + r.races.at[i].b] = true;
    for (uint32_t i = 0; i < n * n; i++)
        if (reported[i] != race[i]) {
            explain(t, seed, i / n, i % n, race[i], name);
            fail();
        }
    free(reported);
    pf_result_release(&r);
}

static void compare(const struct pf_random_shape *shape, uint64_t seed, enum pf_missing missing,
                    struct tally *sum)
{
    struct pf_trace t;
    struct pf_error err;
    pf_random_trace(&t, shape, seed);
    if (pf_trace_check(&t, NULL, &err) != PF_OK) {
        pf_trace_write_text(&t, stderr);
        fail_msg("seed %lu: %s", (unsigned long)seed, err.text);
    }
    uint32_t n = (uint32_t)t.events.len;
    bool *race = pf_mem_zero((size_t)n * n, 1);
    if (!pf_brute(&t, (enum pf_brute_missing)missing, race))
        goto out;
    sum->traces++;
    check_analysis(&t, seed, missing, race);
    struct pf_trace_index x;
    struct pf_window w;
    struct pf_query p = {0};
    struct pf_engine_stats unused = {0};
    pf_trace_index_init(&x, &t, missing);
    pf_window_init(&w, &x);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++) {
            if (!pf_trace_conflict(&t, &t.events.at[a], &t.events.at[b]))
                continue;
            enum pf_answer got = pf_engine_decide(&w, &p, 0, n, a, b, 100000, &sum->stats);
            bool want = race[a * n + b];
            sum->pairs++;
            sum->yes += want;
            sum->no += !want;
            if (got != (want ? PF_YES : PF_NO)) {
                explain(&t, seed, a, b, want, got == PF_YES ? "got a race" : "got none");
                fail();
            }
            if (got == PF_YES) {
                struct pf_race r = {a, b, 0, p.order.at, (uint32_t)p.order.len};
                if (!is_valid(&t, missing, &r, &err)) {
                    explain(&t, seed, a, b, want, err.text);
                    for (uint32_t k = 0; k < r.norder; k++)
                        fprintf(stderr, " %u", r.order[k] + 1);
                    fail();
                }
                damage(&t, missing, &r, seed, sum);
            }
            /* The last tier must find by itself what the first one would have accepted. */
            pf_window_fill(&w, 0, n);
            got = pf_query_init(&p, &w, a, b) && pf_query_close(&p) ? pf_query_solve(&p, 100000)
                                                                    : PF_NO;
            if (got != (want ? PF_YES : PF_NO)) {
                explain(&t, seed, a, b, want, "the solver disagrees");
                fail();
            }
            /* With too small a budget the answer may be unknown, but it is never wrong. */
            for (uint32_t budget = 0; budget < 4; budget++) {
                got = pf_engine_decide(&w, &p, 0, n, a, b, budget, &unused);
                unknown += got == PF_UNKNOWN;
                if (got != PF_UNKNOWN && got != (want ? PF_YES : PF_NO)) {
                    explain(&t, seed, a, b, want, "wrong when the budget is used up");
                    fail();
                }
            }
            /* A window that keeps the order of the first events answers yes only for true races. */
            uint32_t lo = a / 2;
            if (pf_engine_decide(&w, &p, lo, n, a, b, 100000, &unused) == PF_YES) {
                if (!want)
                    explain(&t, seed, a, b, want, "got a race in a window");
                assert_true(want);
                struct pf_race r = {a, b, lo, NULL, (uint32_t)p.order.len};
                r.order = pf_mem_resize(NULL, r.norder, sizeof *r.order);
                for (uint32_t k = 0; k < r.norder; k++)
                    r.order[k] = p.order.at[k] + lo;
                bool ok = is_valid(&t, missing, &r, &err);
                free(r.order);
                if (!ok)
                    explain(&t, seed, a, b, want, err.text);
                assert_true(ok);
            }
        }
    pf_query_release(&p);
    pf_window_release(&w);
    pf_trace_index_release(&x);
out:
    free(race);
    pf_trace_release(&t);
}

static void run_many(const char *name, struct pf_random_shape shape, enum pf_missing missing,
                     uint32_t count)
{
    struct tally sum = {0};
    count /= SHARE;
    for (uint64_t seed = 1; seed <= count; seed++)
        compare(&shape, seed, missing, &sum);
    printf("%s: %lu pairs, %lu races, in %lu traces agree; order %lu, preserved %lu, closed %lu, "
           "solved %lu\n",
           name, sum.pairs, sum.yes, sum.traces, sum.stats.order, sum.stats.preserve,
           sum.stats.close, sum.stats.solved);
    all_pairs += sum.pairs;
    assert_true(sum.refused > 0);
    assert_true(sum.yes > 0 && sum.no > 0 && sum.traces > count / 2);
}

static void test_plain(void **state)
{
    run_many("locks", (struct pf_random_shape){3, 2, 2, 16, 2, 0}, PF_MISSING_IGNORE, 1000);
    run_many("more locks", (struct pf_random_shape){3, 3, 3, 24, 3, 0}, PF_MISSING_IGNORE, 200);
    run_many("one variable", (struct pf_random_shape){3, 1, 1, 20, 2, 0}, PF_MISSING_IGNORE, 200);
    run_many("four threads", (struct pf_random_shape){4, 2, 2, 20, 2, 0}, PF_MISSING_IGNORE, 150);
}

static void test_features(void **state)
{
    static const struct {
        const char *name;
        unsigned features;
    } each[] = {
        {"branches", PF_RANDOM_BRANCH},
        {"rwlocks", PF_RANDOM_RWLOCK},
        {"trylock", PF_RANDOM_TRYLOCK},
        {"conditions", PF_RANDOM_COND},
        {"barriers", PF_RANDOM_BARRIER},
        {"atomics", PF_RANDOM_ATOMIC},
        {"sizes", PF_RANDOM_SIZES},
        {"messages", PF_RANDOM_MESSAGE},
        {"blocks", PF_RANDOM_BLOCK},
        {"recursive", PF_RANDOM_RECURSIVE},
        {"fork and join", PF_RANDOM_FORK},
        {"spin lock", PF_RANDOM_SPIN},
        {"spin lock, branches", PF_RANDOM_SPIN | PF_RANDOM_BRANCH},
        {"spin lock, fork", PF_RANDOM_SPIN | PF_RANDOM_FORK | PF_RANDOM_ATOMIC},
        {"stray stores", PF_RANDOM_STRAY},
        {"stray stores, branches", PF_RANDOM_STRAY | PF_RANDOM_BRANCH | PF_RANDOM_ATOMIC},
        {"branches, atomics", PF_RANDOM_BRANCH | PF_RANDOM_ATOMIC | PF_RANDOM_TRYLOCK},
        {"all but calls", PF_RANDOM_ALL & ~(PF_RANDOM_CALL | PF_RANDOM_FORK)},
        {"all but calls, fork", PF_RANDOM_ALL & ~PF_RANDOM_CALL},
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        run_many(each[i].name, (struct pf_random_shape){3, 2, 2, 22, 2, each[i].features},
                 PF_MISSING_IGNORE, 100);
}

static void test_missing(void **state)
{
    struct pf_random_shape shape = {3, 3, 2, 20, 2, PF_RANDOM_CALL};
    run_many("calls, mc", shape, PF_MISSING_IGNORE, 100);
    run_many("calls, rdit", shape, PF_MISSING_RDIT, 300);
    run_many("calls, sb", shape, PF_MISSING_SB, 100);
    shape.features = PF_RANDOM_CALL | PF_RANDOM_CALLBACK;
    run_many("callbacks, rdit", shape, PF_MISSING_RDIT, 400);
    run_many("callbacks, sb", shape, PF_MISSING_SB, 100);
    shape.features |= PF_RANDOM_BRANCH | PF_RANDOM_ATOMIC;
    run_many("callbacks, branches, rdit", shape, PF_MISSING_RDIT, 300);
    shape.features = (PF_RANDOM_ALL | PF_RANDOM_CALLBACK) & ~PF_RANDOM_FORK;
    run_many("all, callbacks, rdit", shape, PF_MISSING_RDIT, 200);
    shape.features = PF_RANDOM_ALL & ~PF_RANDOM_FORK;
    run_many("all, rdit", shape, PF_MISSING_RDIT, 200);
    shape.features = PF_RANDOM_CALL | PF_RANDOM_STRAY;
    run_many("calls, stray stores, mc", shape, PF_MISSING_IGNORE, 100);
    run_many("calls, stray stores, rdit", shape, PF_MISSING_RDIT, 200);
}

/* A small window that is undecided does not end the search: a race that the window of the whole
 * trace decides within the budget is reported. */
static void test_undecided_windows(void **state)
{
    struct pf_random_shape shape = {4, 2, 2, 260, 2, PF_RANDOM_BRANCH};
    uint32_t decided = 0;
    for (uint64_t seed = 1; seed <= 40 / SHARE; seed++) {
        struct pf_limits limits = pf_limits_default;
        struct pf_engine_stats stats = {0};
        struct pf_result r = {0};
        struct pf_trace t;
        struct pf_trace_index x;
        struct pf_window w;
        struct pf_query p = {0};
        pf_random_trace(&t, &shape, seed);
        uint32_t n = (uint32_t)t.events.len;
        limits.all_pairs = true;
        limits.history = 1000;
        limits.conflicts = 0;
        pf_analysis_find("mc", 2)->run(&t, &limits, &r);
        bool *reported = pf_mem_zero((size_t)n * n, 1);
        for (size_t i = 0; i < r.races.len; i++)
            reported[r.races.at[i].a * n + r.races.at[i].b] = true;
        pf_trace_index_init(&x, &t, PF_MISSING_IGNORE);
        pf_window_init(&w, &x);
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = a + 1; b < n; b++) {
                if (!pf_trace_conflict(&t, &t.events.at[a], &t.events.at[b]) ||
                    pf_engine_decide(&w, &p, 0, n, a, b, 0, &stats) != PF_YES)
                    continue;
                decided++;
                if (!reported[a * n + b])
                    explain(&t, seed, a, b, true, "not reported");
                assert_true(reported[a * n + b]);
            }
        free(reported);
        pf_query_release(&p);
        pf_window_release(&w);
        pf_trace_index_release(&x);
        pf_result_release(&r);
        pf_trace_release(&t);
    }
    assert_true(decided > 0);
}

static void test_enough(void **state)
{
    printf("%lu pairs, no disagreement\n", all_pairs);
    assert_true(all_pairs >= LEAST_PAIRS);
    assert_true(unknown > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),   cmocka_unit_test(test_features),
        cmocka_unit_test(test_missing), cmocka_unit_test(test_undecided_windows),
        cmocka_unit_test(test_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
