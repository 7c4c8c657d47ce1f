// sources: src/report/*.c
/* report_writers.c - the text form and the JSON form, and the text buffer and pool that they
 * use. */
#include "finding_json.h"
#include "finding_text.h"
#include "report_sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct pf_pool pool;
static struct pf_text t;

static int setup(void **state)
{
    (void)state;
    pf_pool_init(&pool, sample_map, sample_unmap);
    pf_text_init(&t, &pool);
    return 0;
}
static int teardown(void **state)
{
    (void)state;
    pf_pool_release(&pool);
    return 0;
}
static const char *so_far(void)
{
    pf_text_char(&t, 0);
    return t.at;
}

static void layout(void **state)
{
    (void)state;
    struct pf_finding f = sample_finding();
    struct pf_text_style style = {.strip_prefix = "/src/", .pid = 42, .summary = true};
    pf_finding_text(&t, &f, &style);
    assert_string_equal(so_far(),
                        "==================\n"
                        "WARNING: photofinish: data race (pid=42)\n"
                        "  Write of size 4 at 0x000000005000 by thread T1 (mutexes: write M0):\n"
                        "    #0 memcpy\n"
                        "    #1 store a/store.c:12:5 (prog)\n"
                        "    #2 worker a/main.c:40:9 (prog)\n"
                        "\n"
                        "  Previous read of size 8 at 0x000000005000 by main thread "
                        "(mutexes: read M1, write M0):\n"
                        "    #0 load load.c:7:3 (libx.so)\n"
                        "    #1 main a/main.c:60:2 (prog)\n"
                        "\n"
                        "  Location is global 'x' of size 8 at 0x000000005000 (a/main.c:3)\n"
                        "\n"
                        "  Mutex M0 'm' (0x000000001000) acquired by thread T1 at:\n"
                        "    #0 pthread_create\n"
                        "    #1 main a/main.c:58:2 (prog)\n"
                        "\n"
                        "  Mutex M1 (0x000000002000) first acquired at:\n"
                        "    #0 pthread_create\n"
                        "    #1 main a/main.c:58:2 (prog)\n"
                        "\n"
                        "  Thread T1 'pool' (tid=77, running) created by main thread at:\n"
                        "    #0 pthread_create\n"
                        "    #1 main a/main.c:58:2 (prog)\n"
                        "\n"
                        "SUMMARY: photofinish: data race a/store.c:12:5 in store\n"
                        "==================\n");
}

static void other_places(void **state)
{
    (void)state;
    struct pf_finding f = sample_finding();
    struct pf_text_style style = {.color = true};
    f.location = (struct pf_location){.kind = PF_LOCATION_HEAP,
                                      .size = 40,
                                      .address = 0x10,
                                      .thread = 1,
                                      .stack = {sample_create, 2}};
    f.accesses[0].op = PF_OP_FREE;
    f.accesses[1].op = PF_OP_ATOMIC_WRITE;
    f.accesses[1].stack.n = 0;
    pf_finding_text(&t, &f, &style);
    const char *text = so_far();
    assert_non_null(strstr(text, "  Free of size 4"));
    assert_non_null(strstr(text, "  Previous atomic write of size 8"));
    assert_non_null(strstr(text, "\n    [unknown stack]\n"));
    assert_non_null(
        strstr(text, "heap block of size 40 at 0x000000000010 allocated by thread T1:"));
    assert_non_null(strstr(text, "\033["));
    assert_null(strstr(text, "pid="));
    assert_null(strstr(text, "SUMMARY"));
    t.n = 0;
    f.location = (struct pf_location){.kind = PF_LOCATION_STACK};
    f.accesses[1].op = PF_OP_LOCK;
    pf_finding_text(&t, &f, &style);
    assert_non_null(strstr(so_far(), "Location is stack of main thread."));
    assert_non_null(strstr(t.at, "  Previous lock at 0x000000005000 by main thread"));
    t.n = 0;
    f.location.stack = (struct pf_backtrace){sample_earlier, 1};
    pf_finding_text(&t, &f, &style);
    assert_non_null(strstr(so_far(), "Location is stack of main thread, frame of load."));
    t.n = 0;
    f.location.stack.n = 2;
    pf_finding_text(&t, &f, &(struct pf_text_style){0});
    assert_non_null(strstr(so_far(), "Location is stack of main thread, a frame of:\n"
                                     "    #0 load load.c:7:3 (libx.so)\n"));
    t.n = 0;
    f.location = (struct pf_location){.kind = PF_LOCATION_TLS, .thread = 3};
    pf_finding_text(&t, &f, &style);
    assert_non_null(strstr(so_far(), "Location is TLS of thread T3."));
}

/* A finding may have any number of accesses, also none. */
static void no_access(void **state)
{
    (void)state;
    struct pf_finding f = sample_finding();
    struct pf_text_style style = {.summary = true};
    f.naccesses = f.nthreads = 0;
    f.location = (struct pf_location){0};
    pf_finding_text(&t, &f, &style);
    assert_string_equal(so_far(), "==================\n"
                                  "WARNING: photofinish: data race\n"
                                  "SUMMARY: photofinish: data race\n"
                                  "==================\n");
    t.n = 0;
    pf_finding_json(&t, &f);
    assert_non_null(strstr(so_far(), "\"accesses\":[]"));
    t.n = 0;
    f.naccesses = 1;
    pf_finding_text(&t, &f, &style);
    assert_non_null(strstr(so_far(), "  Write of size 4 at 0x000000005000 by thread T1"));
}

