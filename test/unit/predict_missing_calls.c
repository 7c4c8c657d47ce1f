// sources: src/trace/*.c src/predict/*.c src/predict/*/*.c test/oracle/reorder/random_trace.c
// sources: src/base/allocation.c src/base/vector.c src/base/hash_map.c src/base/status.c
// flags: -D_GNU_SOURCE -O1
/*
 * predict_missing_calls.c - the guarantee of RDIT, on random traces. Stretches of threads are
 * removed and replaced by missing calls, whose reachable set is what the stretches accessed. With
 * callbacks, some events inside a stretch are kept. The truth is mc on the complete trace. rdit and
 * sb report no other races, whatever is missing; sb no more than rdit; the other analyses raise
 * false alarms.
 */
#include "../oracle/reorder/random_trace.h"
#include "analysis.h"
#include "selfcheck.h"
#include "trace_text.h"
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MAX 120
/* numbers of event i and of a call and ret around it */
#define LABEL(i) (3 * (i) + 2)
#define CALL_LABEL(i) (3 * (i) + 1)
#define RET_LABEL(i) (3 * (i) + 3)

static const char *const names[] = {"hbvc", "cp", "mc", "sb", "rdit"};
enum { HB, CP, MC, SB, RDIT, KINDS };

struct tally {
    uint64_t traces, truth, right[KINDS], wrong[KINDS];
};
struct pairs {
    bool is[MAX + 1][MAX + 1]; /* indexed by label */
};

static void run(const struct pf_trace *t, const char *name, struct pairs *out)
{
    struct pf_result r = {0};
    struct pf_limits limits = pf_limits_default;
    limits.all_pairs = true;
    limits.history = 1000;
    limits.conflicts = 100000;
    memset(out, 0, sizeof *out);
    pf_analysis_find(name, strlen(name))->run(t, &limits, &r);
    assert_int_equal(r.invalid + r.unknown, 0);
    for (size_t i = 0; i < r.races.len; i++)
        out->is[pf_trace_label(t, r.races.at[i].a)][pf_trace_label(t, r.races.at[i].b)] = true;
    pf_result_release(&r);
}

/* Prints what a line of the text form accesses: its operands, without values and remarks. */
static void add_operands(FILE *out, const char *line)
{
    char word[64];
    int n, at = 0, skip = 3; /* skip number, thread, operation */
    while (sscanf(line + at, "%63s%n", word, &n) == 1 && line[at] != '\n') {
        at += n;
        if (skip-- > 0)
            continue;
        if (!strcmp(word, "by") || !strcmp(word, "spurious") || !strcmp(word, "timeout"))
            break;
        word[strcspn(word, "=")] = 0;
        fprintf(out, " %s", word);
    }
}

/* Prints a line of the text form with another number; `inner`: with the mark of an inner event. */
static void put_line(FILE *out, uint32_t number, const char *line, bool inner)
{
    char thread[32], word[32];
    int n;
    assert_int_equal(sscanf(line, "%*u %31s %31s%n", thread, word, &n), 2);
    fprintf(out, "%u %s %s%s%.*s\n", number, thread, word, inner ? "~" : "",
            (int)strcspn(line + n, "\n"), line + n);
}

/* The neighbour of event i in its thread, of those from event `first` to `last`; PF_NONE: none. */
static uint32_t neighbour(const struct pf_trace *t, uint32_t i, int step, uint32_t first,
                          uint32_t last)
{
    uint32_t thread = t->events.at[i].thread;
    while (i != (step < 0 ? first : last)) {
        i += (uint32_t)step;
        if (t->events.at[i].thread == thread)
            return i;
    }
    return PF_NONE;
}

/* The trace as text with `holes` stretches of single threads replaced by missing calls; with
 * `callbacks`, some of their events are kept. The caller frees it. */
