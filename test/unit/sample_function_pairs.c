// sources: src/rt/sample/function_pairs.c src/rt/spin.c src/rt/sys.c src/rt/gate.S
// sources: src/report/textbuf.c src/report/pool.c
/*
 * sample_function_pairs.c - AtexRace's function pairs against a naive model: a list of pairs with
 * their counts; bursts are computed by stepping through all calls.
 */
#include "function_pairs.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs these before it
#include <cmocka.h>

#define PAIRS 400
#define FUNCS 24

struct model {
    uint64_t a[PAIRS], b[PAIRS];
    uint32_t count[PAIRS], earlier[PAIRS];
    bool used[PAIRS]; /* in this execution */
    unsigned n;
};

static unsigned model_at(struct model *m, uint64_t a, uint64_t b)
{
    for (unsigned i = 0; i < m->n; i++)
        if ((m->a[i] == a && m->b[i] == b) || (m->a[i] == b && m->b[i] == a))
            return i;
    assert_true(m->n < PAIRS);
    m->a[m->n] = a;
    m->b[m->n] = b;
    return m->n++;
}

/* Call number `count`: steps through all calls before it. */
static bool model_bursts(const struct pf_burst_rate *r, uint32_t count)
{
    uint32_t period = r->period, at = 0, bursts = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (++at < period)
            continue;
        at = 0;
        if (++bursts == r->repeat && period < r->period_max) {
            bursts = 0;
            period = period * 10 > r->period_max ? r->period_max : period * 10;
        }
    }
    return at < r->burst;
}

