// sources: src/process/command.c src/process/su*.c src/process/*_tree.c src/base/*.c
// sources: src/process/fair_clock.c
// sources: src/report/[pt]*.c
/* process_command.c - commands under a supervisor: their files, environment and limits, and that
 * nothing of them is left running. */
#define _GNU_SOURCE
#include "duration.h"
#include "supervisor.h"
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct pf_supervisor_result run(const struct pf_command *c)
{
    struct pf_supervisor_result r;
    struct pf_error e;
    assert_int_equal(pf_supervisor_run(c, NULL, NULL, &r, &e), PF_OK);
    return r;
}

static int seven(const void *arg) { return *(const int *)arg; }

static pf_status refuse(const void *arg, struct pf_error *e)
{
    return pf_fail(e, PF_BAD, "%s: not today", (const char *)arg);
}

static void outcomes(void **state)
{
    (void)state;
    static const int number = 7;
    char *none[] = {"x", NULL}, *env[] = {"WORD=from the environment", NULL};
    char *status[] = {"sh", "-c", "exit 3", NULL}, *dies[] = {"sh", "-c", "kill -9 $$", NULL};
    char *shows[] = {"sh", "-c", "echo $WORD; pwd; cat", NULL};
    const struct {
        const char *name;
        struct pf_command command;
        enum pf_supervisor_outcome how;
        int wait;
        const char *output, *why; /* expected parts */
    } cases[] = {
        {"exit status", {.path = "/bin/sh", .argv = status}, PF_SUPERVISED_ENDED, 3 << 8, "", ""},
        {"signal", {.path = "/bin/sh", .argv = dies}, PF_SUPERVISED_ENDED, 9, "", ""},
        {"function",
         {.path = "seven", .function = seven, .arg = &number},
         PF_SUPERVISED_ENDED,
         7 << 8,
         "",
         ""},
        {"environment, folder, input",
         {.path = "/bin/sh", .argv = shows, .env = env, .dir = "/", .input = "/proc/version"},
         PF_SUPERVISED_ENDED,
         0,
         "from the environment\n/\nLinux version",
         ""},
        {"no such program",
         {.path = "/nowhere", .argv = none},
         PF_SUPERVISED_UNSTARTED,
         0,
         "",
         "/nowhere: No such file"},
        {"no such folder",
         {.path = "/bin/sh", .argv = status, .dir = "/nowhere"},
         PF_SUPERVISED_UNSTARTED,
         0,
         "",
         "/nowhere: No such file"},
        {"no such input",
         {.path = "/bin/sh", .argv = status, .input = "/nowhere"},
         PF_SUPERVISED_UNSTARTED,
         0,
         "",
         "/nowhere: No such file"},
        {"prepare fails",
         {.path = "/bin/sh", .argv = status, .prepare = refuse, .arg = "prepare"},
         PF_SUPERVISED_UNSTARTED,
         0,
         "",
         "prepare: not today"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pf_command c = cases[i].command;
        c.output = PF_OUTPUT_KEPT;
        c.grace_ms = 1000;
        struct pf_supervisor_result r = run(&c);
        r.output[r.noutput < sizeof r.output ? r.noutput : sizeof r.output - 1] = 0;
        if (r.how != cases[i].how || (!r.why[0] && r.wait != cases[i].wait) ||
            !strstr(r.output, cases[i].output) || !strstr(r.why, cases[i].why))
            fail_msg("%s: how %d, wait %#x, output '%s', why '%s'", cases[i].name, (int)r.how,
                     r.wait, r.output, r.why);
    }
}

/* Children that ignore SIGTERM are killed with the program, also those in sessions of their own. */
static void whole_tree_ends(void **state)
{
    (void)state;
    int alive[2];
    char *argv[] = {"sh", "-c",
                    "trap '' TERM; setsid sh -c 'while :; do sleep 1; done' & wait; wait", NULL};
    struct pf_command c = {.path = "/bin/sh",
                           .argv = argv,
                           .output = PF_OUTPUT_NULL,
                           .limit_ms = 50,
                           .grace_ms = 60000};
    assert_int_equal(pipe(alive), 0); /* its write end is open in every process of the command */
    c.keep = alive[1];
    c.kill_at_ms = pf_now_ms() + 300; /* before the grace period ends */
    struct pf_supervisor_result r = run(&c);
    assert_int_equal(r.how, PF_SUPERVISED_LIMIT);
    assert_false(r.leftovers_alive);
    close(alive[1]);
    char byte;
    assert_int_equal(read(alive[0], &byte, 1), 0);
    close(alive[0]);
}

/* With `forwards`, SIGTERM goes to the child alone, which may end its children and report. */
static void child_forwards(void **state)
{
    (void)state;
    char *argv[] = {"sh", "-c",
                    "trap 'kill -KILL $child; wait; echo ended; exit 5' TERM\n"
                    "(trap 'echo told directly' TERM; while :; do sleep 0.01; done) & child=$!\n"
                    "while :; do wait; done",
                    NULL};
    struct pf_command c = {.path = "/bin/sh",
                           .argv = argv,
                           .output = PF_OUTPUT_KEPT,
                           .forwards = true,
                           .limit_ms = 300,
                           .grace_ms = 60000};
    struct pf_supervisor_result r = run(&c);
    assert_int_equal(r.how, PF_SUPERVISED_LIMIT);
    assert_int_equal(WEXITSTATUS(r.wait), 5);
    assert_non_null(memmem(r.output, r.noutput, "ended\n", 6));
    assert_null(memmem(r.output, r.noutput, "told directly", 13));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes),
        cmocka_unit_test(whole_tree_ends),
        cmocka_unit_test(child_forwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
