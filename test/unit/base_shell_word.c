// sources: src/base/allocation.c src/base/shell_word.c src/report/textbuf.c src/report/pool.c
/* base_shell_word.c - sh must read each quoted word as the word that was quoted. */
#define _GNU_SOURCE
#include "allocation.h"
#include "shell_word.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The bytes that sh passes on as the argument, followed by a full stop. */
static void expect_same(const char *word)
{
    char got[256];
    char *quoted = pf_shell_word(word), *wanted = pf_mem_format("%s.", word);
    char *command = pf_mem_format("printf '%%s.' %s", quoted);
    FILE *sh = popen(command, "re");
    assert_non_null(sh);
    got[fread(got, 1, sizeof got - 1, sh)] = 0;
    assert_int_equal(pclose(sh), 0);
    assert_string_equal(got, wanted);
    free(command);
    free(wanted);
    free(quoted);
}

static void sh_reads_the_word(void **state)
{
    static const char *const words[] = {"",
                                        "plain",
                                        "two words",
                                        "it's",
                                        "a$b`c\"d\\e%s",
                                        "a\nb",
                                        "a\n",
                                        "\n",
                                        "\n\n",
                                        "\001\n\n",
                                        "-n\001",
                                        "\t'%\\",
                                        "\xff\xfe$HOME\"`\n",
                                        "j\xc3\xbcrgen's",
                                        "\xc2\x9b",
                                        "\xc3",
                                        "\xe2\x82",
                                        "\xf0\x9f\x8f\x81",
                                        "\xf5\x80\x80\x80"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        expect_same(words[i]);
}

static void text_stays_readable(void **state)
{
    (void)state;
    char *text = pf_shell_word("j\xc3\xbcrgen"), *control = pf_shell_word("\xc2\x9b");
    assert_string_equal(text, "'j\xc3\xbcrgen'");
    assert_string_equal(control, "\"$(printf '\\302\\233')\"");
    free(text);
    free(control);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sh_reads_the_word),
                                       cmocka_unit_test(text_stays_readable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
