// sources: src/predict/pecan/pattern.c src/base/allocation.c src/base/vector.c
// sources: src/base/hash_map.c src/base/status.c
/*
 * pecan_pattern.c - the pattern language: the built-in patterns are exactly the non-serialisable
 * interleavings of their shapes, and bad files are rejected with line and reason.
 */
#include "pecan/pattern.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
// clang-format off
#include <cmocka.h>
// clang-format on

/* One event of an interleaving: unit 0 or 1, variable 0 or 1, write or not. */
struct step {
    int unit, var, write;
};

/* True if some order of the two units has the same order of all conflicts. */
static bool serialisable(const struct step *s, int n)
{
    bool first = false, second = false;
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++)
            if (s[i].unit != s[k].unit && s[i].var == s[k].var && (s[i].write || s[k].write))
                *(s[i].unit == 0 ? &first : &second) = true;
    return !(first && second);
}

/* Units and variables are named in the order of their first appearance, as in the parser. */
static void spell(const struct step *s, int n, char *out)
{
    int unit[2] = {-1, -1}, var[2] = {-1, -1}, units = 0, vars = 0;
    for (int i = 0; i < n; i++) {
        if (unit[s[i].unit] < 0)
            unit[s[i].unit] = units++;
        if (var[s[i].var] < 0)
            var[s[i].var] = vars++;
        out += sprintf(out, "%c%d%d ", s[i].write ? 'w' : 'r', var[s[i].var], unit[s[i].unit]);
    }
}

static void spell_pattern(const struct pf_pattern *p, char *out)
{
    for (unsigned i = 0; i < p->n; i++)
        out += sprintf(out, "%c%d%d ", p->write[i] ? 'w' : 'r', p->var[i], p->region[i]);
}

struct set {
    char text[64][64];
    int n;
};
static void add(struct set *s, const char *text)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->text[i], text))
            return;
    strcpy(s->text[s->n++], text);
}
static bool has(const struct set *s, const char *text)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->text[i], text))
            return true;
    return false;
}

/* Every interleaving of a unit of na events with one of nb events. */
static void interleave(const struct step *a, int na, const struct step *b, int nb, struct set *out)
{
    for (unsigned mask = 0; mask < 1u << (na + nb); mask++) {
        struct step s[8];
        char text[64];
        if (__builtin_popcount(mask) != na)
            continue;
        for (int n = 0, i = 0, k = 0; n < na + nb; n++)
            s[n] = mask >> n & 1 ? a[i++] : b[k++];
        if (!serialisable(s, na + nb)) {
            spell(s, na + nb, text);
            add(out, text);
        }
    }
}

static void compare(const struct set *want, enum pf_pattern_kind kind)
{
    pf_patterns p = {0};
    struct set got = {.n = 0};
    pf_patterns_builtin(&p);
    for (size_t i = 0; i < p.len; i++)
        if (p.at[i].kind == kind) {
            char text[64];
            spell_pattern(&p.at[i], text);
            assert_false(has(&got, text));
            add(&got, text);
            if (!has(want, text))
                fail_msg("%s (%s) is serialisable, or has another shape", p.at[i].name, text);
        }
    for (int i = 0; i < want->n; i++)
        if (!has(&got, want->text[i]))
            fail_msg("no pattern for %s", want->text[i]);
    pf_vec_release(&p);
}

/* One unit accesses a variable twice, the other once. */
static void test_atomicity(void **state)
{
    (void)state;
    struct set want = {.n = 0};
    for (int types = 0; types < 8; types++) {
        struct step a[] = {{0, 0, types & 1}, {0, 0, types >> 1 & 1}}, b[] = {{1, 0, types >> 2}};
        interleave(a, 2, b, 1, &want);
    }
    assert_int_equal(want.n, 5);
    compare(&want, PF_PATTERN_ATOMICITY);
}

/* Each unit writes, or reads, both variables, in either order. */
static void test_atomic_sets(void **state)
{
    (void)state;
    struct set want = {.n = 0};
    for (int types = 0; types < 4; types++)
        for (int orders = 0; orders < 4; orders++) {
            int v = orders & 1, w = orders >> 1, x = types & 1, y = types >> 1;
            struct step a[] = {{0, v, x}, {0, !v, x}}, b[] = {{1, w, y}, {1, !w, y}};
            interleave(a, 2, b, 2, &want);
        }
    assert_int_equal(want.n, 9);
    compare(&want, PF_PATTERN_ATOMIC_SET);
}

static void test_races(void **state)
{
    (void)state;
    struct set want = {.n = 0};
    for (int types = 1; types < 4; types++) {
        char text[64];
        spell((struct step[]){{0, 0, types & 1}, {1, 0, types >> 1}}, 2, text);
        add(&want, text);
    }
    compare(&want, PF_PATTERN_RACE);
}

