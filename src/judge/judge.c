/* judge.c - see judge.h. */
#define _GNU_SOURCE
#include "judge.h"
#include "adhoc_sync.h"
#include "duration.h"
#include "evidence.h"
#include "flip_back.h"
#include "impossible_order.h"
#include "judge_again.h"
#include "judge_paths.h"
#include "judging.h"
#include "message.h"
#include "order_alone.h"
#include "order_together.h"
#include "stale_runs.h"
#include "text_format.h"
#include "unsteady_output.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTANCES 3 /* how many of the last instances of a race are reversed in a failing run */
#define MORE_SCHEDULES 12 /* tried if no schedule so far has reversed the order */
/* A run that seems to be in an endless loop is repeated with larger limits. A thread may then be
 * held for this many times as many events, and the run is ended after twice that number. */
#define ENDLESS_TIMES 10

const struct pf_judge_settings pf_judge_default = {.schedules = 2,
                                                   .control = 50,
                                                   .prefixes = 5,
                                                   .adhoc = true,
                                                   .stale_runs = 100,
                                                   .recordings = 2,
                                                   .paths = 5,
                                                   .inputs = 2,
                                                   .symbolic_output = true,
                                                   .solver_ms = 2000,
                                                   .jobs = 1};

void pf_verdict_release(struct pf_verdict *v)
{
    for (size_t i = 0; i < v->evidence.len; i++) {
        free(v->evidence.at[i].text);
        free(v->evidence.at[i].clip);
    }
    pf_vec_release(&v->evidence);
}

/* --- the two orders are compared --- */

/* Adds runs of one order, 6 at first, then 16, 26 and so on, until `found` holds for the run r.
 * Returns false if it never does: there are enough runs, or no more could be made. The seeds differ
 * from those of the first runs. */
static bool grow(struct pf_judging *j, bool alternate, const struct pf_judge_run *r,
                 bool (*found)(const struct pf_judging *, const struct pf_judge_run *))
{
    struct pf_judge_run wanted = *r; /* the list of runs may move */
    struct pf_error e;
    for (unsigned step = 6; !found(j, &wanted); step += 10) {
        unsigned have = pf_judge_runs_count(&j->g, alternate);
        if (j->how->as_paper || have >= j->how->control)
            return false;
        unsigned more = step < j->how->control - have ? step : j->how->control - have;
        struct pf_judge_wish wish = {.alternate = alternate, .n = more, .seed = 1000 + have};
        j->stuck = pf_judge_runs_add(&j->g, &wish, 1, &e) != PF_OK;
        if (j->stuck || pf_judge_runs_count(&j->g, alternate) == have)
            return false;
    }
    return true;
}

static bool fails_in_primary(const struct pf_judging *j, const struct pf_judge_run *r)
{
    return pf_judge_runs_failed(&j->g, false, r);
}

static bool fails_in_alternate(const struct pf_judging *j, const struct pf_judge_run *r)
{
    return pf_judge_runs_failed(&j->g, true, r);
}

static bool is_in_control(const struct pf_judging *j, const struct pf_judge_run *r)
{
    return pf_judge_runs_in_control(&j->g, r);
}

static bool is_cut(const struct pf_judging *j) { return j->race->clock->cut; }

/* True if runs that the verdict needs could not be made; the class is undecided. */
static bool lacks_runs(struct pf_judging *j)
{
    if (j->stuck)
        pf_judging_decide(j, PF_JUDGED_UNDECIDED,
                          "a result of one order was to be searched in more runs of the other one, "
                          "which could not be made");
    return j->stuck || is_cut(j);
}

static bool has_control(const struct pf_judging *j) { return !j->how->as_paper && j->how->control; }

/* True if the twin of this run fails in the same way. */
static bool twin_fails(struct pf_judging *j, const struct pf_judge_run *r)
{
    struct pf_flip_back f;
    bool fails = pf_flip_back_run(&f, j->how, j->race, r) && pf_flip_back_fails(&f, r);
    pf_flip_back_release(&f);
    return fails;
}

/* Both orders fail in this way, perhaps because of a later instance of the same race: a thread may
 * pass the same two positions many times, and only the last time does harm. Gives the race its
 * class if the run does not fail with one of the last instances reversed. */
