// sources: src/findings/findings.c src/findings/check_summary.c src/findings/finding_group.c
// sources: src/findings/crash_merge.c
// sources: src/findings/unchecked_code.c
// sources: src/report/*.c src/base/*.c
/* findings_group.c - which findings have the same cause, and how groups are ordered. */
#include "finding_group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MOST 8

/* A finding in short form. An access is "function:line", with "*" at its end if it is a range
 * write, "*r" if it is a range read. */
struct row {
    enum pf_kind kind;
    enum pf_location_kind location;
    const char *object; /* the variable, or "function:line" of the allocation; NULL: unknown */
    const char *access[4];
    const char *suspicious;
};

static struct pf_finding findings[MOST];
static struct pf_access accesses[MOST][4];
static struct pf_stack_frame frames[MOST][5];
static char names[MOST][5][16];

static struct pf_backtrace stack_of(size_t i, size_t k, const char *text)
{
    unsigned line = 0;
    sscanf(text, "%15[^:]:%u", names[i][k], &line);
    frames[i][k] = (struct pf_stack_frame){
        .function = names[i][k], .file = "/src/a.c", .line = line, .first_line = 1};
    return (struct pf_backtrace){&frames[i][k], 1};
}

/* Fills *f with the rows and groups them; ids are 1, 2, ... */
static void group(struct pf_findings *f, const struct row *rows, size_t n)
{
    pf_findings_init(f);
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        struct pf_finding *it = &findings[i];
        *it = (struct pf_finding){.id = i + 1,
                                  .kind = r->kind,
                                  .suspicious = r->suspicious,
                                  .location.kind = r->location,
                                  .accesses = accesses[i]};
        if (r->location == PF_LOCATION_HEAP)
            it->location.stack = stack_of(i, 4, r->object);
        else
            it->location.name = r->object;
        for (; it->naccesses < 4 && r->access[it->naccesses]; it->naccesses++) {
            const char *text = r->access[it->naccesses];
            accesses[i][it->naccesses] =
                (struct pf_access){.stack = stack_of(i, it->naccesses, text),
                                   .op = strstr(text, "*r") ? PF_OP_READ : PF_OP_WRITE,
                                   .range = strchr(text, '*') != NULL};
        }
        pf_findings_push(f, it);
    }
    pf_findings_group(f);
}

