// sources: src/foreign/*.c src/findings/findings.c src/findings/check_summary.c
// sources: src/findings/unchecked_code.c
// sources: src/findings/finding_group.c src/findings/crash_merge.c
// sources: src/report/*.c src/base/*.c
/* foreign_reports.c - reads reports of other tools, and thousands of damaged ones. */
#include "findings.h"
#include "foreign.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char tsan[] =
    "program output\n"
    "==================\n"
    "\033[1m\033[31mWARNING: ThreadSanitizer: data race (pid=7)\033[1m\033[0m\n"
    "  Atomic write of size 4 at 0x5559a24de6c0 by main thread:\n"
    "    #0 ns::f(int, char const*) /a folder/x.cpp:7:105 (prog+0xe46a9) (BuildId: 61d)\n"
    "    #1 main rel.c:8 (prog+0xe46a9)\n"
    "\n"
    "  Previous read of size 1 at 0x5559a24de6c0 by thread T2 (mutexes: write M0, read M31):\n"
    "    #0 memcpy <null> (libc.so.6+0x1)\n"
    "    #1 operator new(unsigned long) <null> (prog+0x1)\n"
    "    #2 worker /a folder/x.cpp:6:56 (prog+0xe45a4) (BuildId: 61d)\n"
    "\n"
    "  Location is heap block of size 8 at 0x720400000000 allocated by thread T1:\n"
    "    #0 malloc <null> (prog+0x60330)\n"
    "\n"
    "  Mutex M0 (0xabc) created at:\n"
    "    #0 pthread_mutex_lock <null> (prog+0x63b9e)\n"
    "\n"
    "  Thread T2 'w' (tid=24548, running) created by thread T1 at:\n"
    "    #0 pthread_create <null> (prog+0x61e91)\n"
    "    #1 main /a folder/x.cpp:7:49 (prog+0xe4693)\n"
    "\n"
    "SUMMARY: ThreadSanitizer: data race /a folder/x.cpp:7:105 in f\n"
    "==================\n"
    "==================\n"
    "WARNING: ThreadSanitizer: thread leak (pid=7)\n"
    "  Thread T1 (tid=1, finished) created by main thread at:\n"
    "    #0 pthread_create <null> (prog+0x61e91)\n"
    "==================\n"
    "==================\n"
    "WARNING: ThreadSanitizer: data race (pid=7)\n"
    "  Write of size 4 at 0x10 by main thread:\n"
    "    #0 one a.c:1:2 (prog+0x1)\n"
    "\n"
    "  Previous write of size 4 at 0x10 by thread T1:\n"
    "    [failed to restore the stack]\n"
    "==================\n";

static const char helgrind[] =
    "<?xml version=\"1.0\"?>\n<valgrindoutput>\n<preamble><line>Helgrind</line></preamble>\n"
    "<announcethread><hthreadid>1</hthreadid><isrootthread></isrootthread></announcethread>\n"
    "<announcethread><hthreadid>3</hthreadid><stack><frame><obj>/p</obj><fn>main</fn>"
    "<dir>/s</dir><file>m.c</file><line>9</line></frame></stack></announcethread>\n"
    "<error><unique>0x0</unique><kind>Race</kind><xwhat><text>Possible data race during write of "
    "size 4 at 0x10C078 by thread #1</text><hthreadid>1</hthreadid></xwhat>\n"
    "<stack><frame><ip>0x1</ip><obj>/p</obj><fn>main</fn><dir>/s</dir><file>m.c</file>"
    "<line>7</line></frame></stack>\n"
    "<xauxwhat><text>This conflicts with a previous read of size 2 by thread #3</text>"
    "<hthreadid>3</hthreadid></xauxwhat>\n"
    "<stack><frame><obj>/usr/lib/libc.so</obj><fn>memcpy</fn><dir>./x</dir><file>memcpy.c</file>"
    "<line>4</line></frame><frame><obj>/p</obj><fn>op&lt;T&gt; &amp;</fn><dir>/s</dir>"
    "<file>w.c</file><line>6</line></frame></stack>\n"
    "<auxwhat>Address 0x10c078 is 0 bytes inside data symbol \"shared\"</auxwhat></error>\n"
    "<error><kind>UnlockUnlocked</kind><what>Thread #1 unlocked</what></error>\n"
    "<error><kind>Race</kind><xwhat><text>Possible data race during read of size 1 at 0x5 by "
    "thread "
    "#1</text></xwhat><stack><frame><fn>f</fn></frame></stack></error>\n"
    "</valgrindoutput>\n";

