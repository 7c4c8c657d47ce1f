// sources: src/process/fair_clock.c src/process/command.c src/process/su*.c src/process/*_tree.c
// sources: src/base/*.c src/report/[pt]*.c
/* process_fair_clock.c - time without that in which other programs had all cores: the model, the
 * texts of /proc, and a supervised command whose only limit is one of fair time. */
#include "fair_clock.h"
#include "supervisor.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define UNKNOWN PF_FAIR_UNKNOWN

static void model(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint64_t now[3], idle[3]; /* times at which it is looked at; 0: no such time */
        uint64_t idle_at_begin, cpu, fair;
    } cases[] = {
        {"an idle machine: elapsed time", {6000}, {5000}, 0, 900, 5900},
        {"many idle cores: time counts once", {6000}, {300000}, 0, 900, 6000},
        {"others have all cores: only the own CPU time", {60000}, {0}, 0, 9000, 9000},
        {"two own processes: no more than elapsed", {6000}, {0}, 0, 11000, 6000},
        {"at least a tenth", {60000}, {0}, 0, 20, 6000},
        {"idle, then loaded", {1000, 61000}, {64000, 64000}, 0, 7000, 8000},
        {"the same, seen only at the end", {61000}, {64000}, 0, 7000, 61000},
        {"idle time that goes back", {1000, 2000}, {500, 400}, 0, 0, 500},
        {"unknown idle time", {7000}, {UNKNOWN}, UNKNOWN, 10, 7000},
        {"unknown from some time on", {1000, 4000}, {0, UNKNOWN}, 0, 0, 3000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pf_fair_time f;
        pf_fair_time_begin(&f, 100, cases[i].idle_at_begin);
        for (int k = 0; k < 3 && cases[i].now[k]; k++)
            pf_fair_time_see(&f, 100 + cases[i].now[k], cases[i].idle[k]);
        if (pf_fair_time_ms(&f, cases[i].cpu) != cases[i].fair)
            fail_msg("%s: %llu, expected %llu", cases[i].what,
                     (unsigned long long)pf_fair_time_ms(&f, cases[i].cpu),
                     (unsigned long long)cases[i].fair);
    }
}

static void texts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t idle;
    } machine[] = {
        {"cpu  10 20 30 400 5 6 7 8 9 10\ncpu0 1 2 3 4 5\n", 4050},
        {"cpu  10 20 30 400", 4000},
        {"cpu0 10 20 30 400 5\n", UNKNOWN},
        {"", UNKNOWN},
    };
    static const struct {
        const char *text;
        uint64_t cpu;
    } process[] = {
        {"7 (a) R 1 7 7 0 -1 4194304 100 200 0 0 11 22 33 44 20 0 1 0 5000\n", 1100},
        {"7 (a) b (c)) S 1 7 7 0 -1 4194304 100 200 0 0 1 2 3 4 20 0 1 0 5000\n", 100},
        {"7 (a) R 1 7 7 0 -1 4194304 100 200 0 0 11", 110},
        {"", 0},
    };
    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++)
        assert_int_equal(pf_fair_idle_ms(machine[i].text), machine[i].idle);
    for (size_t i = 0; i < sizeof process / sizeof *process; i++)
        assert_int_equal(pf_fair_cpu_ms(process[i].text), process[i].cpu);
}

static struct pf_supervisor_result run(const char *script, uint64_t fair_ms)
{
    struct pf_supervisor_result r;
    struct pf_error e;
    char *argv[] = {"sh", "-c", (char *)script, NULL};
    struct pf_command c = {.path = "/bin/sh",
                           .argv = argv,
                           .output = PF_OUTPUT_NULL,
                           .fair_ms = fair_ms,
                           .grace_ms = PF_GRACE_TEST_MS};
    assert_int_equal(pf_supervisor_run(&c, NULL, NULL, &r, &e), PF_OK);
    return r;
}

/* A command that never ends is ended, whether it runs or waits; its processes count as well. The
 * limit is reached on a machine without any free core, too. */
static void limit(void **state)
{
    (void)state;
    static const char *const endless[] = {"while :; do :; done", "(while :; do :; done) & wait",
                                          "sleep 1000"};
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        struct pf_supervisor_result r = run(endless[i], 300);
        assert_int_equal(r.how, PF_SUPERVISED_LIMIT);
        assert_true(r.wall_ns >= 300 * 1000000ull);
    }
    assert_int_equal(run("exit 4", 100000).how, PF_SUPERVISED_ENDED);
}

/* The CPU time of descendants that still run is known. */
static void alive(void **state)
{
    (void)state;
    struct pf_fair_clock c;
    pf_fair_clock_begin(&c);
    uint64_t own = pf_cpu_ms(false);
    assert_true(pf_cpu_ms(true) >= own);
    for (volatile unsigned i = 0; pf_cpu_ms(false) < own + 30; i++)
        ;
    assert_true(pf_fair_clock_ms(&c, true) >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(model), cmocka_unit_test(texts),
                                       cmocka_unit_test(limit), cmocka_unit_test(alive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