static char *with_holes(const struct pf_trace *t, uint64_t *rnd, int holes, bool callbacks)
{
    char *text = NULL, *out_text = NULL;
    size_t n, m;
    FILE *f = open_memstream(&text, &n);
    pf_trace_write_text(t, f);
    fclose(f);
    uint32_t ne = (uint32_t)t->events.len, call_at[MAX], ret_at[MAX];
    bool gone[MAX] = {0}, used[MAX] = {0}, inner[MAX] = {0};
    memset(call_at, 0xff, sizeof call_at);
    memset(ret_at, 0xff, sizeof ret_at);
    char *lines[MAX];
    uint32_t k = 0;
    for (char *p = text; *p; p = strchr(p, '\n') + 1)
        if (isdigit((unsigned char)*p))
            lines[k++] = p;
    assert_int_equal(k, ne);
    for (int h = 0; h < holes; h++) {
        uint32_t first = (uint32_t)(pf_random_next(rnd) % ne),
                 len = 1 + (uint32_t)(pf_random_next(rnd) % (callbacks ? 12 : 5));
        uint32_t thread = t->events.at[first].thread, last = first;
        bool free_of_others = true;
        for (uint32_t i = first, left = len; i < ne && left; i++)
            if (t->events.at[i].thread == thread) {
                free_of_others &= !used[i];
                last = i;
                left--;
            }
        if (!free_of_others)
            continue;
        call_at[first] = first;
        ret_at[last] = first;
        bool keep = false;
        for (uint32_t i = first; i <= last; i++)
            if (t->events.at[i].thread == thread) {
                keep ^= callbacks && !(pf_random_next(rnd) % 3);
                used[i] = true;
                gone[i] = !keep;
            }
        for (uint32_t i = first; i <= last; i++) {
            if (t->events.at[i].thread != thread || gone[i])
                continue;
            uint32_t p = neighbour(t, i, -1, first, last), n = neighbour(t, i, 1, first, last);
            inner[i] = p != PF_NONE && n != PF_NONE && !gone[p] && !gone[n];
        }
    }
    f = open_memstream(&out_text, &m);
    fwrite(text, 1, (size_t)(lines[0] - text), f); /* initial values */
    for (uint32_t i = 0; i < ne; i++) {
        const char *who = pf_trace_text(t, t->threads.at[t->events.at[i].thread]);
        if (call_at[i] != PF_NONE) {
            fprintf(f, "%u %s call f%u {", CALL_LABEL(i), who, i);
            for (uint32_t q = i; q < ne; q++) {
                if (gone[q] && t->events.at[q].thread == t->events.at[i].thread)
                    add_operands(f, lines[q]);
                if (ret_at[q] == i)
                    break;
            }
            fprintf(f, " }\n");
        }
        if (!gone[i])
            put_line(f, LABEL(i), lines[i], inner[i]);
        if (ret_at[i] != PF_NONE)
            fprintf(f, "%u %s ret f%u\n", RET_LABEL(i), who, ret_at[i]);
    }
    fclose(f);
    free(text);
    return out_text;
}

static void one(const struct pf_random_shape *shape, uint64_t seed, int holes, bool callbacks,
                struct tally *sum)
{
    struct pf_trace t, u;
    struct pf_error err;
    struct pf_error e;
    struct pairs *p = pf_mem_zero(KINDS + 1, sizeof *p), *truth = p + KINDS;
    uint64_t rnd = seed * 77 + 1;
    pf_random_trace(&t, shape, seed);
    assert_true(t.events.len <= MAX / 3 && pf_trace_check(&t, NULL, &err) == PF_OK);
    run(&t, "mc", truth);
    char *text = with_holes(&t, &rnd, holes, callbacks);
    pf_trace_init(&u);
    if (pf_trace_read_text(&u, "holes", text, strlen(text), &e) != PF_OK) {
        /* A wake without its signal cannot be written; there is no such trace. */
        if (!strstr(e.text, "no event"))
            fail_msg("seed %lu: %s\n%s", seed, e.text, text);
        /* otherwise a lock was acquired outside and released inside */
    } else if (pf_trace_check(&u, NULL, &err) == PF_OK) {
        sum->traces++;
        for (int k = 0; k < KINDS; k++)
            run(&u, names[k], &p[k]);
        for (uint32_t a = 1; a <= t.events.len; a++)
            for (uint32_t b = a + 1; b <= t.events.len; b++) {
                bool is = truth->is[a][b];
                sum->truth += is;
                for (int k = 0; k < KINDS; k++)
                    if (p[k].is[LABEL(a - 1)][LABEL(b - 1)])
                        *(is ? &sum->right[k] : &sum->wrong[k]) += 1;
                bool rdit = p[RDIT].is[LABEL(a - 1)][LABEL(b - 1)];
                if ((rdit && !is) || (p[SB].is[LABEL(a - 1)][LABEL(b - 1)] && !rdit)) {
                    fprintf(stderr, "seed %lu, events %u and %u:\n", seed, a, b);
                    pf_trace_write_text(&t, stderr);
                    fputs(text, stderr);
                    fail_msg("%s", rdit ? "rdit raises a false alarm"
                                        : "sb reports a race that rdit does not");
                }
            }
    }
    free(text);
    free(p);
    pf_trace_release(&u);
    pf_trace_release(&t);
}

