// sources: src/rt/sys.c src/rt/gate.S
/*
 * sys_messages.c - a message of the runtime is one write, so that lines of several processes do not
 * mix: in a pipe that keeps writes apart, one read returns all of it.
 */
#define _GNU_SOURCE
#include "sys.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
// cmocka needs these before it
#include <cmocka.h>

static void one_write(void **state)
{
    int ends[2], before = dup(2);
    char text[256] = "";
    assert_int_equal(pipe2(ends, O_DIRECT), 0);
    dup2(ends[1], 2);
    pf_sys_say("photofinish: ", "first", " second", "\n");
    dup2(before, 2);
    assert_int_equal(read(ends[0], text, sizeof text - 1), strlen("photofinish: first second\n"));
    assert_string_equal(text, "photofinish: first second\n");
}

static void no_more_than_fit(void **state)
{
    int ends[2], before = dup(2);
    char text[256] = "";
    assert_int_equal(pipe2(ends, O_DIRECT), 0);
    dup2(ends[1], 2);
    pf_sys_say("1", "2", "3", "4", "5", "6", "7", "8", "9");
    dup2(before, 2);
    assert_int_equal(read(ends[0], text, sizeof text - 1), PF_SAY_MAX);
    assert_string_equal(text, "12345678");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_write),
        cmocka_unit_test(no_more_than_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
