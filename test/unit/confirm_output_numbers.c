// sources: src/confirm/output_numbers.c src/confirm/run_output.c src/clip/*.c src/base/*.c
// sources: src/report/*.c
/* confirm_output_numbers.c - numbers in the output of a run that are not compared. */
#include "output_numbers.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void fill(struct pf_run_output *o, int fd, const char *text)
{
    struct pf_output_stream s = {.fd = fd, .kept = true, .length = strlen(text)};
    for (const char *c = text; *c; c++)
        pf_vec_push(&s.bytes, *c);
    pf_vec_push(&o->streams, s);
}

/* The numbers of a and b that differ are hidden in a, b and c. */
static void cases(void **state)
{
    (void)state;
    static const struct {
        const char *what, *a, *b, *c;
        unsigned n; /* numbers that differ; 0: something else differs */
        bool same; /* c is then like a */
    } all[] = {
        {"a time", "took 5 ms\ndone\n", "took 17 ms\ndone\n", "took 123 ms\ndone\n", 1, true},
        {"and a value", "took 5\nx 1\n", "took 6\nx 1\n", "took 7\nx 2\n", 1, false},
        {"in one line", "5 s, x 1\n", "6 s, x 1\n", "7 s, x 2\n", 1, false},
        {"two numbers", "0.25 x 1\n", "1.5 x 1\n", "17.123 x 1\n", 2, true},
        {"another line", "took 5\nx 1\n", "took 6\nx 1\n", "x 1\ntook 5\n", 1, false},
        {"not only numbers", "took 5\n", "lost 6\n", "took 5\n", 0, true},
        {"no number", "took 5\n", "took\n", "took 6\n", 0, false},
        {"the end is missing", "took 5\ndone\n", "took 6\n", "took 5\n", 0, false},
        {"a mark of its own", "#5 in 3 s\n", "#5 in 4 s\n", "#5 in 5 s\n", 1, true},
        {"without end of line", "5", "16", "7", 1, true},
        {"equal", "5\n", "5\n", "6\n", 0, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct pf_run_output o[3] = {0};
        struct pf_output_numbers m = {0};
        fill(&o[0], 1, all[i].a);
        fill(&o[1], 1, all[i].b);
        fill(&o[2], 1, all[i].c);
        pf_output_numbers_add(&m, &o[0], &o[1]);
        for (int k = 0; k < 3; k++)
            pf_output_numbers_hide(&m, &o[k]);
        if (m.n != all[i].n || pf_run_output_same(&o[0], &o[2]) != all[i].same ||
            (m.n && !pf_run_output_same(&o[0], &o[1])))
            fail_msg("%s: %u numbers", all[i].what, m.n);
        for (int k = 0; k < 3; k++)
            pf_run_output_release(&o[k]);
    }
}

/* Numbers keep their positions when others are hidden; the first difference is found behind a
 * number that has become shorter, at its offset in what was written. */
static void later(void **state)
{
    (void)state;
    struct pf_run_output o[3] = {0};
    struct pf_output_numbers first = {0}, second = {0};
    struct pf_output_difference d;
    fill(&o[0], 1, "100 200 300 a\n");
    fill(&o[1], 1, "101 200 300 a\n");
    fill(&o[2], 1, "102 201 300 b\n");
    assert_true(pf_output_numbers_add(&first, &o[0], &o[1]));
    for (int k = 0; k < 3; k++)
        pf_output_numbers_hide(&first, &o[k]);
    assert_false(pf_output_numbers_add(&second, &o[0], &o[2]));
    assert_int_equal(second.n, 0);
    second.at[second.n++] = (struct pf_output_number){1, 0, 1};
    for (int k = 0; k < 3; k++)
        pf_output_numbers_hide(&second, &o[k]);
    assert_true(pf_run_output_difference(&o[0], &o[2], &d));
    assert_int_equal(d.at, 12);
    assert_int_equal(d.written[0], 12);
    assert_string_equal(d.text[0], "# # 300 a");
    for (int k = 0; k < 3; k++)
        pf_run_output_release(&o[k]);
}

/* Only the descriptors of the numbers are changed; what is not kept must be the same. */
static void descriptors(void **state)
{
    (void)state;
    struct pf_run_output a = {0}, b = {0};
    struct pf_output_numbers m = {0};
    fill(&a, 1, "7\n");
    fill(&b, 1, "8\n");
    fill(&a, 2, "7\n");
    fill(&b, 2, "7\n");
    assert_true(pf_output_numbers_add(&m, &a, &b));
    assert_int_equal(m.n, 1);
    pf_output_numbers_hide(&m, &a);
    pf_output_numbers_hide(&m, &b);
    assert_true(pf_run_output_same(&a, &b));
    assert_memory_equal(a.streams.at[1].bytes.at, "7\n", 2);
    a.streams.at[1].kept = b.streams.at[1].kept = false;
    a.streams.at[1].hash = 1;
    assert_false(pf_output_numbers_add(&m, &a, &b));
    assert_int_equal(m.n, 1);
    pf_run_output_release(&a);
    pf_run_output_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cases), cmocka_unit_test(later),
                                       cmocka_unit_test(descriptors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