static void table(const char *what, struct pf_random_shape shape, bool callbacks, uint32_t count)
{
    printf("%s\n  missing  traces   truth %8s %8s %8s %8s %8s  (right/false)\n", what, "hb", "cp",
           "mc", "sb", "rdit");
    for (int holes = 0; holes <= 6; holes += 2) {
        struct tally sum = {0};
        for (uint64_t seed = 1; seed <= count; seed++)
            one(&shape, seed, holes, callbacks, &sum);
        printf("  %7d %7lu %7lu", holes, sum.traces, sum.truth);
        for (int k = 0; k < KINDS; k++)
            printf(" %4lu/%-3lu", sum.right[k], sum.wrong[k]);
        printf("\n");
        assert_int_equal(sum.wrong[RDIT] + sum.wrong[SB], 0);
        assert_true(sum.right[RDIT] >= sum.right[SB]);
        if (!holes) {
            assert_int_equal(sum.right[RDIT], sum.truth);
            assert_int_equal(sum.wrong[MC], 0);
        } else
            assert_true(sum.wrong[MC] > 0 && sum.right[RDIT] > 0);
    }
}

static void test_locks(void **state)
{
    table("locks", (struct pf_random_shape){3, 3, 2, 30, 3, 0}, false, 150);
    table("many variables", (struct pf_random_shape){4, 10, 4, 38, 3, 0}, false, 300);
    table("more values", (struct pf_random_shape){3, 3, 2, 36, 8, 0}, false, 100);
}

static void test_features(void **state)
{
    table("rwlocks, atomics, sizes, recursive locks",
          (struct pf_random_shape){3, 2, 2, 30, 3,
                                   PF_RANDOM_RWLOCK | PF_RANDOM_ATOMIC | PF_RANDOM_SIZES |
                                       PF_RANDOM_RECURSIVE},
          false, 150);
    table("conditions, barriers, messages",
          (struct pf_random_shape){3, 2, 2, 30, 3,
                                   PF_RANDOM_COND | PF_RANDOM_BARRIER | PF_RANDOM_MESSAGE},
          false, 150);
    table("failed attempts, branches",
          (struct pf_random_shape){3, 2, 2, 30, 3, PF_RANDOM_TRYLOCK | PF_RANDOM_BRANCH}, false,
          150);
}

static void test_callbacks(void **state)
{
    table("callbacks", (struct pf_random_shape){3, 3, 2, 30, 3, 0}, true, 300);
    table("callbacks, many variables", (struct pf_random_shape){4, 10, 4, 38, 3, 0}, true, 400);
    table("callbacks, branches",
          (struct pf_random_shape){3, 6, 2, 36, 3, PF_RANDOM_TRYLOCK | PF_RANDOM_BRANCH}, true,
          400);
    table("callbacks, conditions, barriers, messages, atomics",
          (struct pf_random_shape){3, 4, 2, 34, 3,
                                   PF_RANDOM_COND | PF_RANDOM_BARRIER | PF_RANDOM_MESSAGE |
                                       PF_RANDOM_ATOMIC | PF_RANDOM_BRANCH},
          true, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_callbacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