static void json(void **state)
{
    (void)state;
    struct pf_finding f = sample_finding();
    f.accesses[0].stack.n = 2;
    f.accesses[0].nlocks = f.accesses[1].nlocks = 0;
    f.accesses[1].stack.n = 1;
    f.accesses[1].variable = NULL;
    f.nthreads = 0;
    pf_finding_json(&t, &f);
    assert_string_equal(
        so_far(),
        "{\"id\":\"0000000000000abc\",\"kind\":\"race\",\"status\":\"observed\",\"analysis\":"
        "\"fasttrack\","
        "\"class\":null,\"accesses\":[{\"thread\":\"T1\",\"op\":\"write\",\"size\":4,"
        "\"file\":\"/src/a/"
        "store.c\",\"line\":12,\"column\":5,\"function\":\"store\",\"variable\":\"x\","
        "\"address\":\"0x5000\",\"locks\":[],\"held\":[],\"stack\":[{\"function\":\"memcpy\","
        "\"file\":null,"
        "\"line\":0,\"column\":0},{\"function\":\"store\",\"file\":\"/src/a/"
        "store.c\",\"line\":12,\"column\":5,"
        "\"module\":\"/bin/"
        "prog\",\"first_line\":10}]},{\"thread\":\"T0\",\"op\":\"read\",\"size\":8,"
        "\"file\":\"load.c\",\"line\":7,\"column\":3,\"function\":\"load\",\"variable\":null,"
        "\"address\":\"0x5000\",\"locks\":[],\"held\":[],\"stack\":[{\"function\":\"load\","
        "\"file\":\"load.c\","
        "\"line\":7,\"column\":3,\"module\":\"/lib/libx.so\",\"first_line\":5}]}],"
        "\"location\":{\"kind\":\"global\",\"name\":\"x\",\"file\":\"/src/a/main.c\",\"line\":3,"
        "\"address\":\"0x5000\",\"size\":8},\"threads\":[],\"clip\":null,\"count\":1,\"counts\":"
        "true}");
    t.n = 0;
    f = sample_finding();
    pf_finding_json(&t, &f);
    assert_non_null(
        strstr(so_far(), "\"locks\":[\"M1\",\"m\"],\"held\":[{\"name\":null,\"address\":\"0x2000\","
                         "\"mode\":\"read\",\"first\":true,\"stack\":["));
}

static void json_strings(void **state)
{
    (void)state;
    static const struct {
        const char *s, *json;
    } table[] = {
        {NULL, "null"},
        {"", "\"\""},
        {"a\"b\\c\n\t\r\x01\x7f/", "\"a\\\"b\\\\c\\n\\t\\u000d\\u0001\\u007f/\""},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8f\x81", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x8f\x81\""},
        {"\xff", "\"\xef\xbf\xbd\""},
        {"a\xc3", "\"a\xef\xbf\xbd\""},                                 /* truncated */
        {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                   /* overlong */
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},   /* a surrogate */
        {"\xf4\x90\x80\x80",
         "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* above the largest code point */
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        t.n = 0;
        pf_text_json(&t, table[i].s);
        assert_string_equal(so_far(), table[i].json);
    }
}

static void numbers(void **state)
{
    (void)state;
    pf_text_u64(&t, 0);
    pf_text_char(&t, ' ');
    pf_text_u64(&t, UINT64_MAX);
    pf_text_char(&t, ' ');
    pf_text_i64(&t, INT64_MIN);
    pf_text_char(&t, ' ');
    pf_text_hex(&t, 0xab, 4);
    pf_text_char(&t, ' ');
    pf_text_hex(&t, UINT64_MAX, 1);
    assert_string_equal(so_far(),
                        "0 18446744073709551615 -9223372036854775808 00ab ffffffffffffffff");
}

/* A recursion of a million frames is printed completely. */
static void deep(void **state)
{
    (void)state;
    size_t n = 1000000, lines = 0;
    struct pf_stack_frame *at = calloc(n, sizeof *at);
    for (size_t i = 0; i < n; i++)
        at[i] = (struct pf_stack_frame){.function = "f", .file = "f.c", .line = 1};
    struct pf_backtrace stack = {at, n};
    pf_backtrace_text(&t, &stack, &(struct pf_text_style){0});
    for (const char *s = so_far(); (s = strchr(s, '\n')); s++)
        lines++;
    assert_int_equal(lines, n + 1);
    assert_non_null(strstr(t.at, "#999999 f f.c:1\n"));
    free(at);
}

static void *no_memory(size_t size)
{
    (void)size;
    return NULL;
}

static void out_of_memory(void **state)
{
    (void)state;
    struct pf_pool none;
    struct pf_finding f = sample_finding();
    pf_pool_init(&none, no_memory, sample_unmap);
    assert_null(pf_pool_get(&none, 1));
    assert_null(pf_pool_get(&none, SIZE_MAX));
    pf_text_init(&t, &none);
    pf_finding_text(&t, &f, &(struct pf_text_style){0});
    pf_finding_json(&t, &f);
    assert_true(t.failed);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(layout),       TEST(other_places), TEST(no_access), TEST(json),
        TEST(json_strings), TEST(numbers),      TEST(deep),      TEST(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
