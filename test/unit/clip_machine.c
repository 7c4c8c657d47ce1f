/* clip_machine.c - compares the machine that recorded a clip with the one that replays it. */
// sources: src/clip/clip_machine.c src/base/allocation.c
#include "clip_machine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CPU "cpu 00100000 00000020 00000000 00000000\n"

static const struct {
    const char *recorded, *here, *some, *all; /* some: without the kernel; all: with it */
} cases[] = {
    {CPU "kernel 6.1\nlibc 2.36\n", CPU "kernel 6.1\nlibc 2.36\n", "", ""},
    {CPU "kernel 6.1\nlibc 2.36\n", CPU "kernel 6.5\nlibc 2.36\n", "", "kernel 6.1, here 6.5"},
    {CPU "kernel 6.1\nlibc 2.36\n", CPU "kernel 6.1\nlibc 2.41\n", "glibc 2.36, here 2.41",
     "glibc 2.36, here 2.41"},
    {CPU "libc 2.36\n", "cpu 00100000 00010000 00000000 00000000\nlibc 2.36\n",
     "CPU features differ (+: only on this machine): avx2 +avx512f",
     "CPU features differ (+: only on this machine): avx2 +avx512f"},
    {"", CPU "kernel 6.1\nlibc 2.36\n", "", ""}, /* a clip of an older pf */
};

static void compare(void **state)
{
    char text[400];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(
            pf_clip_machine_compare(cases[i].recorded, cases[i].here, false, text, sizeof text),
            *cases[i].some != 0);
        assert_string_equal(text, cases[i].some);
        (void)pf_clip_machine_compare(cases[i].recorded, cases[i].here, true, text, sizeof text);
        assert_string_equal(text, cases[i].all);
    }
}

static void this_machine(void **state)
{
    char text[400], *here = pf_clip_machine();
    (void)state;
    assert_non_null(strstr(here, "\nkernel "));
    assert_non_null(strstr(here, "\nlibc 2."));
    assert_false(pf_clip_machine_compare(here, here, true, text, sizeof text));
    free(here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compare), cmocka_unit_test(this_machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