static bool instance_decides(struct pf_judging *j, const struct pf_judge_run *r)
{
    bool decided = false;
    for (unsigned i = 0; i < INSTANCES && !decided && has_control(j); i++) {
        struct pf_flip_back f;
        decided = pf_flip_back_run_instance(&f, j->how, j->race, r, i) && pf_flip_back_heals(&f, r);
        if (decided) {
            char what[300];
            const struct pf_judge_run *again = &f.runs.at.at[0], *back = &f.runs.at.at[1];
            pf_evidence_failure(j->out, again, what, sizeof what);
            pf_judging_decide(j, PF_JUDGED_SPEC_VIOLATED, "one order of a later instance: %s",
                              what);
            pf_evidence_clips(j->out, &f.race, again, back);
        }
        pf_flip_back_release(&f);
    }
    return decided;
}

/* Decides if one order fails and the other one does not. */
static void decide_failures(struct pf_judging *j)
{
    size_t n = j->g.at.len;
    unsigned tried = 0; /* failing runs whose instances were reversed */
    for (size_t i = 0; i < n && j->out->class == PF_JUDGED_UNDECIDED; i++) {
        if (!pf_judging_usable(pf_judging_run(j, i)) || !*pf_judging_run(j, i)->failure)
            continue;
        bool alternate = pf_judging_run(j, i)->run.alternate;
        if ((has_control(j) && twin_fails(j, pf_judging_run(j, i))) ||
            grow(j, !alternate, pf_judging_run(j, i),
                 alternate ? fails_in_primary : fails_in_alternate)) {
            if (!tried++ && instance_decides(j, pf_judging_run(j, i)))
                return;
            continue;
        }
        if (lacks_runs(j)) /* perhaps the other order fails as well */
            return;
        char what[300];
        pf_evidence_failure(j->out, pf_judging_run(j, i), what, sizeof what);
        pf_judging_decide(j, PF_JUDGED_SPEC_VIOLATED, "%s order: %s",
                          alternate ? "alternate" : "primary", what);
        pf_evidence_clips(j->out, j->race, pf_judging_run(j, alternate ? 0 : i),
                          pf_judging_run(j, alternate ? i : 1));
    }
}

/* A run of the alternate order was ended at its limit of events. */
static void decide_limited(struct pf_judging *j, const struct pf_judge_run *r)
{
    char reason[160];
    snprintf(reason, sizeof reason, "the alternate order did not end within %llu events",
             (unsigned long long)r->run.order.events);
    const struct pf_trace *now = pf_judge_run_trace(r);
    bool endless = now && pf_adhoc_sync_endless(now);
    pf_judge_run_trace_done(r);
    if (!endless) {
        pf_judging_decide(j, PF_JUDGED_UNDECIDED, "%s", reason);
        return;
    }
    /* A loop that counts its iterations looks the same, but ends. */
    struct pf_judge_wish wish = {
        .alternate = true, .recorded = r->run.recorded, .n = 1, .seed = r->run.seed};
    struct pf_error e;
    size_t at = j->g.at.len;
    j->g.events = r->run.order.events * ENDLESS_TIMES;
    pf_status s = pf_judge_runs_add(&j->g, &wish, 1, &e);
    j->g.events = 0;
    if (s == PF_OK && pf_judging_run(j, at)->run.order.limited)
        pf_judging_decide(
            j, PF_JUDGED_SPEC_VIOLATED,
            "alternate order: infinite loop: no thread can change the values that it reads");
    else
        pf_judging_decide(j, PF_JUDGED_UNDECIDED, "%s", reason);
}

static bool any_differs(const struct pf_judging *j)
{
    for (size_t i = 1; i < j->g.at.len; i++)
        if (pf_judging_usable(pf_judging_run(j, i)) &&
            !pf_judge_runs_same(pf_judging_run(j, 0), pf_judging_run(j, i)))
            return true;
    return false;
}

/* True if the runs along the recorded schedule have different results, although they differ in
 * nothing but the order of accesses to the memory of the race. Results with the same lines in
 * another order count as equal. */
