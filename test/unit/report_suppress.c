// sources: src/report/*.c
/* report_suppress.c - suppressions: patterns, lines, stacks of several frames, hits, generated
 * lines. */
#include "report_sample.h"
#include "suppress.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *s;
        bool match;
    } table[] = {
        {"foo", "foo", true},
        {"foo", "a foo b", true},
        {"foo", "fo", false},
        {"^foo", "foobar", true},
        {"^foo", "a foo", false},
        {"foo$", "a foo", true},
        {"foo$", "foob", false},
        {"foo$", "foofoo", true},
        {"^foo$", "foo", true},
        {"^foo$", "foo ", false},
        {"f*o", "xxfabcoxx", true},
        {"^f*o$", "fabco", true},
        {"^f*o$", "fabcox", false},
        {"a*b*c", "a1b2c", true},
        {"a*b*c", "acb", false},
        {"*", "", true},
        {"*", "x", true},
        {"^*$", "x", true},
        {"^a*a$", "a", false},
        {"^a*a$", "aa", true},
        {"^aab$", "aaab", false},
        {"aab", "aaab", true},
        {"a**b", "ab", true},
        {"$", "x", true},
        {"^", "x", true},
        {"^$", "", true},
        {"^$", "x", false},
        {"ns::f(int*)", "ns::f(int*)", true},
        {"*x*y*z", "1x2y3z4", true},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (pf_pattern_match(table[i].pattern, table[i].s) != table[i].match)
            fail_msg("'%s' against '%s'", table[i].pattern, table[i].s);
    assert_false(pf_pattern_match("*", NULL));
}

/* A slow, obvious matcher, and every short pattern against every short string. */
static bool naive(const char *p, const char *s, bool to_end)
{
    if (*p == '*')
        return naive(p + 1, s, to_end) || (*s && naive(p, s + 1, to_end));
    if (!*p)
        return !to_end || !*s;
    return *p == *s && naive(p + 1, s + 1, to_end);
}
static bool naive_match(const char *pattern, const char *s)
{
    char p[16];
    snprintf(p, sizeof p, "%s%s", *pattern == '^' ? "" : "*", pattern + (*pattern == '^'));
    bool to_end = *p && p[strlen(p) - 1] == '$';
    if (to_end)
        p[strlen(p) - 1] = 0;
    return naive(p, s, to_end);
}
static void fill(char *out, unsigned n, const char *letters)
{
    unsigned base = (unsigned)strlen(letters) + 1, k = 0;
    for (; n; n /= base)
        if (n % base)
            out[k++] = letters[n % base - 1];
    out[k] = 0;
}
static void patterns_as_naive(void **state)
{
    (void)state;
    char p[16], inner[16], s[16];
    for (unsigned i = 0; i < 4 * 4 * 4 * 4 * 4 * 4; i++)
        for (unsigned ends = 0; ends < 4; ends++)
            for (unsigned k = 0; k < 3 * 3 * 3 * 3 * 3; k++) {
                fill(inner, i, "ab*");
                fill(s, k, "ab");
                snprintf(p, sizeof p, "%s%s%s", ends & 1 ? "^" : "", inner, ends & 2 ? "$" : "");
                if (*p && pf_pattern_match(p, s) != naive_match(p, s))
                    fail_msg("'%s' against '%s'", p, s);
            }
}

struct given {
    struct pf_pool pool;
    struct pf_suppressions list;
    struct pf_suppress_error error;
};
static bool give(struct given *g, const char *text)
{
    pf_pool_init(&g->pool, sample_map, sample_unmap);
    pf_suppressions_init(&g->list);
    return pf_suppressions_parse(&g->list, &g->pool, text, strlen(text), &g->error);
}
static bool suppresses(const char *text, const struct pf_finding *f)
{
    struct given g;
    if (!give(&g, text))
        fail_msg("%s: %s", text, g.error.reason);
    bool by_name, match = pf_suppressions_match(&g.list, f, &by_name) != NULL;
    pf_pool_release(&g.pool);
    return match;
}

