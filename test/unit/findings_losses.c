// sources: src/findings/findings.c src/findings/check_summary.c src/findings/finding_group.c
// sources: src/findings/crash_merge.c
// sources: src/findings/unchecked_code.c
// sources: src/report/*.c src/base/*.c
/* findings_losses.c - the lines that say why a check is incomplete: similar ones are counted. */
#include "findings.h"
#include "report_sample.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void similar_ones_are_counted(void **state)
{
    (void)state;
    struct pf_check_note notes[] = {
        {.text = "a step: clips/1.clip: the run diverged from the recording: other input",
         .times = 1},
        {.text = "the time budget ended", .times = 1},
        {.text = "a step: clips/22.clip: the run diverged from the recording: other call",
         .times = 2},
        {.text = "another step: clips/1.clip: the run diverged from the recording: other input",
         .times = 3},
        {.text = "a step: clips/1.clip: cannot be read", .times = 1},
    };
    for (size_t i = 0; i + 1 < sizeof notes / sizeof *notes; i++)
        notes[i].next = &notes[i + 1];
    struct pf_pool pool;
    struct pf_text t;
    pf_pool_init(&pool, sample_map, sample_unmap);
    pf_text_init(&t, &pool);
    pf_check_summary_losses(&t, &(struct pf_check_summary){.gaps = notes});
    pf_text_char(&t, 0);
    assert_string_equal(
        t.at,
        "pf: incomplete: a step: clips/1.clip: the run diverged from the recording: other input; "
        "and 2 similar ones\n"
        "pf: incomplete: the time budget ended\n"
        "pf: incomplete: another step: clips/1.clip: the run diverged from the recording: other "
        "input, 3 times\n"
        "pf: incomplete: a step: clips/1.clip: cannot be read\n");
    pf_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(similar_ones_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
