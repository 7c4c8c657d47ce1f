/*
 * clip_channel.c - the path of the streams: from a target through the channel into a file, and from
 * the file to a target again. The target is this program, started again, with the runtime's
 * stream_ring.c linked in.
 */
// sources: src/clip/*.c src/base/*.c src/report/pool.c src/report/textbuf.c
// sources: src/rt/direct/trace/stream_ring.c src/rt/direct/trace/child_log.c
// sources: src/rt/spin.c src/rt/sys.c src/rt/gate.S
#define _GNU_SOURCE
#include "channel_host.h"
#include "clip.h"
#include "stream_ring.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct pf_direct pf_direct;

static char file[128];
static char *self;

/* Record k of a stream: its length and bytes depend only on k. */
static size_t record(unsigned k, unsigned char *out)
{
    size_t n = k % 97 + (k % 1000 == 0 ? 70000 : 0);
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)(k * 31 + i * (k % 5));
    return n;
}
#define RECORDS 60000u /* about 8 MB: the rings wrap around several times */

static int put_target(const char *how)
{
    static unsigned char bytes[1 << 17];
    pf_channel_attach();
    if (pf_direct.mode != PF_DIRECT_RECORD || strcmp(pf_channel_get()->schedule, "random:7"))
        return 1;
    for (unsigned k = 0; k < RECORDS; k++) {
        pf_ring_put(PF_STREAM_INPUT, bytes, record(k, bytes));
        pf_ring_put(PF_STREAM_SCHEDULE, &k, sizeof k);
        pf_ring_put(PF_STREAM_EVENT, &k, sizeof k); /* this stream is off */
        if (pf_ring_position(PF_STREAM_SCHEDULE) != (k + 1) * sizeof k)
            return 2;
        if (!strcmp(how, "killed") && k == RECORDS / 3)
            kill(getpid(), SIGKILL);
    }
    pf_channel_set_outcome(PF_OUTCOME_DEADLOCK, "T0 waits for T1");
    pf_channel_set_outcome(PF_OUTCOME_HANG, "too late");
    return 42;
}

static int get_target(void)
{
    static unsigned char bytes[1 << 17];
    pf_channel_attach();
    if (pf_direct.mode != PF_DIRECT_REPLAY)
        return 1;
    for (unsigned k = 0; k < RECORDS; k++) {
        size_t n = record(k, bytes);
        const void *got = pf_ring_get(PF_STREAM_INPUT, n);
        const unsigned *number = pf_ring_get(PF_STREAM_SCHEDULE, sizeof k);
        if (!got || memcmp(got, bytes, n) || !number || *number != k)
            return 3;
    }
    return pf_ring_get(PF_STREAM_INPUT, 1) || pf_ring_get(PF_STREAM_SCHEDULE, 1) ? 4 : 42;
}

static int start(const char *what, const char *how)
{
    pid_t pid = fork();
    int wait;
    if (pid == 0) {
        setenv(PF_CHANNEL_ENV, "987", 1);
        execl(self, self, what, how, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &wait, 0), pid);
    return wait;
}

static void set_meta(struct pf_clip_meta *m)
{
    static char *argv[] = {"prog", "a b", "", NULL}, *env[] = {"X=1", "EMPTY=", NULL};
    *m = (struct pf_clip_meta){.tool = "test",
                               .program = "/bin/prog",
                               .cwd = "/tmp",
                               .schedule = "random:7",
                               .argv = argv,
                               .env = env,
                               .build = 77,
                               .abi = 1};
}

