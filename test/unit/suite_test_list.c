// sources: src/suite/suite_list.c src/process/program.c
// sources: src/report/pool.c src/report/textbuf.c src/base/*.c
/* suite_test_list.c - lists of tests: the meaning of a line, rejected lists, and thousands of
 * damaged ones. */
#include "cli.h"
#include "duration.h"
#include "suite_list.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static pf_status parse(struct pf_suite_list *l, const char *text, struct pf_error *e)
{
    pf_suite_list_init(l);
    return pf_suite_list_parse(l, "f", text, strlen(text), e);
}

static void words_and_quotes(void **state)
{
    (void)state;
    static const struct {
        const char *line, *words[5];
    } rows[] = {
        {"a b  c", {"a", "b", "c"}},
        {"\ta\t'b c' \"d e\"", {"a", "b c", "d e"}},
        {"a'b'\"c\"\\ d", {"abc d"}},
        {"a '' \"\"", {"a", "", ""}},
        {"a \"\\\"\\\\\\n\" '\\'", {"a", "\"\\\\n", "\\"}},
        {"a '|&;<>()$`' b#c # d", {"a", "|&;<>()$`", "b#c"}},
        {"a *.c ~ [x] A=b @x\r", {"a", "*.c", "~", "[x]", "A=b"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pf_suite_list l;
        struct pf_error e;
        assert_int_equal(parse(&l, rows[i].line, &e), PF_OK);
        assert_int_equal(l.n, 1);
        for (size_t k = 0; k < 5 && rows[i].words[k]; k++)
            assert_string_equal(l.at[0].argv[k], rows[i].words[k]);
        pf_suite_list_release(&l);
    }
}

static void settings_and_names(void **state)
{
    (void)state;
    struct pf_suite_list l;
    struct pf_error e;
    assert_int_equal(parse(&l,
                           "# none\n\n@limit=2m X=1 @status=any Y= p q  # c\n"
                           "@name='p q  # c' r\n@limit=1.5s @dir=d @input=i @native=n p\np\n",
                           &e),
                     PF_OK);
    assert_int_equal(l.n, 4);
    assert_int_equal(l.at[0].line, 3);
    assert_int_equal(l.at[0].limit_ms, 120000);
    assert_int_equal(l.at[0].status, PF_ANY_STATUS);
    assert_int_equal(l.at[0].nenv, 2);
    assert_string_equal(l.at[0].env[1], "Y=");
    assert_string_equal(l.at[0].command, "p q  # c");
    assert_string_equal(l.at[1].name, "p q  # c (2)");
    assert_int_equal(l.at[2].limit_ms, 1500);
    assert_string_equal(l.at[2].native, "n");
    assert_string_equal(l.at[3].name, "p (2)");
    assert_null(l.at[3].argv[1]);
    pf_suite_list_release(&l);
}

static void durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool fine;
        uint64_t ms;
    } rows[] = {{"0", true, 0},     {"90", true, 90000},  {"1.5s", true, 1500},
                {"20ms", true, 20}, {"2m", true, 120000}, {"1h", true, 3600000},
                {"", false, 0},     {"s", false, 0},      {"-1", false, 0},
                {"1 s", false, 0},  {"1d", false, 0},     {"1e300h", false, 0},
                {"nan", false, 0},  {"inf", false, 0},    {"9e99", false, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t ms = 77;
        assert_int_equal(pf_duration_parse(rows[i].text, &ms), rows[i].fine);
        assert_int_equal(ms, rows[i].fine ? rows[i].ms : 77);
    }
}

/* Random damage: the result is tests, or a message with a line number; never a crash. */
static void damaged(void **state)
{
    (void)state;
    static const char alphabet[] = "ab @=name'\"\\#\n\n|$ limit=1s\t\0\xff";
    unsigned seed = 5;
    for (int round = 0; round < 20000; round++) {
        char text[64];
        size_t n = (size_t)(rand_r(&seed) % (int)sizeof text);
        for (size_t i = 0; i < n; i++)
            text[i] = alphabet[rand_r(&seed) % (int)(sizeof alphabet - 1)];
        struct pf_suite_list l;
        struct pf_error e;
        pf_suite_list_init(&l);
        pf_status s = pf_suite_list_parse(&l, "f", text, n, &e);
        if (s != PF_OK)
            assert_memory_equal(e.text, "f:", 2);
        for (size_t i = 0; s == PF_OK && i < l.n; i++)
            assert_true(l.at[i].name && l.at[i].command && l.at[i].argv[0][0]);
        pf_suite_list_release(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_quotes),
        cmocka_unit_test(settings_and_names),
        cmocka_unit_test(durations),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
