// sources: src/check/policy_shares.c
/* check_policy_shares.c - the batches of a check go to the policy that shows most; none is
 * forgotten; the same gains give the same choices. */
#include "policy_shares.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BATCHES 400

/* Counts the batches of each policy, of which only `good` shows anything. */
static void share(enum pf_share_policy good, bool aimed, unsigned *count)
{
    struct pf_policy_shares s = {0};
    memset(count, 0, PF_SHARE_POLICIES * sizeof *count);
    for (int i = 0; i < BATCHES; i++) {
        enum pf_share_policy p = pf_policy_shares_next(&s, aimed);
        count[p]++;
        pf_policy_shares_add(&s, p, 100, p == good ? 60 : 0, 0);
    }
}

static void the_best_gets_most(void **state)
{
    (void)state;
    unsigned count[PF_SHARE_POLICIES], again[PF_SHARE_POLICIES];
    for (int good = 0; good < PF_SHARE_POLICIES; good++) {
        share((enum pf_share_policy)good, true, count);
        for (int i = 0; i < PF_SHARE_POLICIES; i++)
            assert_true(i == good ? count[i] > BATCHES / 2 : count[i] >= 4);
        share((enum pf_share_policy)good, true, again);
        assert_memory_equal(count, again, sizeof count);
    }
}

static void without_news_all_take_turns(void **state)
{
    (void)state;
    unsigned count[PF_SHARE_POLICIES];
    share(PF_SHARE_POLICIES, true, count);
    for (int i = 0; i < PF_SHARE_POLICIES; i++)
        assert_true(count[i] > BATCHES / (2 * PF_SHARE_POLICIES));
    share(PF_SHARE_POLICIES, false, count);
    assert_int_equal(count[PF_SHARE_AIMED], 0);
}

static void old_gains_fade(void **state)
{
    (void)state;
    struct pf_policy_shares s = {0};
    unsigned late = 0;
    for (int i = 0; i < BATCHES; i++) {
        enum pf_share_policy p = pf_policy_shares_next(&s, false);
        late += i >= BATCHES / 2 && p == PF_SHARE_PCT_2;
        pf_policy_shares_add(&s, p, 100, (i < 20 ? PF_SHARE_POS : PF_SHARE_PCT_2) == p ? 60 : 0, 0);
    }
    assert_true(late > BATCHES / 4);
}

static void text_and_back(void **state)
{
    (void)state;
    char text[200];
    for (int i = 0; i < PF_SHARE_POLICIES; i++) {
        pf_share_policy_text(text, sizeof text, (enum pf_share_policy)i, 40, "a.c:1,b.c:2");
        assert_non_null(strchr(text, '*'));
        assert_int_equal(pf_share_policy_of(text), i);
    }
    assert_string_equal(text, "racefuzzer:a.c:1,b.c:2,*");
    assert_int_equal(pf_share_policy_of("rr:1"), PF_SHARE_POLICIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_gets_most),
        cmocka_unit_test(without_news_all_take_turns),
        cmocka_unit_test(old_gains_fade),
        cmocka_unit_test(text_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