static int record_into(const char *path, const char *how, struct pf_clip_end *end)
{
    static const uint8_t use[PF_STREAMS] = {
        [PF_STREAM_SCHEDULE] = PF_RING_WRITE, [PF_STREAM_INPUT] = PF_RING_WRITE};
    struct pf_error e;
    struct pf_channel_host *h;
    struct pf_clip_writer *w;
    struct pf_clip_meta m;
    set_meta(&m);
    assert_int_equal(pf_clip_create(&w, path, &m, &e), PF_OK);
    assert_int_equal(pf_channel_host_new(&h, use, NULL, &e), PF_OK);
    pf_channel_host_channel(h)->mode = PF_DIRECT_RECORD;
    strcpy(pf_channel_host_channel(h)->schedule, "random:7");
    assert_int_equal(pf_channel_host_start(h, w, &e), PF_OK);
    int wait = start("put", how);
    assert_int_equal(pf_channel_host_close(h, &e), PF_OK);
    *end = (struct pf_clip_end){.wait = wait, .outcome = pf_channel_host_channel(h)->outcome};
    strcpy(end->text, pf_channel_host_channel(h)->text);
    assert_int_equal(pf_clip_finish(w, end, &e), PF_OK);
    pf_clip_writer_free(w);
    pf_channel_host_free(h);
    return wait;
}

static void test_round(void **state)
{
    static const uint8_t use[PF_STREAMS] = {
        [PF_STREAM_SCHEDULE] = PF_RING_READ, [PF_STREAM_INPUT] = PF_RING_READ};
    struct pf_clip_end end;
    struct pf_error e;
    struct pf_clip c;
    struct pf_channel_host *h;
    assert_int_equal(record_into(file, "whole", &end), 42 << 8);
    assert_int_equal(pf_clip_open(&c, file, &e), PF_OK);
    assert_true(c.ended);
    assert_int_equal(c.end.wait, 42 << 8);
    assert_int_equal(c.end.outcome, PF_OUTCOME_DEADLOCK);
    assert_string_equal(c.end.text, "T0 waits for T1");
    assert_string_equal(c.meta.argv[1], "a b");
    assert_string_equal(c.meta.argv[2], "");
    assert_null(c.meta.argv[3]);
    assert_string_equal(c.meta.env[1], "EMPTY=");
    assert_int_equal(c.meta.build, 77);
    assert_int_equal(c.stream[PF_STREAM_SCHEDULE].length, RECORDS * 4);
    assert_int_equal(c.stream[PF_STREAM_EVENT].length, 0);
    assert_int_equal(pf_channel_host_new(&h, use, &c, &e), PF_OK);
    pf_channel_host_channel(h)->mode = PF_DIRECT_REPLAY;
    assert_int_equal(pf_channel_host_start(h, NULL, &e), PF_OK);
    assert_int_equal(start("get", ""), 42 << 8);
    assert_int_equal(pf_channel_host_close(h, &e), PF_OK);
    pf_channel_host_free(h);
    pf_clip_release(&c);
    pf_clip_release(&c);
}

/* Everything that a target wrote before it was killed is in the file, to the last byte. */
static void test_killed(void **state)
{
    struct pf_clip_end end;
    struct pf_error e;
    struct pf_clip c;
    assert_int_equal(record_into(file, "killed", &end), SIGKILL);
    assert_int_equal(pf_clip_open(&c, file, &e), PF_OK);
    assert_int_equal(c.stream[PF_STREAM_SCHEDULE].length, (RECORDS / 3 + 1) * 4);
    pf_clip_release(&c);
}

/* --- damage --- */

static unsigned char *load(size_t *n)
{
    static unsigned char bytes[1 << 22];
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    *n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    return bytes;
}

static void write_small(void)
{
    struct pf_error e;
    struct pf_clip_writer *w;
    struct pf_clip_meta m;
    set_meta(&m);
    assert_int_equal(pf_clip_create(&w, file, &m, &e), PF_OK);
    for (int k = 0; k < 3; k++)
        assert_int_equal(pf_clip_append(w, PF_STREAM_OUTPUT, "hello hello hello hello", 23, &e),
                         PF_OK);
    struct pf_clip_end end = {.wait = 0};
    assert_int_equal(pf_clip_finish(w, &end, &e), PF_OK);
    pf_clip_writer_free(w);
}

/* If the file is cut anywhere, it is rejected with its name, or its chunks before the cut can be
 * read. */
