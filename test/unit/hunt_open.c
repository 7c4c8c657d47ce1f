/* hunt_open.c - the open runs of a hunt as text; parts of them, joined again, are the same list. */
// sources: src/hunt/hunt_open.c src/base/allocation.c src/base/vector.c src/base/hash_map.c
// sources: src/base/file.c src/base/status.c
#include "../../src/hunt/hunt_open.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RUNS 7
#define FLAGS (PF_HUNT_OPEN_REACHED_NEW | PF_HUNT_OPEN_EXPLORED)
#define CLOSED PF_HUNT_NOT_OPEN

/* Runs with 0 to 60 questions; every third one also has inputs left that need no solver. */
static void make(pf_hunt_open_list *l)
{
    uint64_t key = 1;
    for (uint32_t i = 0; i < RUNS; i++) {
        struct pf_hunt_open o = {.input = 100 + i,
                                 .schedule = i % 2,
                                 .plan = i % 2 ? 77 : 0,
                                 .flags = FLAGS,
                                 .grown = i % 3 ? CLOSED : 0,
                                 .schedules = i % 3 ? CLOSED : 1,
                                 .changed = i % 3 ? CLOSED : 5,
                                 .copies = i % 3 ? 0 : 7,
                                 .source = 1,
                                 .at = i,
                                 .cost = 3 * i};
        for (uint32_t k = 0; k < 10 * i; k++)
            pf_vec_push(&o.keys, key++);
        pf_vec_push(l, o);
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The list as text, with runs and questions in one order. */
static char *normal(pf_hunt_open_list *l)
{
    pf_hunt_open_sort(l);
    for (size_t i = 0; i < l->len; i++)
        if (l->at[i].keys.len)
            qsort(l->at[i].keys.at, l->at[i].keys.len, sizeof(uint64_t), by_value);
    return pf_hunt_open_text(l);
}

static size_t count_keys(const pf_hunt_open_list *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->len; i++)
        n += l->at[i].keys.len;
    return n;
}

static void text(void **state)
{
    (void)state;
    pf_hunt_open_list a = {0}, b = {0};
    make(&a);
    char *x = normal(&a);
    pf_hunt_open_parse(&b, x);
    char *y = normal(&b);
    assert_string_equal(x, y);
    /* a line that was cut, and lines that are not of this kind */
    pf_hunt_open_list_release(&b);
    x[strlen(x) - 2] = 0;
    pf_hunt_open_parse(&b, x);
    pf_hunt_open_parse(&b, "pair 12.\nrun x .\nrun 1 2 3 .\n");
    assert_int_equal(b.len, RUNS - 1);
    free(x);
    free(y);
    pf_hunt_open_list_release(&a);
    pf_hunt_open_list_release(&b);
}

/* Every question and every counter is in exactly one part, and the parts are of similar size. */
static void parts(void **state)
{
    (void)state;
    static const size_t numbers[] = {1, 2, 3, 8, 64, 1000};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        pf_hunt_open_list all = {0}, joined = {0};
        size_t questions = 0, most = 0, extras = 0;
        make(&all);
        for (size_t k = 0; k < numbers[n]; k++) {
            pf_hunt_open_list part = {0};
            pf_hunt_open_part(&all, k, numbers[n], &part);
            questions += count_keys(&part);
            most = count_keys(&part) > most ? count_keys(&part) : most;
            for (size_t i = 0; i < part.len; i++) {
                extras += part.at[i].changed != CLOSED;
                pf_vec_push(&joined, part.at[i]); /* `joined` owns its keys now */
            }
            pf_vec_release(&part);
        }
        assert_int_equal(questions, count_keys(&all));
        assert_int_equal(extras, 3);
        if (numbers[n] < 64) /* some parts get two pieces in place of one */
            assert_true(most <= 2 * (questions / numbers[n] + 1));
        pf_hunt_open_join(&joined);
        char *x = normal(&all), *y = normal(&joined);
        assert_string_equal(x, y);
        free(x);
        free(y);
        pf_hunt_open_list_release(&all);
        pf_hunt_open_list_release(&joined);
    }
}

/* Two entries of a run: a question stays once, a run without its symbolic run is to get one, and
 * runs without anything left are removed. */
static void join(void **state)
{
    (void)state;
    pf_hunt_open_list l = {0};
    pf_hunt_open_parse(&l, "run 1 0 0 0 0 4 0 4294967295 4294967295 4294967295 0 0 0 9 : a b .\n"
                           "run 1 0 0 0 0 4 0 4294967295 4294967295 4294967295 0 0 0 7 : b c .\n"
                           "run 2 0 0 0 0 4 0 4294967295 4294967295 4294967295 0 0 0 7 : .\n"
                           "run 3 0 0 0 0 4 0 4294967295 4294967295 4294967295 0 0 0 7 : .\n"
                           "run 3 0 0 0 0 0 0 4294967295 4294967295 4294967295 0 0 0 7 : .\n"
                           "run 4 1 0 2 0 6 0 4294967295 4294967295 8191 0 0 0 7 : a .\n"
                           "run 4 2 0 3 0 6 0 4294967295 4294967295 8192 0 0 0 7 : a .\n");
    pf_hunt_open_join(&l);
    assert_int_equal(l.len, 3);
    assert_int_equal(l.at[0].keys.len, 3);
    assert_int_equal(l.at[0].cost, 7);
    assert_int_equal(l.at[1].input, 3);
    assert_false(l.at[1].flags & PF_HUNT_OPEN_EXPLORED);
    assert_int_equal(l.at[2].schedule, 1);
    assert_int_equal(l.at[2].keys.len, 0);
    pf_hunt_open_list_release(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(text), cmocka_unit_test(parts),
                                       cmocka_unit_test(join)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