static void same_cause(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        bool same;
        struct row rows[2];
    } cases[] = {
        {"a race and an atomicity violation of one increment",
         true,
         {{PF_KIND_RACE, PF_LOCATION_GLOBAL, "hits", {"work:3", "work:3"}, NULL},
          {PF_KIND_ATOMICITY, PF_LOCATION_GLOBAL, "hits", {"work:3", "work:3", "work:3"}, NULL}}},
        {"other lines of the same functions, in the other order",
         true,
         {{PF_KIND_RACE, PF_LOCATION_GLOBAL, "hits", {"work:3", "show:9"}, NULL},
          {PF_KIND_RACE, PF_LOCATION_GLOBAL, "hits", {"show:8", "work:4"}, NULL}}},
        {"another function",
         false,
         {{PF_KIND_RACE, PF_LOCATION_GLOBAL, "hits", {"work:3", "show:9"}, NULL},
          {PF_KIND_RACE, PF_LOCATION_GLOBAL, "hits", {"work:3", "log:9"}, NULL}}},
        {"another variable",
         false,
         {{PF_KIND_RACE, PF_LOCATION_GLOBAL, "hits", {"work:3", "show:9"}, NULL},
          {PF_KIND_RACE, PF_LOCATION_GLOBAL, "misses", {"work:3", "show:9"}, NULL}}},
        {"a name that a trace spells differently",
         true,
         {{PF_KIND_RACE, PF_LOCATION_GLOBAL, "ns::hits", {"work:3", "show:9"}, NULL},
          {PF_KIND_RACE, PF_LOCATION_GLOBAL, "ns__hits", {"work:4", "show:9"}, NULL}}},
        {"a range access and different users",
         true,
         {{PF_KIND_RACE, PF_LOCATION_HEAP, "make:5", {"copy:3*", "show:9"}, NULL},
          {PF_KIND_RACE, PF_LOCATION_HEAP, "make:5", {"log:9", "copy:3*"}, NULL}}},
        {"a range read and a range write",
         true,
         {{PF_KIND_RACE, PF_LOCATION_HEAP, "make:5", {"copy:3*r", "show:9"}, NULL},
          {PF_KIND_RACE, PF_LOCATION_HEAP, "make:5", {"clear:9*", "copy:3*r"}, NULL}}},
        {"blocks of different allocations",
         false,
         {{PF_KIND_RACE, PF_LOCATION_HEAP, "make:5", {"copy:3*", "show:9"}, NULL},
          {PF_KIND_RACE, PF_LOCATION_HEAP, "make:6", {"copy:3*", "show:9"}, NULL}}},
        {"an unknown object joins the same positions",
         true,
         {{PF_KIND_ATOMICITY, PF_LOCATION_UNKNOWN, NULL, {"work:3", "show:9", "work:3"}, NULL},
          {PF_KIND_RACE, PF_LOCATION_GLOBAL, "hits", {"work:3", "show:9"}, NULL}}},
        {"an unknown object at other positions",
         false,
         {{PF_KIND_ATOMICITY, PF_LOCATION_UNKNOWN, NULL, {"work:3", "show:8", "work:3"}, NULL},
          {PF_KIND_RACE, PF_LOCATION_GLOBAL, "hits", {"work:3", "show:9"}, NULL}}},
        {"two unknown objects at the same positions",
         true,
         {{PF_KIND_ATOMICITY, PF_LOCATION_UNKNOWN, NULL, {"work:3", "show:9", "work:3"}, NULL},
          {PF_KIND_RACE, PF_LOCATION_UNKNOWN, NULL, {"work:3", "show:9"}, NULL}}},
        {"a crash is a group of its own",
         false,
         {{PF_KIND_CRASH, PF_LOCATION_UNKNOWN, NULL, {"work:3"}, NULL},
          {PF_KIND_RACE, PF_LOCATION_GLOBAL, "hits", {"work:3", "work:3"}, NULL}}},
        {"without accesses nothing is known",
         false,
         {{PF_KIND_DEADLOCK, PF_LOCATION_UNKNOWN, NULL, {NULL}, NULL},
          {PF_KIND_DEADLOCK, PF_LOCATION_UNKNOWN, NULL, {NULL}, NULL}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pf_findings f;
        group(&f, cases[i].rows, 2);
        if ((f.at[0]->group == f.at[1]->group) != cases[i].same)
            fail_msg("%s: expected %s", cases[i].what, cases[i].same ? "one cause" : "two causes");
        pf_findings_release(&f);
    }
}

static void groups_stay_together(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {PF_KIND_RACE, PF_LOCATION_GLOBAL, "x", {"f:1", "g:1"}, NULL},
        {PF_KIND_RACE, PF_LOCATION_GLOBAL, "y", {"f:1", "g:1"}, NULL},
        {PF_KIND_RACE, PF_LOCATION_GLOBAL, "x", {"f:2", "g:2"}, NULL},
        {PF_KIND_RACE, PF_LOCATION_GLOBAL, "z", {"f:1", "g:1"}, "not shown to matter"},
        {PF_KIND_RACE, PF_LOCATION_GLOBAL, "x", {"f:3", "g:2"}, "not shown to matter"},
    };
    static const uint64_t order[] = {1, 3, 5, 2, 4};
    struct pf_findings f;
    group(&f, rows, 5);
    pf_findings_gather(&f);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(f.at[i]->id, order[i]);
    assert_int_equal(pf_findings_group_end(&f, 0), 3);
    assert_int_equal(pf_findings_group_end(&f, 3), 4);
    assert_int_equal(pf_findings_group_end(&f, 4), 5);
    /* z has no finding that counts */
    assert_int_equal(pf_findings_counted_groups(&f), 2);
    assert_int_equal(pf_findings_counted(&f), 3);
    pf_findings_release(&f);
}

static void none(void **state)
{
    (void)state;
    struct pf_findings f;
    pf_findings_init(&f);
    pf_findings_sort(&f);
    assert_int_equal(pf_findings_counted_groups(&f), 0);
    pf_findings_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_cause),
        cmocka_unit_test(groups_stay_together),
        cmocka_unit_test(none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