static void test_cut(void **state)
{
    struct pf_error e;
    struct pf_clip c;
    size_t n, last = 0;
    write_small();
    unsigned char *bytes = load(&n);
    for (size_t k = 0; k < n; k++) {
        if (pf_clip_open_bytes(&c, "x.clip", bytes, k, &e) != PF_OK) {
            assert_int_equal(strncmp(e.text, "x.clip: ", 8), 0);
            assert_int_equal(last, 0);
            continue;
        }
        assert_false(c.ended);
        assert_non_null(strstr(c.cut, "at offset"));
        assert_true(c.stream[PF_STREAM_OUTPUT].chunks.len >= last);
        last = c.stream[PF_STREAM_OUTPUT].chunks.len;
        pf_clip_release(&c);
    }
    assert_int_equal(last, 3);
}

/* A file with one wrong bit anywhere is never accepted as complete, except in the reserved word of
 * the header. */
static void test_flip(void **state)
{
    struct pf_error e;
    struct pf_clip c;
    size_t n;
    write_small();
    unsigned char *bytes = load(&n);
    for (size_t k = 0; k < n * 8; k++) {
        if (k / 8 >= 12 && k / 8 < 16)
            continue;
        bytes[k / 8] ^= (unsigned char)(1 << k % 8);
        if (pf_clip_open_bytes(&c, "x.clip", bytes, n, &e) == PF_OK) {
            assert_false(c.ended);
            pf_clip_release(&c);
        }
        bytes[k / 8] ^= (unsigned char)(1 << k % 8);
    }
}

static void test_version(void **state)
{
    struct pf_error e;
    struct pf_clip c;
    size_t n;
    write_small();
    unsigned char *bytes = load(&n);
    bytes[8]++;
    assert_int_equal(pf_clip_open_bytes(&c, "x.clip", bytes, n, &e), PF_BAD);
    assert_string_equal(e.text, "x.clip: clip format version 2, but this pf reads version 1");
}

/* A further description adds a variable, for which the clip does not say where its value is. */
static void test_values(void **state)
{
    static unsigned char values[] = {PF_ENVIRONMENT_STORED, PF_ENVIRONMENT_READ};
    struct {
        struct pf_field head;
        char text[4];
    } more = {{PF_FIELD_ENV, 4}, "Y=22"};
    struct pf_error e;
    struct pf_clip c;
    struct pf_clip_writer *w;
    struct pf_clip_meta m;
    set_meta(&m);
    m.values = values;
    for (int wrong = 0; wrong < 2; wrong++) {
        struct pf_clip_end end = {.wait = 0};
        assert_int_equal(pf_clip_create(&w, file, &m, &e), PF_OK);
        if (wrong)
            assert_int_equal(pf_clip_append(w, PF_STREAM_META, &more, sizeof more, &e), PF_OK);
        assert_int_equal(pf_clip_finish(w, &end, &e), PF_OK);
        pf_clip_writer_free(w);
        assert_int_equal(pf_clip_open(&c, file, &e), wrong ? PF_BAD : PF_OK);
        pf_clip_release(&c);
    }
    assert_non_null(strstr(e.text, "has 2 bytes, expected one for each variable"));
}

/* A full disk is reported, and the data written before remains. */
static void test_full(void **state)
{
    struct pf_error e;
    struct pf_clip_writer *w;
    struct pf_clip_meta m;
    set_meta(&m);
    if (access("/dev/full", W_OK))
        skip();
    assert_int_equal(pf_clip_create(&w, "/dev/full", &m, &e), PF_IO);
    assert_string_equal(e.text, "/dev/full: No space left on device");
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc > 1)
        return !strcmp(argv[1], "put") ? put_target(argv[2]) : get_target();
    snprintf(file, sizeof file, "/tmp/pf-clip-test.%d", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),  cmocka_unit_test(test_killed),  cmocka_unit_test(test_cut),
        cmocka_unit_test(test_flip),   cmocka_unit_test(test_version), cmocka_unit_test(test_full),
        cmocka_unit_test(test_values),
    };
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return status;
}