static bool order_alone_matters(struct pf_judging *j)
{
    const struct pf_judge_case *r = j->race;
    if (!pf_judging_usable(pf_judging_run(j, 0)) || !pf_judging_usable(pf_judging_run(j, 1)) ||
        pf_judging_run(j, 1)->run.order.limited ||
        pf_judging_run(j, 0)->run.events != pf_judging_run(j, 1)->run.events ||
        pf_judge_runs_same(pf_judging_run(j, 0), pf_judging_run(j, 1)) ||
        pf_run_output_permuted(&pf_judging_run(j, 0)->output, &pf_judging_run(j, 1)->output))
        return false;
    const struct pf_trace *primary = pf_judge_run_trace(pf_judging_run(j, 0)),
                          *alternate = primary ? pf_judge_run_trace(pf_judging_run(j, 1)) : NULL;
    bool alone = alternate && pf_order_alone(r->t, r->a, r->b, primary, alternate);
    pf_judge_run_trace_done(pf_judging_run(j, 0));
    pf_judge_run_trace_done(pf_judging_run(j, 1));
    return alone;
}

/* True if the runs, of any order, have different results. */
static bool results_vary(const struct pf_judging *j)
{
    for (size_t i = 1; i < j->g.at.len; i++)
        if (pf_judging_usable(pf_judging_run(j, i)) && !*pf_judging_run(j, i)->failure &&
            !pf_judge_runs_same(pf_judging_run(j, 0), pf_judging_run(j, i)) &&
            !pf_run_output_permuted(&pf_judging_run(j, 0)->output, &pf_judging_run(j, i)->output))
            return true;
    return false;
}

/* Gives the race its class if two runs that differ only in the order of the accesses have different
 * results. */
static void decide_together(struct pf_judging *j)
{
    struct pf_order_together o;
    char what[300];
    if (!has_control(j) || j->g.hold_from != PF_NONE)
        return;
    bool differs = pf_order_together_differs(&o, j->how, j->race);
    if (differs && !o.fails && !j->repeated) { /* what differs may be a time that is shown */
        uint64_t before = j->own.unsteady;
        unsigned hidden = j->own.hidden.n;
        pf_unsteady_output_repeat(j);
        if (j->own.unsteady != before || j->own.hidden.n != hidden) {
            pf_order_together_release(&o);
            differs = pf_order_together_differs(&o, j->how, j->race);
        }
    }
    if (differs && o.fails) {
        bool alternate = *o.alternate->failure;
        pf_evidence_failure(j->out, alternate ? o.alternate : o.primary, what, sizeof what);
        pf_judging_decide(j, PF_JUDGED_SPEC_VIOLATED, "%s order: %s",
                          alternate ? "alternate" : "primary", what);
        pf_evidence_clips(j->out, j->race, o.primary, o.alternate);
    } else if (differs && !j->varies) {
        pf_judging_decide(j, PF_JUDGED_OUTPUT_DIFFERS, "the order alone changes the output");
        pf_evidence_output(j->out, o.primary, o.alternate);
        pf_evidence_clips(j->out, j->race, o.primary, o.alternate);
    }
    pf_order_together_release(&o);
}

/* Runs the twin of a run of the alternate order: the same schedule with the order flipped back.
 * True: it prints the same, so the race is not to blame. If the order alone changes the output, the
 * class is decided. */
static bool twin_prints_same(struct pf_judging *j, size_t i)
{
    struct pf_judge_run *r = &j->g.at.at[i];
    struct pf_flip_back f;
    r->has_twin = true;
    bool ran = pf_flip_back_run(&f, j->how, j->race, r), same = ran && pf_flip_back_same(&f, r);
    if (ran && !same && !j->varies && pf_flip_back_matters(&f, r)) {
        const struct pf_judge_run *again = &f.runs.at.at[0], *back = &f.runs.at.at[1];
        pf_judging_decide(j, PF_JUDGED_OUTPUT_DIFFERS,
                          "the order alone changes the output, under %s",
                          r->run.recorded ? "the recorded schedule" : "another schedule");
        pf_evidence_output(j->out, back, again);
        pf_evidence_clips(j->out, j->race, back, again);
    }
    pf_flip_back_release(&f);
    return same;
}