static void reads_tsan(void **state)
{
    (void)state;
    struct pf_findings f;
    struct pf_foreign_summary sum = {.tool = "tsan"};
    pf_findings_init(&f);
    pf_foreign_tsan(&f, tsan, &sum);
    assert_int_equal(f.n, 1);
    assert_int_equal(sum.candidates, 1);
    assert_int_equal(sum.skipped, 2);
    const struct pf_finding *it = f.at[0];
    assert_int_equal(it->status, PF_STATUS_PREDICTED);
    const struct pf_access *a = &it->accesses[0], *b = &it->accesses[1];
    assert_int_equal(a->op, PF_OP_ATOMIC_WRITE);
    assert_int_equal(b->op, PF_OP_READ);
    assert_int_equal(a->thread, 0);
    assert_int_equal(b->thread, 2);
    assert_int_equal(a->size, 4);
    assert_int_equal(b->address, 0x5559a24de6c0);
    assert_string_equal(a->stack.at[0].function, "ns::f(int, char const*)");
    assert_string_equal(a->stack.at[0].file, "/a folder/x.cpp");
    assert_int_equal(a->stack.at[0].line, 7);
    assert_int_equal(a->stack.at[0].column, 105);
    assert_string_equal(a->stack.at[0].module, "prog");
    assert_string_equal(a->stack.at[1].file, "rel.c");
    assert_int_equal(a->stack.at[1].line, 8);
    assert_int_equal(b->stack.n, 3);
    assert_string_equal(b->stack.at[1].function, "operator new(unsigned long)");
    assert_null(b->stack.at[1].file);
    assert_string_equal(pf_backtrace_source(&b->stack)->function, "worker");
    assert_int_equal(b->nlocks, 2);
    assert_int_equal(b->locks[0].address, 0xabc);
    assert_true(b->locks[1].shared);
    assert_int_equal(it->location.kind, PF_LOCATION_HEAP);
    assert_int_equal(it->location.thread, 1);
    assert_int_equal(it->nthreads, 1);
    assert_string_equal(it->threads[0].name, "w");
    assert_int_equal(it->threads[0].parent, 1);
    assert_int_equal(it->threads[0].created.n, 2);
    pf_findings_release(&f);
}

static void reads_helgrind(void **state)
{
    (void)state;
    struct pf_findings f;
    struct pf_foreign_summary sum = {.tool = "helgrind"};
    pf_findings_init(&f);
    pf_foreign_helgrind(&f, helgrind, &sum);
    assert_int_equal(f.n, 1);
    assert_int_equal(sum.skipped, 2);
    const struct pf_access *a = &f.at[0]->accesses[0], *b = &f.at[0]->accesses[1];
    assert_int_equal(a->op, PF_OP_WRITE);
    assert_int_equal(b->op, PF_OP_READ);
    assert_int_equal(a->thread, 0);
    assert_int_equal(b->thread, 2);
    assert_int_equal(b->size, 2);
    assert_string_equal(a->stack.at[0].file, "/s/m.c");
    assert_null(b->stack.at[0].file); /* a frame of the C library */
    assert_string_equal(pf_backtrace_source(&b->stack)->function, "op<T> &");
    assert_string_equal(f.at[0]->location.name, "shared");
    assert_int_equal(f.at[0]->nthreads, 2);
    /* Reading the same report again adds nothing, even with the accesses in the other order. */
    pf_foreign_helgrind(&f, helgrind, &sum);
    assert_int_equal(f.n, 1);
    assert_int_equal(sum.known, 1);
    struct pf_finding swapped = *f.at[0];
    struct pf_access pair[2] = {*b, *a};
    swapped.accesses = pair;
    assert_true(pf_foreign_same(&swapped, f.at[0]));
    swapped.accesses[1] = *b;
    assert_false(pf_foreign_same(&swapped, f.at[0]));
    pf_findings_release(&f);
}

