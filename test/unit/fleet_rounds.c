/* fleet_rounds.c - finds the rounds of a check that no task of its fleet covers. */
// sources: src/fleet/check_rounds.c src/base/allocation.c src/base/vector.c
#include "../../src/fleet/check_rounds.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define END {UINT64_MAX, 0, 0}

static const struct {
    uint64_t groups, rounds;
    struct pf_check_piece covered[6]; /* up to END */
    const char *left; /* "GROUP:ROUND+ROUNDS ..." */
} cases[] = {
    {1, 8, {END}, "0:0+1 0:1+7"},
    {2, 8, {END}, "0:0+1 1:0+1 0:1+7 1:1+7"},
    {1, 8, {{0, 0, 1}, {0, 1, 7}, END}, ""},
    /* a task was cut off after two of its rounds; later tasks cover what follows */
    {1, 8, {{0, 0, 1}, {0, 5, 3}, {0, 1, 2}, END}, "0:3+2"},
    /* the first round was cut off */
    {2, 4, {{0, 0, 0}, {1, 0, 1}, END}, "0:0+1 0:1+3 1:1+3"},
    /* two tasks overlap */
    {1, 9, {{0, 0, 1}, {0, 1, 6}, {0, 2, 2}, END}, "0:7+2"},
};

static void left(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_check_pieces covered = {0}, found = {0};
        char text[200] = "";
        for (const struct pf_check_piece *p = cases[i].covered; p->group != UINT64_MAX; p++)
            pf_vec_push(&covered, *p);
        pf_check_pieces_left(&found, &covered, cases[i].groups, cases[i].rounds);
        for (size_t k = 0; k < found.len; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d:%d+%d", k ? " " : "",
                     (int)found.at[k].group, (int)found.at[k].round, (int)found.at[k].rounds);
        assert_string_equal(text, cases[i].left);
        pf_vec_release(&covered);
        pf_vec_release(&found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(left)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