static void decide_outputs(struct pf_judging *j)
{
    size_t n = j->g.at.len;
    if (!j->how->as_paper && !j->repeated && any_differs(j))
        pf_unsteady_output_repeat(j);
    /* Other instances of the same race may give every result in the control group, too. */
    if (!j->how->as_paper && !j->varies && order_alone_matters(j)) {
        pf_judging_decide(j, PF_JUDGED_OUTPUT_DIFFERS, "the order alone changes the output");
        pf_evidence_output(j->out, pf_judging_run(j, 0), pf_judging_run(j, 1));
        pf_evidence_clips(j->out, j->race, pf_judging_run(j, 0), pf_judging_run(j, 1));
        return;
    }
    decide_together(j);
    for (size_t i = 0; i < n && j->out->class == PF_JUDGED_UNDECIDED; i++) {
        const struct pf_judge_run *r = pf_judging_run(j, i);
        if (!pf_judging_usable(r) || !r->run.alternate || *r->failure)
            continue;
        if (r->run.order.limited && !pf_judging_run(j, 0)->run.order.limited) {
            decide_limited(j, r);
            return;
        }
        /* The more runs of the alternate order there are, the more rare results they have: the twin
         * of the run tells more than any number of other runs. */
        if (is_in_control(j, r) || (has_control(j) && twin_prints_same(j, i)))
            continue;
        if (j->out->class != PF_JUDGED_UNDECIDED || grow(j, false, r, is_in_control))
            continue;
        if (lacks_runs(j)) /* perhaps the primary order has this result as well */
            return;
        unsigned single = pf_judge_runs_single(&j->g), all = pf_judge_runs_count(&j->g, false);
        if (!j->how->as_paper && pf_judge_runs_vary(single, all)) {
            if (pf_unsteady_output_drop_varying(j)) { /* compare the other descriptors */
                decide_outputs(j);
                return;
            }
            pf_judging_decide(
                j, PF_JUDGED_UNDECIDED,
                "the output varies anyway: %u of %u runs of the primary order have a result that "
                "no other one has",
                single, all);
            return;
        }
        pf_judging_decide(j, PF_JUDGED_OUTPUT_DIFFERS, "%s",
                          pf_judging_run(j, 0)->run.end.wait != pf_judging_run(j, i)->run.end.wait
                              ? "the order changes how the program ends"
                              : "the order changes the output");
        pf_evidence_output(j->out, pf_judging_run(j, 0), pf_judging_run(j, i));
        pf_evidence_clips(j->out, j->race, pf_judging_run(j, 0), pf_judging_run(j, i));
    }
}

/* All results of the alternate order are in the control group, but the race may still have caused
 * them. */
static void decide_flipped_back(struct pf_judging *j)
{
    for (size_t i = 1; i < j->g.at.len && j->out->class == PF_JUDGED_UNDECIDED; i++) {
        const struct pf_judge_run *r = pf_judging_run(j, i);
        if (r->run.alternate && pf_judging_usable(r) && !r->run.order.limited && !*r->failure &&
            !r->has_twin)
            (void)twin_prints_same(j, i);
    }
}

static void decide_harmless(struct pf_judging *j)
{
    unsigned k = 0;
    for (size_t i = 0; i < j->g.at.len; i++)
        k += pf_judging_usable(pf_judging_run(j, i)) && pf_judging_run(j, i)->run.alternate &&
             !pf_judging_run(j, i)->run.recorded && !*pf_judging_run(j, i)->failure;
    j->out->k = k ? k : 1;
    pf_judging_decide(j, PF_JUDGED_K_WITNESS,
                      "%u run%s of the alternate order gave results of the primary one", j->out->k,
                      j->out->k == 1 ? "" : "s");
    if (!j->how->brief)
        pf_evidence_clips(j->out, j->race, pf_judging_run(j, 0), pf_judging_run(j, 1));
}

/* Both orders fail along the recorded schedule, or under others. True: a requirement was violated;
 * requirements are dropped, and the outputs can be compared. False: class or reason is set. */
static bool decide_failing(struct pf_judging *j)
{
    const struct pf_judge_run *failed = pf_judging_run(j, pf_judging_run(j, 0)->failed ? 0 : 1);
    decide_together(j);
    if (j->out->class != PF_JUDGED_UNDECIDED)
        return false;
    if (failed->failed != PF_RUN_REQUIREMENT) {
        pf_judging_decide(j, PF_JUDGED_UNDECIDED,
                          "the program fails in the same way in both orders: %s", failed->failure);
        return false;
    }
    /* A violated requirement does not end a run: what the runs do apart from it is compared. */
    char *text = pf_mem_format("in both orders, so not because of this race: %s", failed->failure);
    pf_evidence_text(j->out, "failure", text);
    free(text);
    for (size_t i = 0; i < j->g.at.len; i++)
        if (j->g.at.at[i].failed == PF_RUN_REQUIREMENT) {
            j->g.at.at[i].failed = PF_RUN_FINE;
            *j->g.at.at[i].failure = 0;
        }
    j->lenient = *j->how;
    j->lenient.nrequirements = 0;
    j->how = j->g.how = &j->lenient;
    return true;
}