static void refused(const char *text, const char *want)
{
    pf_patterns p = {0};
    struct pf_error e = {0};
    assert_int_equal(pf_patterns_parse(&p, "f", text, strlen(text), &e), PF_BAD);
    if (!strstr(e.text, want))
        fail_msg("message '%s', expected '%s'", e.text, want);
    pf_vec_release(&p);
}

static void test_bad_files(void **state)
{
    (void)state;
#define HEAD "pattern p\nkind race\n"
    refused("", "f:1: no pattern in the file");
    refused("# nothing\n", "f:2: no pattern");
    refused("E a - b\n", "f:1: expected 'pattern', found 'E'");
    refused("pattern p\n", "f:1: pattern p has no kind");
    refused("pattern p\nkind rice\n", "f:2: kind: expected race, atomicity or atomic-set");
    refused(HEAD "E a - b\nT t - u\nSV s - s\nAR x - y\n", "f:1: pattern p has no AT");
    refused(HEAD "E a - b\nT t - u - v\nSV s - s\nAR x - y\nAT r - w\n", "f:4: T has 3 entries");
    refused(HEAD "E a - a\nT t - u\nSV s - s\nAR x - y\nAT r - w\n", "f:3: an event appears twice");
    refused(HEAD "E a - b\nT t - t\nSV s - s\nAR x - y\nAT r - w\n",
            "f:4: an anomaly needs at least two");
    refused(HEAD "E a - b\nT t - u\nSV s - s\nAR x - x\nAT r - w\n", "f:6: region 'x' belongs to");
    refused(HEAD "E a - b\nT t - u\nSV s - s\nAR x - y\nAT r - x\n",
            "f:7: AT: expected 'r' or 'w'");
    refused(HEAD "E a - b\nE a - b\n", "f:4: E is already given in line 3");
    refused(HEAD "E a - \n", "f:4: expected a label, found the end");
    refused(HEAD "E a = b\n", "f:3: expected a keyword, found '='");
    refused(HEAD "wait a\n", "f:3: expected pattern, kind, E, T, SV, AR, AT or next, found 'wait'");
    refused(HEAD "E a - b\nT t - u\nSV s - s\nAR x - y\nAT r - w\nnext b a\n",
            "f:8: next: 'a' does not directly follow 'b'");
    refused(HEAD "E a - b\nT t - u\nSV s - s\nAR x - y\nAT r - w\nnext a c\n",
            "f:8: next: 'c' is not an event");
    char text[2000] = HEAD "E a0";
    for (int i = 1; i < 256; i++)
        sprintf(text + strlen(text), "-a%d", i);
    refused(text, "f:3: E is too long (at most 255)");
#define GOOD HEAD "E a - b\nT t - u\nSV s - s\nAR x - y\nAT r - w\n"
    refused(GOOD GOOD, "f:8: pattern p is already defined");
}

static void test_own_pattern(void **state)
{
    (void)state;
    const char *text = "pattern three # of three threads\nkind atomicity E a-b-c T t-u-v "
                       "SV x-y-x\nAR p-q-r AT w-r-w";
    pf_patterns p = {0};
    struct pf_error e;
    assert_int_equal(pf_patterns_parse(&p, "f", text, strlen(text), &e), PF_OK);
    assert_int_equal(p.len, 1);
    assert_int_equal(p.at[0].n, 3);
    assert_int_equal(p.at[0].nthreads, 3);
    assert_int_equal(p.at[0].nvars, 2);
    assert_int_equal(p.at[0].var[1], 1);
    assert_int_equal(p.at[0].var[2], 0);
    assert_true(p.at[0].write[2] && !p.at[0].write[1]);
    pf_vec_release(&p);
}

/* The maximal number of events, threads, variables and regions. */
static void test_long_pattern(void **state)
{
    (void)state;
    static const char *const lists[] = {"E", "T", "SV", "AR"};
    char text[8000] = "pattern long kind race";
    for (int k = 0; k < 4; k++) {
        sprintf(text + strlen(text), " %s", lists[k]);
        for (int i = 0; i < 255; i++)
            sprintf(text + strlen(text), "%s%d", i ? "-" : " ", i);
    }
    strcat(text, " AT ");
    for (int i = 0; i < 255; i++)
        strcat(text, i ? "-w" : "w");
    pf_patterns p = {0};
    struct pf_error e;
    if (pf_patterns_parse(&p, "f", text, strlen(text), &e) != PF_OK)
        fail_msg("%s", e.text);
    assert_int_equal(p.at[0].n, 255);
    assert_int_equal(p.at[0].nthreads, 255);
    assert_int_equal(p.at[0].nvars, 255);
    assert_int_equal(p.at[0].region[254], 254);
    pf_vec_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_races),       cmocka_unit_test(test_atomicity),
        cmocka_unit_test(test_atomic_sets), cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_own_pattern), cmocka_unit_test(test_long_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