/* Each of many threads keeps the stack of its own creation. */
static void many_threads(void **state)
{
    (void)state;
    struct pf_findings f;
    struct pf_foreign_summary sum = {.tool = "helgrind"};
    char text[1 << 16];
    size_t n = 0;
    for (int k = 1; k <= 300; k++)
        n += (size_t)sprintf(text + n,
                             "<announcethread><hthreadid>%d</hthreadid><stack><frame><fn>main</fn>"
                             "<line>%d</line></frame></stack></announcethread>\n",
                             k, k);
    for (int k = 256; k <= 300; k += 44)
        n += (size_t)sprintf(text + n,
                             "%s<text>write of size 4 at 0x10 by thread #%d</text><stack><frame>"
                             "<fn>f</fn><line>%d</line></frame></stack>",
                             k == 256 ? "<error><kind>Race</kind>" : "", k, k);
    strcpy(text + n, "</error>");
    pf_findings_init(&f);
    pf_foreign_helgrind(&f, text, &sum);
    assert_int_equal(f.n, 1);
    assert_int_equal(f.at[0]->nthreads, 2);
    assert_int_equal(f.at[0]->threads[0].created.at[0].line, 256);
    assert_int_equal(f.at[0]->threads[1].created.at[0].line, 300);
    pf_findings_release(&f);
}

/* An error that ends more often than it begins is read once. */
static void ends_twice(void **state)
{
    (void)state;
    struct pf_findings f;
    struct pf_foreign_summary sum = {.tool = "helgrind"};
    char text[sizeof helgrind + 200] = "<a><b><c>";
    const char *end = strstr(helgrind, "</error>");
    assert_non_null(end);
    strncat(text, helgrind, (size_t)(end - helgrind));
    strcat(text, "</error></error></error></error>");
    pf_findings_init(&f);
    pf_foreign_helgrind(&f, text, &sum);
    assert_int_equal(f.n, 1);
    assert_int_equal(sum.known, 0);
    assert_int_equal(f.at[0]->nthreads, 2);
    pf_findings_release(&f);
}

/* Bytes changed, removed and duplicated: candidates have two stacks, or there are none; no
 * crash. */
static void damaged(void **state)
{
    (void)state;
    unsigned seed = 3;
    for (int round = 0; round < 6000; round++) {
        const char *good = round % 2 ? tsan : helgrind;
        size_t n = strlen(good);
        char *text = malloc(2 * n + 1);
        memcpy(text, good, n + 1);
        for (int k = rand_r(&seed) % 6; k >= 0; k--) {
            size_t at = (size_t)rand_r(&seed) % n, len = (size_t)rand_r(&seed) % 40;
            len = len < n - at ? len : n - at;
            if (k % 3 == 1 && n + len < 2 * strlen(good)) {
                memmove(text + at + len, text + at, n - at + 1);
                n += len;
            } else if (k % 3 == 0) {
                memmove(text + at, text + at + len, n - at - len + 1);
                n -= len;
            } else {
                text[at] = "<>/#:( )\n\033=x0"[rand_r(&seed) % 13];
            }
        }
        struct pf_findings f;
        struct pf_foreign_summary sum = {.tool = "x"};
        pf_findings_init(&f);
        if (round % 2)
            pf_foreign_tsan(&f, text, &sum);
        else
            pf_foreign_helgrind(&f, text, &sum);
        for (size_t i = 0; i < f.n; i++)
            assert_true(pf_finding_is_pair(f.at[i]) && f.at[i]->accesses[0].stack.n &&
                        f.at[i]->accesses[1].stack.n && f.at[i]->nthreads <= 16);
        pf_findings_release(&f);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_tsan),   cmocka_unit_test(reads_helgrind),
        cmocka_unit_test(many_threads), cmocka_unit_test(ends_twice),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
