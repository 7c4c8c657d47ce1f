// sources: src/report/*.c
/* report_fingerprint.c - what the fingerprint depends on, what it does not, and its documented
 * bytes. */
#include "fingerprint.h"
#include "report_sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct pf_stack_frame later[3], earlier[2];

/* A finding whose stacks may be changed. */
static struct pf_finding fresh(void)
{
    struct pf_finding f = sample_finding();
    memcpy(later, sample_later, sizeof later);
    memcpy(earlier, sample_earlier, sizeof earlier);
    f.accesses[0].stack.at = later;
    f.accesses[1].stack.at = earlier;
    return f;
}

static void same_without_what_varies(void **state)
{
    (void)state;
    struct pf_finding f = fresh();
    uint64_t id = pf_fingerprint(&f);
    f.accesses[0].address = 0x7777;
    f.accesses[0].thread = 9;
    f.accesses[0].nlocks = 0;
    f.count = 100;
    later[1].file = "/elsewhere/build-2/store.c"; /* built in another folder */
    later[1].module = "/usr/bin/other";
    later[1].line += 100; /* lines added above the function */
    later[1].first_line += 100;
    later[2].line++; /* another caller */
    f.accesses[1].stack.n = 1;
    assert_int_equal(pf_fingerprint(&f), id);
}

static void same_in_either_order(void **state)
{
    (void)state;
    struct pf_finding f = fresh();
    uint64_t id = pf_fingerprint(&f);
    struct pf_access a = f.accesses[0];
    f.accesses[0] = f.accesses[1];
    f.accesses[1] = a;
    assert_int_equal(pf_fingerprint(&f), id);
}

static void other_for_what_matters(void **state)
{
    (void)state;
    struct pf_finding f = fresh();
    uint64_t id = pf_fingerprint(&f);
    later[1].line++;
    assert_int_not_equal(pf_fingerprint(&f), id);
    f = fresh();
    later[1].column++;
    assert_int_not_equal(pf_fingerprint(&f), id);
    f = fresh();
    later[1].function = "stor";
    assert_int_not_equal(pf_fingerprint(&f), id);
    f = fresh();
    later[0].function = "memmove"; /* the C library function counts, too */
    assert_int_not_equal(pf_fingerprint(&f), id);
    f = fresh();
    earlier[0].file = "load.cc";
    assert_int_not_equal(pf_fingerprint(&f), id);
    f = fresh();
    f.accesses[0].op = PF_OP_ATOMIC_READ;
    assert_int_not_equal(pf_fingerprint(&f), id);
    f = fresh();
    f.accesses[0].op = PF_OP_READ; /* the other half of an x++ */
    assert_int_equal(pf_fingerprint(&f), id);
    f = fresh();
    f.kind = PF_KIND_ATOMICITY;
    assert_int_not_equal(pf_fingerprint(&f), id);
    f = fresh();
    f.accesses[1] = f.accesses[0]; /* two equal sides do not cancel out */
    id = pf_fingerprint(&f);
    f = fresh();
    f.accesses[0] = f.accesses[1];
    assert_int_not_equal(pf_fingerprint(&f), id);
}

/* Two races inside the C++ library are distinguished by their callers. */
static void through_the_library(void **state)
{
    (void)state;
    struct pf_finding f = fresh();
    later[0] = (struct pf_stack_frame){
        .function = "std::vector<int>::push_back(int)",
        .line = 1000,
        .file = "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/v.h"};
    uint64_t id = pf_fingerprint(&f);
    assert_string_equal(pf_backtrace_source(&f.accesses[0].stack)->function, "store");
    later[0].line++; /* another version of the library */
    assert_int_equal(pf_fingerprint(&f), id);
    later[1].line++;
    assert_int_not_equal(pf_fingerprint(&f), id);
    later[1].line--;
    later[0].function = "std::vector<int>::pop_back()";
    assert_int_not_equal(pf_fingerprint(&f), id);
    f.accesses[0].stack.n = 1; /* no frame of the user: any value, but not that of the other side */
    assert_string_equal(pf_backtrace_source(&f.accesses[0].stack)->function, later[0].function);
    assert_int_not_equal(pf_fingerprint(&f), id);
}

/* A second implementation of docs/format/findings-log.md. */
static size_t put(unsigned char *b, size_t n, const char *s)
{
    memcpy(b + n, s, strlen(s) + 1);
    return n + strlen(s) + 1;
}
static size_t put8(unsigned char *b, size_t n, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        b[n++] = (unsigned char)(v >> (8 * i));
    return n;
}
static uint64_t fnv(const unsigned char *b, size_t n)
{
    uint64_t h = 14695981039346656037ull;
    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * 1099511628211ull;
    return h;
}

static void as_documented(void **state)
{
    (void)state;
    unsigned char b[256];
    size_t n = put(b, 0, "access");
    n = put(b, n, "memcpy");
    n = put8(b, put8(b, put(b, put(b, n, "store"), "store.c"), 2), 5);
    uint64_t x = fnv(b, n);
    n = put(b, 0, "access");
    n = put8(b, put8(b, put(b, put(b, n, "load"), "load.c"), 2), 3);
    uint64_t y = fnv(b, n);
    n = put8(b, put8(b, put(b, 0, "race"), x < y ? x : y), x < y ? y : x);
    struct pf_finding f = fresh();
    assert_int_equal(pf_fingerprint(&f), fnv(b, n));
}

/* Kinds whose accesses have an order, deadlocks, and a finding without accesses. */
static void lists_as_documented(void **state)
{
    (void)state;
    unsigned char b[256];
    struct pf_finding f = fresh();
    size_t n = put(b, put(b, 0, "write"), "memcpy");
    n = put8(b, put8(b, put(b, put(b, n, "store"), "store.c"), 2), 5);
    uint64_t x = fnv(b, n);
    n = put8(b, put8(b, put(b, put(b, put(b, 0, "read"), "load"), "load.c"), 2), 3);
    uint64_t y = fnv(b, n);
    f.kind = PF_KIND_ATOMICITY;
    n = put8(b, put8(b, put(b, 0, "atomicity"), x), y);
    assert_int_equal(pf_fingerprint(&f), fnv(b, n));
    f.kind = PF_KIND_USE_AFTER_FREE;
    n = put8(b, put8(b, put(b, 0, "use-after-free"), x), y);
    assert_int_equal(pf_fingerprint(&f), fnv(b, n));
    f.kind = PF_KIND_DEADLOCK;
    n = put8(b, put(b, 0, "deadlock"), x + y);
    assert_int_equal(pf_fingerprint(&f), fnv(b, n));
    f.kind = PF_KIND_RACE;
    f.naccesses = 1; /* not a pair */
    n = put8(b, put(b, 0, "race"), x);
    assert_int_equal(pf_fingerprint(&f), fnv(b, n));
    f.naccesses = 0;
    assert_int_equal(pf_fingerprint(&f), fnv(b, put(b, 0, "race")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_without_what_varies),
        cmocka_unit_test(same_in_either_order),
        cmocka_unit_test(other_for_what_matters),
        cmocka_unit_test(through_the_library),
        cmocka_unit_test(as_documented),
        cmocka_unit_test(lists_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