static void compare_orders(struct pf_judging *j)
{
    decide_failures(j);
    if (j->out->class != PF_JUDGED_UNDECIDED || *j->out->reason || is_cut(j))
        return;
    /* Failures that both orders have are not blamed on the race; the other runs are compared. */
    if ((*pf_judging_run(j, 0)->failure || *pf_judging_run(j, 1)->failure) && !decide_failing(j))
        return;
    decide_outputs(j);
    if (j->out->class != PF_JUDGED_UNDECIDED || *j->out->reason || is_cut(j))
        return;
    if (has_control(j) && results_vary(j))
        decide_flipped_back(j);
    if (j->out->class == PF_JUDGED_UNDECIDED)
        decide_harmless(j);
}

/* --- the runs of both orders --- */

/* False: the obstacle to the alternate order exists under every schedule. */
static bool may_be_reached(const struct pf_judging *j, const struct pf_judge_run *alternate)
{
    enum pf_order_obstacle why = alternate->run.order.obstacle;
    bool another_path = why == PF_ORDER_ENDED || why == PF_ORDER_EXIT;
    return j->out->class == PF_JUDGED_UNDECIDED ||
           (j->out->class == PF_JUDGED_SINGLE_ORDERING && another_path);
}

/* Tries further random schedules: perhaps the thread reaches its access only if other threads run
 * before it. True: the order could be reversed under one of them. */
static bool try_more_schedules(struct pf_judging *j)
{
    struct pf_judge_wish wish = {.alternate = true, .n = MORE_SCHEDULES, .seed = 100};
    struct pf_error e;
    if (j->how->as_paper || !j->how->schedules || pf_judge_runs_add(&j->g, &wish, 1, &e) != PF_OK)
        return false;
    pf_judging_choose_alternate(j);
    if (!pf_judging_usable(pf_judging_run(j, 1)))
        return false;
    j->out->class = PF_JUDGED_UNDECIDED;
    *j->out->reason = 0;
    return true;
}

/* Runs both orders, along the recorded schedule and under random ones. False: the orders
 * cannot be compared; class and reason are set. */
static bool run_both(struct pf_judging *j)
{
    for (unsigned n = 0;; n++) {
        struct pf_error e;
        pf_judge_runs_clear(&j->g);
        if (pf_judging_run_orders(j, &e) != PF_OK) {
            pf_judging_decide(j, PF_JUDGED_UNDECIDED, "%s", e.text);
            return false;
        }
        const struct pf_judge_run *primary = pf_judging_run(j, 0),
                                  *alternate = pf_judging_run(j, 1);
        const struct pf_judge_run *missing = !primary->run.ran     ? primary
                                             : !alternate->run.ran ? alternate
                                                                   : NULL;
        if (missing)
            pf_judging_decide(j, PF_JUDGED_UNDECIDED, "%s order: %s",
                              missing == primary ? "primary" : "alternate", missing->run.why);
        else if (!pf_order_run_enforced(&primary->run))
            pf_judging_decide(j, PF_JUDGED_UNDECIDED, "the recorded order did not happen again: %s",
                              pf_order_run_obstacle(&primary->run));
        else if (pf_order_run_enforced(&alternate->run))
            return true;
        else if (alternate->run.order.obstacle != PF_ORDER_LOCK) {
            pf_impossible_order_decide(j, alternate);
            if ((may_be_reached(j, alternate) && try_more_schedules(j)) ||
                pf_impossible_order_is_broken_lock(j))
                return true;
        } else if (pf_impossible_order_hold_before_lock(j, n))
            continue;
        return false;
    }
}

/* --- the methods --- */