static uint32_t seed = 12345;
static uint32_t next(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static void test_bursts(void **state)
{
    (void)state;
    const struct pf_burst_rate rates[] = {{10, 100, 10000, 10},
                                          {10, 100, 100, 10},
                                          {1, 3, 50, 10},
                                          {7, 7, 7, 10},
                                          {10, 100, 10000, 1}};
    for (unsigned k = 0; k < sizeof rates / sizeof *rates; k++) {
        uint32_t sampled = 0, top = 2500;
        for (uint32_t i = 0; i < top; i++) {
            uint32_t left;
            bool in = pf_burst_rate_samples(&rates[k], i, &left);
            sampled += in;
            assert_int_equal(in, model_bursts(&rates[k], i));
            assert_true(left > 0);
            uint32_t rest;
            if (i % 13 == 0) {
                assert_int_equal(pf_burst_rate_samples(&rates[k], i + left - 1, &rest), in);
                assert_int_equal(rest, 1);
            }
        }
        if (k == 0)
            assert_int_equal(sampled, 100 + 20); /* ten bursts at 10%, two at 1% */
        if (k == 1)
            assert_int_equal(sampled, 250);
        if (k == 4) /* LiteRace's */
            assert_int_equal(sampled, 30);
    }
}

/* How pairs of each kind age, written out. */
static struct pf_burst_rate model_rate(enum pf_pair_kind kind)
{
    switch (kind) {
    case PF_PAIR_UNLOCKED:
        return (struct pf_burst_rate){2, 7, 7, 10};
    case PF_PAIR_APART:
        return (struct pf_burst_rate){2, 7, 70, 1};
    case PF_PAIR_RETIRED:
        return (struct pf_burst_rate){2, 70, 70, 10};
    default:
        return (struct pf_burst_rate){2, 7, 70, 10};
    }
}

/* The pair (a, b) with a new kind and coverage each time, as they change while threads run. */
static struct pf_other_function with_function(uint64_t hash)
{
    return (struct pf_other_function){hash, (enum pf_pair_kind)next(4), next(2)};
}

static enum pf_pair_decision model_decision(const struct model *m, unsigned pair,
                                            const struct pf_other_function *o)
{
    struct pf_burst_rate rate = model_rate(o->kind);
    uint32_t count = m->count[pair];
    if (!count)
        return PF_PAIR_NEW;
    if (count < rate.burst)
        return PF_PAIR_FIRST_BURST;
    if (!o->covered && count - m->earlier[pair] < rate.burst)
        return PF_PAIR_UNCOVERED_BURST;
    if (!model_bursts(&rate, count))
        return PF_PAIR_SKIP;
    return o->kind == PF_PAIR_UNLOCKED ? PF_PAIR_UNLOCKED_BURST : PF_PAIR_BURST;
}

/* This execution uses the pair for the first time. */
static void model_first_use(struct model *m, unsigned pair, const struct pf_burst_rate *r,
                            bool retired, uint64_t seed)
{
    if (m->used[pair])
        return;
    m->used[pair] = true;
    uint64_t key = pf_function_pair_key(m->a[pair], m->b[pair]);
    if (m->count[pair] || retired)
        m->count[pair] = pf_function_pair_shift(r, m->count[pair] ? m->count[pair] : 1, key, seed);
    m->earlier[pair] = m->count[pair];
}

/* One call of f while n other threads run functions. */
static void check_call(struct model *m, struct pf_function_pairs *own,
                       const struct pf_function_pairs *before, uint64_t f,
                       const struct pf_other_function *other, unsigned n)
{
    const struct pf_burst_rate rate = {2, 7, 70, 10};
    uint32_t weight = 1 + next(3), left;
    uint64_t wake, want = 0;
    enum pf_pair_decision say = PF_PAIR_SKIP, of[5];
    for (unsigned i = 0; i < n; i++) {
        unsigned pair = model_at(m, f, other[i].hash), same = 0;
        struct pf_burst_rate own_rate = model_rate(other[i].kind);
        while (other[same].hash != other[i].hash)
            same++;
        if (same == i)
            model_first_use(m, pair, &own_rate, other[i].kind == PF_PAIR_RETIRED, before->seed);
        of[i] = model_decision(m, pair, &other[same]);
        say = of[i] > say ? of[i] : say;
    }
    /* pairs in later bursts wake nobody while another pair is in its first one */
    for (unsigned i = 0; i < n; i++)
        if (of[i] && (of[i] >= PF_PAIR_UNCOVERED_BURST || of[i] == say))
            want |= 1ull << i;
    for (unsigned i = 0; i < n; i++) {
        bool first = true;
        for (unsigned k = 0; k < i; k++)
            first &= other[k].hash != other[i].hash;
        uint32_t *c = &m->count[model_at(m, f, other[i].hash)];
        if (first)
            *c += *c ? weight : 1;
    }
    assert_int_equal(
        pf_function_pairs_decide(own, before, &rate, f, other, n, weight, &wake, &left), say);
    assert_int_equal(wake, want);
    assert_true(left > 0);
}

static void test_calls(void **state)
{
    (void)state;
    const struct pf_burst_rate rate = {2, 7, 70, 10};
    struct pf_function_pairs own = {0}, before = {.seed = 5};
    struct model m = {0};
    uint64_t name[FUNCS];
    for (unsigned i = 0; i < FUNCS; i++)
        name[i] = pf_function_hash("f", "dir/file.c", i);
    for (unsigned i = 0; i < 60; i++) { /* what earlier executions left */
        uint64_t a = name[next(FUNCS)], b = name[next(FUNCS)];
        uint32_t count = 1 + next(300), *c = &m.count[model_at(&m, a, b)];
        if (*c)
            continue;
        *c = count;
        assert_non_null(pf_function_pairs_add(&before, pf_function_pair_key(a, b), count, count));
    }
    for (unsigned step = 0; step < 20000; step++) {
        uint64_t f = name[next(FUNCS)];
        struct pf_other_function other[5];
        if (next(4) == 0) { /* calls made by functions that f called */
            uint64_t with = name[next(FUNCS)];
            uint32_t calls = 1 + next(3);
            unsigned pair = model_at(&m, f, with);
            model_first_use(&m, pair, &rate, false, before.seed);
            m.count[pair] += calls;
            pf_function_pairs_count(&own, &before, &rate, f, with, calls);
        }
        unsigned n = next(6);
        for (unsigned i = 0; i < n; i++)
            other[i] = with_function(name[next(FUNCS)]);
        check_call(&m, &own, &before, f, other, n);
    }
    for (unsigned i = 0; i < m.n; i++) {
        const struct pf_function_pair *p =
            pf_function_pairs_find(&own, pf_function_pair_key(m.b[i], m.a[i]));
        if (p)
            assert_int_equal(p->count, m.count[i]);
        if (p)
            assert_int_equal(p->earlier, m.earlier[i]);
    }
    pf_function_pairs_release(&own);
    pf_function_pairs_release(&before);
}

/* An execution with 100 calls of a pair whose period is 1,000 meets a burst about once in ten. */
static void test_shift(void **state)
{
    (void)state;
    const struct pf_burst_rate rate = {10, 100, 10000, 10};
    const uint64_t key = pf_function_pair_key(3, 4);
    unsigned met = 0;
    for (uint64_t execution = 0; execution < 1000; execution++) {
        uint32_t left, count = 5000; /* the period is 1,000 */
        uint32_t from = pf_function_pair_shift(&rate, count, key, execution);
        assert_true(from >= count && from < count + 1000);
        bool in = pf_burst_rate_samples(&rate, from, &left);
        met += in || left < 100; /* an execution of 100 calls */
    }
    assert_in_range(met, 80, 140);
}

static void test_names(void **state)
{
    (void)state;
    uint64_t a = pf_function_hash("f", "/x/a.c", 1);
    assert_true(a == pf_function_hash("f", "/other/a.c", 1)); /* the project may be moved */
    assert_true(a != pf_function_hash("f", "/x/a.c", 2));     /* the code has changed */
    assert_true(a != pf_function_hash("g", "/x/a.c", 1));
    assert_true(a != pf_function_hash("f", "/x/b.c", 1));
    assert_true(pf_function_pair_key(a, 7) == pf_function_pair_key(7, a));
    assert_true(pf_function_pair_key(a, a) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_shift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
