// sources: src/confirm/verify_clip.c src/process/run_report.c src/process/self_run.c
// sources: src/process/su*.c src/process/command.c src/process/cores.c src/process/*_tree.c
// sources: src/process/fair_clock.c
// sources: src/clip/*.c src/base/*.c src/report/*.c
/* verified_end.c - which ends of a replay show what a clip has recorded (verify_clip.h). The clip
 * and the report of the replay are written by this test; nothing is run. */
#define _GNU_SOURCE
#include "run_report.h"
#include "verify_clip.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PLACE "thread T1: use a.c:7 < main a.c:14"

struct end_case {
    struct pf_clip_end recorded, replayed;
    const char *why; /* NULL: the clip is shown */
};

static const struct end_case cases[] = {
    {{.wait = 0}, {.wait = 0}, NULL},
    {{.wait = 0}, {.wait = 1 << 8}, "its replay ended with another status"},
    {{.wait = SIGSEGV, .failure = PLACE}, {.wait = SIGSEGV, .failure = PLACE}, NULL},
    {{.wait = SIGSEGV, .failure = PLACE},
     {.wait = SIGSEGV, .failure = "main thread: main a.c:20"},
     "its replay failed elsewhere: main thread: main a.c:20"},
    {{.wait = SIGSEGV, .failure = PLACE},
     {.wait = SIGSEGV},
     "its replay did not show where it failed"},
    /* a clip of an earlier version, or a place that is unknown */
    {{.wait = SIGSEGV}, {.wait = SIGSEGV, .failure = PLACE}, NULL},
    {{.outcome = PF_OUTCOME_DEADLOCK, .failure = PLACE},
     {.outcome = PF_OUTCOME_DEADLOCK, .failure = "main thread: main a.c:9"},
     "its replay failed elsewhere: main thread: main a.c:9"},
    {{.outcome = PF_OUTCOME_HANG}, {.wait = 0}, "its replay ended in another way"},
    {{.wait = 0, .errors = 1}, {.wait = 0}, "its replay did not show the memory error"},
    {{.wait = 0, .errors = 1}, {.wait = 0, .errors = 2}, NULL},
    {{.wait = 0},
     {.outcome = PF_OUTCOME_DIVERGED, .text = "another call\nmore"},
     "its replay diverged: another call"},
};

/* The files of this process: the same test with sanitizers may run at the same time. */
static char clip[64], report[64];

static void write_clip(const struct pf_clip_end *end)
{
    struct pf_clip_writer *w;
    struct pf_error e;
    char *argv[] = {"true", NULL}, *env[] = {"A=1", NULL};
    struct pf_clip_meta meta = {.tool = "test",
                                .program = "/bin/true",
                                .cwd = "/",
                                .argv = argv,
                                .env = env,
                                .schedule = "rr"};
    assert_int_equal(pf_clip_create(&w, clip, &meta, &e), PF_OK);
    assert_int_equal(pf_clip_finish(w, end, &e), PF_OK);
    pf_clip_writer_free(w);
}

static void test_ends(void **state)
{
    snprintf(clip, sizeof clip, "verified_end.%d.clip", getpid());
    snprintf(report, sizeof report, "verified_end.%d.json", getpid());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pf_run_report r = {0};
        struct pf_error e;
        struct pf_verify_clip v = {.clip = clip, .report = report};
        struct pf_supervisor_result result = {.how = PF_SUPERVISED_ENDED};
        char why[200] = "";
        write_clip(&cases[i].recorded);
        pf_run_report_set_end(&r, &cases[i].replayed);
        assert_int_equal(pf_run_report_write(&r, report, &e), PF_OK);
        bool shown = pf_verify_clip_shown(&v, &result, why, sizeof why);
        assert_string_equal(why, cases[i].why ? cases[i].why : "");
        assert_int_equal(shown, !cases[i].why);
    }
    unlink(clip);
    unlink(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
