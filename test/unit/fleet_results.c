/* fleet_results.c - what tasks return: paths of the node are replaced, behaviours are added. */
// sources: src/fleet/path_replace.c src/fleet/behaviour_sets.c src/base/*.c
// sources: src/report/textbuf.c src/report/pool.c
#define _GNU_SOURCE
#include "../../src/base/file.h"
#include "../../src/base/json_field.h"
#include "../../src/fleet/behaviour_sets.h"
#include "../../src/fleet/path_replace.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/fleet_results.XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **state)
{
    (void)state;
    pf_folder_remove(folder);
    return 0;
}

static void write_file(const char *name, const char *bytes, size_t n)
{
    struct pf_error e;
    assert_int_equal(pf_file_write(name, bytes, n, &e), PF_OK);
}

static char *read_file(const char *name, size_t *n)
{
    char *text;
    struct pf_error e;
    assert_int_equal(pf_file_read(name, &text, n, &e), PF_OK);
    return text;
}

/* --- paths --- */

static void shell_commands(void **state)
{
    static const struct {
        const char *here, *there, *before, *after;
    } cases[] = {
        {"/tmp/job", "/home/me", "cat /tmp/job/1/stdin | ./a\n", "cat /home/me/1/stdin | ./a\n"},
        {"/tmp/job", "/home/my own", "cat /tmp/job/1/stdin | ./a\n",
         "cat '/home/my own/1/stdin' | ./a\n"},
        {"/tmp/job", "/home/me's", "./a --in=/tmp/job/f </tmp/job/1/stdin\n",
         "./a --in='/home/me'\\''s/f' <'/home/me'\\''s/1/stdin'\n"},
        {"/tmp/a b", "/home/me's", "./a '/tmp/a b/f g' x\n", "./a '/home/me'\\''s/f g' x\n"},
        {"/tmp/a'b", "/home/me", "./a '/tmp/a'\\''b/f' x\n", "./a '/home/me/f' x\n"},
    };
    struct pf_error e;
    size_t n;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("command", cases[i].before, strlen(cases[i].before));
        assert_int_equal(pf_path_replace_shell("command", cases[i].here, cases[i].there, &e),
                         PF_OK);
        char *text = read_file("command", &n);
        assert_string_equal(text, cases[i].after);
        free(text);
    }
}

static void json_texts(void **state)
{
    static const char *const before =
        "{\"clip\":\"/tmp/a\\\"b/1.clip\",\"input\":{\"command\":\"./a '/tmp/a\\\"b/f'\"},"
        "\"list\":[\"/tmp/a\\\"b\",7,null,\"text\\nfiles: /tmp/a\\\"b/i\\ncommand: ./a "
        "'/tmp/a\\\"b/i'\"],\"count\":18}";
    struct pf_error e;
    json_t *d;
    (void)state;
    write_file("document", before, strlen(before));
    assert_int_equal(pf_path_replace_json("document", "/tmp/a\"b", "/home/c\\d's", &e), PF_OK);
    assert_int_equal(pf_json_file_read("document", &d, &e), PF_OK);
    assert_string_equal(pf_json_get_text(d, "clip"), "/home/c\\d's/1.clip");
    assert_string_equal(pf_json_get_text(json_object_get(d, "input"), "command"),
                        "./a '/home/c\\d'\\''s/f'");
    const json_t *list = json_object_get(d, "list");
    assert_string_equal(json_string_value(json_array_get(list, 0)), "/home/c\\d's");
    assert_string_equal(json_string_value(json_array_get(list, 3)),
                        "text\nfiles: /home/c\\d's/i\ncommand: ./a '/home/c\\d'\\''s/i'");
    assert_int_equal(pf_json_get_number(d, "count"), 18);
    json_decref(d);
}

/* --- behaviours --- */

static void sets_are_added(void **state)
{
    struct pf_error e;
    size_t n;
    (void)state;
    write_file("from", "\1\2\0\0", 4);
    assert_int_equal(pf_behaviours_add("from", "to", &e), PF_OK);
    write_file("from", "\4\0\0\1", 4);
    assert_int_equal(pf_behaviours_add("from", "to", &e), PF_OK);
    char *text = read_file("to", &n);
    assert_int_equal(n, 4);
    assert_memory_equal(text, "\5\2\0\1", 4);
    free(text);
}

static void damaged_set_changes_nothing(void **state)
{
    struct pf_error e;
    size_t n;
    (void)state;
    write_file("to", "\1\2\3\4", 4);
    write_file("short", "\7", 1);
    write_file("long", "\7\7\7\7\7", 5);
    assert_int_equal(pf_behaviours_add("short", "to", &e), PF_BAD);
    assert_string_equal(e.text, "short: has 1 bytes, expected 4 as in to");
    assert_int_equal(pf_behaviours_add("long", "to", &e), PF_BAD);
    char *text = read_file("to", &n);
    assert_int_equal(n, 4);
    assert_memory_equal(text, "\1\2\3\4", 4);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shell_commands),
        cmocka_unit_test(json_texts),
        cmocka_unit_test(sets_are_added),
        cmocka_unit_test(damaged_set_changes_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
