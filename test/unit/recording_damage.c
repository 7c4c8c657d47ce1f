/*
 * recording_damage.c - events of a recording that no tracer writes are rejected with a message.
 */
// sources: src/clip/clip_*.c src/clip/events.c src/clip/names.c src/base/*.c src/report/pool.c
// sources: src/report/textbuf.c src/trace/*.c src/confirm/recording_trace.c
// flags: -D_GNU_SOURCE=
#define _GNU_SOURCE
#include "event_code.h"
#include "name_code.h"
#include "recording_trace.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#define LONG_FORM(kind) (PF_CODE_OTHER | (PF_CODE_EVENT + (kind)) << 2)

/* Reads a recording that consists of these streams: event heads, addresses, names. */
static pf_status read_streams(const unsigned char *bytes, const uint32_t length[3],
                              struct pf_error *e)
{
    static const unsigned streams[] = {PF_STREAM_EVENT, PF_STREAM_ADDRESS, PF_STREAM_NAME};
    struct pf_clip_chunk chunk[3];
    struct pf_clip clip = {.path = "damaged",
                           .bytes = bytes,
                           .size = length[0] + length[1] + length[2],
                           .borrowed = true,
                           .ended = true,
                           .meta.traced = PF_CODE_VERSION};
    uint64_t at = 0;
    for (unsigned i = 0; i < 3; at += length[i++]) {
        chunk[i] = (struct pf_clip_chunk){at, 0, length[i], length[i], PF_CODEC_RAW};
        clip.stream[streams[i]].chunks.at = &chunk[i];
        clip.stream[streams[i]].chunks.len = 1;
        clip.stream[streams[i]].length = length[i];
    }
    struct pf_trace t;
    pf_trace_init(&t);
    pf_status s = pf_trace_read_clip(&t, &clip, "damaged", e);
    pf_trace_release(&t);
    return s;
}

/* A signal that wakes thread number 2^62. */
static void test_signal(void **unused)
{
    static const unsigned char bytes[] = {
        /* heads: thread 0 runs; a signal */
        PF_CODE_OTHER | PF_CODE_THREAD << 2, LONG_FORM(PF_EV_SIGNAL),
        /* addresses: thread 0; the fields, site 1, address 8, the thread */
        0, PF_HAS_OPERAND | PF_HAS_SECOND, 2, 16, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
        0x40,
        /* names: site 1, not a plain access */
        6, 0, 0, 0, PF_NAME_SITE, 1, 127, 0, 0, 0};
    struct pf_error e;
    assert_int_equal(read_streams(bytes, (uint32_t[]){2, 13, 10}, &e), PF_BAD);
    assert_string_equal(e.text, "damaged: event 1: a signal that wakes a thread without a number");
}

/* A short file with a large number must not use up memory. */
static void test_large_numbers(void **unused)
{
    /* number 2^24 - 1: a site that is not a plain access, a position without texts */
    static const unsigned char site[] = {9,   0, 0, 0, PF_NAME_SITE, 0xff, 0xff, 0xff, 7,
                                         127, 0, 0, 0};
    static const unsigned char position[] = {
        12, 0, 0, 0, PF_NAME_POSITION, 0xff, 0xff, 0xff, 7, 0, 0, 0, 0, 0, 0, 0};
    struct rusage before, after;
    struct pf_error e;
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(read_streams(site, (uint32_t[]){0, 0, sizeof site}, &e), PF_OK);
    assert_int_equal(read_streams(position, (uint32_t[]){0, 0, sizeof position}, &e), PF_BAD);
    assert_string_equal(e.text, "damaged: name stream, offset 4: invalid record");
    getrusage(RUSAGE_SELF, &after);
    assert_in_range(after.ru_maxrss - before.ru_maxrss, 0, 64 << 10); /* KiB */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signal),
                                       cmocka_unit_test(test_large_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
