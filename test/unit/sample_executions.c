// sources: src/rt/sample/sample_state.c src/rt/sample/function_pairs.c src/rt/limits.c
// sources: src/rt/sample/pair_coverage.c
// sources: src/rt/spin.c src/rt/sys.c src/rt/gate.S
// sources: src/report/textbuf.c src/report/pool.c
/*
 * sample_executions.c - the sampling state that executions leave for later ones, against a naive
 * model: the list of all executions so far. A pair is n-frequent if each of the last n executions
 * saw it; its calls are those since the last execution that did not see it.
 */
#include "findings_log.h"
#include "limits.h"
#include "options.h"
#include "sample_state.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
// cmocka needs these before it
#include <cmocka.h>

#define PAIRS 40
#define EXECUTIONS 60

struct pf_options pf_options; /* the parts of the runtime that sample_state.c uses */
static struct pf_pair_coverage none; /* without memory: no coverage */
static char note[8192]; /* the last problem */
void pf_findings_log_note(const char *const *parts, size_t n)
{
    *note = 0;
    for (size_t i = 0; i < n; i++)
        strcat(note, parts[i]);
}

static uint32_t calls[EXECUTIONS][PAIRS]; /* 0: not seen */
static uint32_t seed = 7;
static uint32_t next(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static uint64_t key(unsigned pair) { return 0x1234567ull * (pair + 1); }

/* How many consecutive executions, up to the last of `n`, saw the pair, and in how many calls. */
static unsigned row(unsigned n, unsigned pair, uint32_t *sum)
{
    unsigned length = 0;
    for (*sum = 0; n && calls[n - 1][pair]; n--, length++)
        *sum += calls[n - 1][pair];
    return length;
}

static void check(unsigned executions, uint32_t frequent)
{
    struct pf_function_pairs out = {0};
    unsigned all = 0, expected = 0;
    uint64_t loaded;
    uint32_t known = pf_sample_state_load(&out, frequent, &none, &loaded), sum;
    assert_int_equal(loaded, executions);
    for (unsigned p = 0; p < PAIRS; p++) {
        unsigned length = row(executions, p, &sum);
        const struct pf_function_pair *found = pf_function_pairs_find(&out, key(p));
        all += length > 0;
        expected += length >= frequent;
        assert_int_equal(found != NULL, length >= frequent);
        if (!found)
            continue;
        assert_int_equal(found->count, sum);
        assert_int_equal(found->earlier, sum);
    }
    assert_int_equal(known, all);
    assert_int_equal(out.n, expected);
    pf_function_pairs_release(&out);
}

static void test_executions(void **state)
{
    (void)state;
    char folder[] = "/tmp/pf-state-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    pf_options.state = folder;
    for (unsigned e = 0; e < EXECUTIONS; e++) {
        struct pf_function_pairs seen = {0}, before = {0};
        uint64_t executions;
        pf_sample_state_load(&before, 1 + e % 3, &none, &executions);
        for (unsigned p = 0; p < PAIRS; p++) {
            calls[e][p] = next(8) ? 1 + next(1000) : 0;
            const struct pf_function_pair *b = pf_function_pairs_find(&before, key(p));
            uint32_t earlier = b ? b->count : 0;
            if (calls[e][p])
                pf_function_pairs_add(&seen, key(p), earlier + calls[e][p], earlier);
            else if (b && next(2)) /* looked up, but not called since */
                pf_function_pairs_add(&seen, key(p), earlier, earlier);
        }
        if (e % 4 == 1) { /* an exec that fails: the execution counts once */
            pf_sample_state_save(&seen, &none, true);
            pf_sample_state_retract();
        }
        pf_sample_state_save(&seen, &none, false);
        pf_function_pairs_release(&seen);
        pf_function_pairs_release(&before);
        for (uint32_t n = 1; n < 6; n++)
            check(e + 1, n);
    }
    assert_int_equal(pf_limit_count[PF_LIMIT_MEMORY], 0);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* `base` cannot be written, because there is a folder with the name of its temporary file. */
static void test_failed_merge(void **state)
{
    (void)state;
    char folder[] = "/tmp/pf-state-XXXXXX", command[200];
    struct pf_function_pairs out = {0}, seen = {0};
    uint64_t executions;
    assert_non_null(mkdtemp(folder));
    pf_options.state = folder;
    pf_options.quiet = true; /* problems go to the log */
    pf_sample_state_load(&out, 1, &none, &executions);
    /* the shell expands * to the folder of this program */
    snprintf(command, sizeof command, "cd '%s'/pairs/* && mkdir new-%08xbase", folder, getpid());
    assert_int_equal(system(command), 0);
    pf_function_pairs_add(&seen, key(0), 1, 0);
    for (unsigned e = 0; e < 8; e++)
        pf_sample_state_save(&seen, &none, false);
    assert_non_null(strstr(note, "base: cannot be written"));
    assert_null(strstr(note, "lost"));
    assert_int_equal(pf_sample_state_load(&out, 1, &none, &executions), 1);
    assert_int_equal(executions, 8);
    pf_function_pairs_release(&seen);
    pf_function_pairs_release(&out);
    pf_options.quiet = false;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_executions),
                                       cmocka_unit_test(test_failed_merge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
