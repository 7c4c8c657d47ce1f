/*
 * explore_inputs.c - a recording whose streams cannot be read rules out a complete exploration
 * (src/explore/explore_result.c).
 */
// sources: src/explore/explore_result.c src/confirm/run_output.c src/clip/clip_*.c
// sources: src/clip/call_name.c src/base/*.c src/report/*.c
#define _GNU_SOURCE
#include "../../src/explore/explore.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Defined with the builder of executions, which is not needed here. */
uint64_t pf_exec_mix(uint64_t h, uint64_t v) { return h * 31 + v; }

/* Adds a run whose stream has these bytes. */
static void add_run(struct pf_exploration *x, enum pf_stream stream, const unsigned char *bytes,
                    uint32_t n, uint8_t codec)
{
    struct pf_clip_chunk chunk = {0, 0, n, n, codec};
    struct pf_clip clip = {
        .path = "damaged", .bytes = bytes, .size = n, .borrowed = true, .ended = true};
    clip.stream[stream].chunks.at = &chunk;
    clip.stream[stream].chunks.len = 1;
    clip.stream[stream].length = n;
    *x = (struct pf_exploration){.finished = true};
    pf_exploration_add_run(x, &clip, 0);
}

static void check(enum pf_stream stream, const char *reason)
{
    static const unsigned char bytes[4];
    struct pf_exploration x;
    add_run(&x, stream, bytes, sizeof bytes, PF_CODEC_RAW);
    assert_true(pf_exploration_complete(&x));
    pf_exploration_release(&x);
    add_run(&x, stream, bytes, sizeof bytes, PF_CODEC_ZSTD); /* they are not compressed */
    assert_false(pf_exploration_complete(&x));
    assert_string_equal(x.unexplored.at[0].reason, reason);
    pf_exploration_release(&x);
}

static void test_unreadable(void **unused)
{
    check(PF_STREAM_INPUT, "a recording whose input cannot be read");
    check(PF_STREAM_OUTPUT, "a recording whose output cannot be read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unreadable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