static void lines(void **state)
{
    (void)state;
    struct given g;
    assert_true(
        give(&g, "# comment\n\n  race:a b \r\nrace_top:c\nmutex:d\nthread:e\nsignal:f\ndeadlock:g\n"
                 "called_from_lib:h\n\t# x\nrace:a <- ... <- b"));
    assert_int_equal(g.list.n, 8);
    assert_string_equal(g.list.first->line, "race:a b");
    pf_pool_release(&g.pool);
    static const struct {
        const char *text;
        unsigned line;
        const char *reason;
    } bad[] = {
        {"race:a\nrcae:b\n", 2, "unknown type"},
        {"\n\nrace", 3, "expected type:pattern"},
        {"race:", 1, "the pattern is empty"},
        {"race:   ", 1, "the pattern is empty"},
        {"race:a <-  <- b", 1, "a frame of the pattern is empty"},
        {"race:...", 1, "suppress everything"},
        {"race:... <- ...", 1, "suppress everything"},
        {"race_top:a <- b", 1, "a pattern of one frame"},
        {":a", 1, "unknown type"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(give(&g, bad[i].text));
        assert_int_equal(g.error.line, bad[i].line);
        if (!strstr(g.error.reason, bad[i].reason))
            fail_msg("'%s': message: %s", bad[i].text, g.error.reason);
        pf_pool_release(&g.pool);
    }
}

static void matches(void **state)
{
    (void)state;
    struct pf_finding f = sample_finding();
    static const struct {
        const char *text;
        bool match;
    } table[] = {
        {"race:store", true},                           /* a function of the later stack */
        {"race:^load$", true},                          /* a function of the earlier stack */
        {"race:main.c", true},                          /* a file */
        {"race:libx.so", true},                         /* an object file */
        {"race:^x$", true},                             /* the variable */
        {"race:nothing", false},
        {"race_top:memcpy", true},
        {"race_top:^load$", true},
        {"race_top:store", false},
        {"called_from_lib:prog", true},                 /* memcpy was called from it */
        {"called_from_lib:libx", false},
        {"mutex:store", false},
        {"thread:store", false},
        {"signal:store", false},
        {"deadlock:store", false},
        {"race:memcpy <- store", true},
        {"race:memcpy <- ^store$ <- ^worker$", true},
        {"race:store <- worker", false},                /* the stack starts at frame 0 */
        {"race:... <- store <- worker", true},
        {"race:... <- worker", true},
        {"race:memcpy <- ... <- worker", true},
        {"race:memcpy <- worker", false},
        {"race:memcpy <- ... <- worker <- main", false}, /* frames of different stacks */
        {"race:load <- main <- ...", true},
        {"race:... <- load <- ... <- main", true},
        {"race:load.c <- main.c", true},
        {"race:... <- ^x$", false},                     /* the variable is not a frame */
        {"# race:store", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (suppresses(table[i].text, &f) != table[i].match)
            fail_msg("%s", table[i].text);
    f.kind = PF_KIND_DEADLOCK;
    assert_true(suppresses("deadlock:store", &f));
    assert_false(suppresses("race:store", &f));
    static const struct {
        enum pf_kind kind;
        const char *text;
    } others[] = {
        {PF_KIND_MUTEX_BAD_UNLOCK, "mutex:store"}, {PF_KIND_SYNC_MISUSE, "mutex:... <- store"},
        {PF_KIND_THREAD_LEAK, "thread:store"},     {PF_KIND_IGNORES_AT_END, "thread:store"},
        {PF_KIND_SIGNAL_UNSAFE, "signal:store"},   {PF_KIND_ERRNO_IN_SIGNAL, "signal:store"},
        {PF_KIND_USE_AFTER_FREE, "race:store"},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
            f.kind = others[i].kind;
            bool same = !strncmp(others[i].text, others[k].text, 4); /* the type of the line */
            if (suppresses(others[k].text, &f) != same)
                fail_msg("%s, %s", pf_kind_name(f.kind), others[k].text);
        }
}

static void hits(void **state)
{
    (void)state;
    struct pf_finding f = sample_finding();
    struct given g;
    assert_true(give(&g, "race:nothing\nrace:worker\nrace:store\n"));
    bool by_name = true;
    for (int i = 0; i < 3; i++)
        assert_string_equal(pf_suppressions_match(&g.list, &f, &by_name)->line, "race:worker");
    assert_false(by_name);
    assert_int_equal(g.list.first->hits, 0);
    assert_int_equal(g.list.first->next->hits, 3);
    assert_int_equal(g.list.first->next->next->hits, 0);
    pf_pool_release(&g.pool);
}

static void by_name(void **state)
{
    (void)state;
    struct pf_finding f = sample_finding();
    struct given g;
    bool by_name = false;
    assert_true(give(&g, "race:^x$\n"));
    assert_non_null(pf_suppressions_match(&g.list, &f, &by_name));
    assert_true(by_name);
    pf_pool_release(&g.pool);
}

static void generated(void **state)
{
    (void)state;
    struct pf_finding f = sample_finding();
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init(&pool, sample_map, sample_unmap);
    pf_text_init(&t, &pool);
    pf_suppression_text(&t, &f);
    pf_text_char(&t, 0);
    assert_string_equal(t.at, "# race on x: store store.c:12 / load load.c:7\n"
                              "race:^memcpy$ <- ^store$ <- ^worker$\n");
    assert_true(suppresses(t.at, &f));
    pf_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),  cmocka_unit_test(patterns_as_naive),
        cmocka_unit_test(lines),     cmocka_unit_test(matches),
        cmocka_unit_test(hits),      cmocka_unit_test(by_name),
        cmocka_unit_test(generated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