static void judge_record_replay(struct pf_judging *j)
{
    bool ran = run_both(j);
    int same =
        ran ? pf_evidence_state(j->out, j->race, pf_judging_run(j, 0), pf_judging_run(j, 1)) : -1;
    if (same == 1)
        pf_judging_decide(j, PF_JUDGED_K_WITNESS,
                          "the memory after the race is the same in both orders");
    else
        pf_judging_decide(j, PF_JUDGED_SPEC_VIOLATED, "%s",
                          same == 0 ? "the memory after the race differs"
                                    : "the other order could not be replayed");
    j->out->k = same == 1;
}

static void judge_adhoc(struct pf_judging *j)
{
    if (run_both(j) || j->out->class != PF_JUDGED_SINGLE_ORDERING)
        pf_judging_decide(j, PF_JUDGED_UNDECIDED, "not ad hoc synchronisation");
}

/* Judges the race again: with other schedules before the race, and with other inputs. */
static void judge_further(struct pf_judging *j)
{
    if (j->out->class == PF_JUDGED_K_WITNESS)
        pf_judge_recordings(j->how, j->race, j->out);
    if (j->how->paths > 1 &&
        (j->out->class == PF_JUDGED_K_WITNESS || j->out->class == PF_JUDGED_OUTPUT_DIFFERS))
        pf_judge_paths(j->how, j->race, j->out);
}

/* Not all planned runs were made. What runs have shown remains: a failure, or another output. A
 * class that says that runs have shown nothing is not claimed; the reason says how far it came. */
static void withdraw_cut(struct pf_judging *j)
{
    struct pf_verdict *v = j->out;
    char so_far[sizeof v->reason];
    v->incomplete = true;
    if (v->class <= PF_JUDGED_OUTPUT_DIFFERS)
        return;
    snprintf(so_far, sizeof so_far, "%.300s", v->class == PF_JUDGED_UNDECIDED ? "" : v->reason);
    v->k = 0;
    pf_judging_decide(
        j, PF_JUDGED_UNDECIDED, "the budget was used up after %llu runs of the program%s%s",
        (unsigned long long)j->race->clock->runs, *so_far ? "; so far: " : "", so_far);
}

void pf_judge_race(const struct pf_judge_settings *how, const struct pf_judge_case *race,
                   struct pf_verdict *out)
{
    struct pf_judging j = {.how = how, .own = *race, .out = out};
    uint64_t began = pf_now_ms(), used = pf_cpu_ms(false);
    struct pf_judge_clock clock = {.end_ms = how->end_ms,
                                   .fair_ms = how->fair_ms,
                                   .most = how->most_runs,
                                   .should_stop = how->should_stop,
                                   .arg = how->arg};
    pf_fair_clock_begin(&clock.fair);
    j.race = &j.own;
    if (!j.own.clock)
        j.own.clock = &clock;
    *out = (struct pf_verdict){.class = PF_JUDGED_UNDECIDED, .paths = 1, .memory = "sc"};
    j.g = (struct pf_judge_runs){.how = how, .race = &j.own, .hold_from = PF_NONE};
    out->adhoc = pf_adhoc_sync_is_test(race->t, race->a) || pf_adhoc_sync_is_test(race->t, race->b);
    if (pf_event_creates(&race->t->events.at[race->a])) {
        pf_judging_decide(&j, PF_JUDGED_SINGLE_ORDERING,
                          "the memory is allocated by T%u before it can be used",
                          pf_judging_thread(&j, race->a));
    } else if (how->method == PF_METHOD_RECORD_REPLAY) {
        judge_record_replay(&j);
    } else if (how->method == PF_METHOD_ADHOC) {
        judge_adhoc(&j);
    } else {
        bool enforced = run_both(&j);
        if (enforced)
            compare_orders(&j);
        if (how->memory != PF_MEMORY_SC && j.g.at.len && pf_judging_run(&j, 0)->run.ran)
            pf_stale_runs_judge(&j.g, enforced, out);
    }
    out->schedules = pf_judge_runs_count(&j.g, true);
    out->control = pf_judge_runs_count(&j.g, false);
    if (how->method == PF_METHOD_BOTH_ORDERS)
        judge_further(&j);
    if (is_cut(&j))
        withdraw_cut(&j);
    pf_judge_runs_clear(&j.g);
    out->ms = pf_now_ms() - began;
    out->cpu_ms = pf_cpu_ms(false) - used;
}
