/* judge.c - see judge.h. */
#define _GNU_SOURCE
#include "judge.h"
#include "adhoc_sync.h"
#include "duration.h"
#include "evidence.h"
#include "flip_back.h"
#include "held_locks.h"
#include "judge_again.h"
#include "judge_paths.h"
#include "judge_runs.h"
#include "load_trace.h"
#include "message.h"
#include "order_alone.h"
#include "order_obstacle.h"
#include "order_together.h"
#include "stale_runs.h"
#include "text_format.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define VERB "judge"
/* If more than one in 10 runs of the primary order has a result of its own, a new result means
 * nothing. */
#define VARYING 10
#define MORE_SCHEDULES 12 /* tried if no schedule so far has reversed the order */
#define ENDLESS_TIMES 10 /* factor for the event limit of a run whose loop seems to be endless */

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

/* --- one race --- */

struct judging {
    const struct pf_judge_settings *how;
    const struct pf_judge_case *race;
    struct pf_judge_runs g;
    struct pf_verdict *out;
};

static void decide(struct judging *j, enum pf_judge_class class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void decide(struct judging *j, enum pf_judge_class class, const char *format, ...)
{
    va_list args;
    j->out->class = class;
    va_start(args, format);
    vsnprintf(j->out->reason, sizeof j->out->reason, format, args);
    va_end(args);
}

static uint32_t thread_of(const struct judging *j, uint32_t event)
{
    const struct pf_trace *t = j->race->t;
    return t->recorded.thread.at[t->events.at[event].thread];
}

static const struct pf_judge_run *run_at(const struct judging *j, size_t i)
{
    return &j->g.at.at[i];
}

/* Loads the trace of a run; false: it could not be replayed. */
static bool load_run(const struct pf_judge_run *r, struct pf_trace *t)
{
    struct pf_error ignored;
    pf_trace_init(t);
    return pf_load_trace(VERB, r->clip, t, &ignored) == PF_OK;
}

/* --- locks in the way --- */

/* The other thread waits for a lock that the thread of a holds at a, so it is not enough to hold
 * the latter before a. Sets hold_from to an earlier event before which it is held instead: its
 * acquire of the n-th innermost lock. Returns false if there is none; the class is then decided. */
static bool hold_before_lock(struct judging *j, unsigned n)
{
    const struct pf_trace *t = j->race->t;
    struct pf_pool pool;
    const uint32_t *acquires;
    pf_pool_init_malloc(&pool);
    const struct pf_held_locks *held = pf_mem_checked(pf_held_locks_make(t, &pool));
    uint32_t lock = pf_obstacle_common_lock(t, held, j->race->a, j->race->b), from = PF_NONE;
    uint32_t count = pf_held_locks_at(held, t, j->race->a, &acquires);
    if (lock == PF_NONE && n < count && n < j->how->prefixes)
        from = acquires[count - 1 - n];
    else if (lock == PF_NONE && count)
        lock = pf_event_lock(&t->events.at[acquires[0]]);
    if (from == PF_NONE && lock != PF_NONE)
        decide(j, PF_JUDGED_SINGLE_ORDERING, "lock %s orders the two accesses",
               pf_trace_text(t, pf_trace_role_name(t, PF_ROLE_LOCK, lock)));
    else if (from == PF_NONE)
        decide(j, PF_JUDGED_UNDECIDED,
               "T%u waits for a lock that T%u acquired at an unknown position",
               thread_of(j, j->race->b), thread_of(j, j->race->a));
    pf_pool_release(&pool);
    j->g.hold_from = from;
    return from != PF_NONE;
}

/* --- an order that cannot be enforced --- */

static void decide_spin(struct judging *j, const struct pf_judge_run *alt,
                        const struct pf_trace *now)
{
    struct pf_adhoc_sync s;
    uint32_t waiter = thread_of(j, j->race->b);
    if (pf_adhoc_sync_loop(now, waiter, alt->run.order.released, &s)) {
        decide(j, PF_JUDGED_SINGLE_ORDERING,
               "ad hoc synchronisation: T%u spins on %s at %s until T%u writes it at %s", s.tester,
               s.variable, s.test, s.writer, s.write);
        return;
    }
    if (alt->run.order.limited && pf_adhoc_sync_endless(now))
        decide(j, PF_JUDGED_SPEC_VIOLATED, "infinite loop: no thread can end the loop of T%u",
               waiter);
    else
        decide(j, PF_JUDGED_UNDECIDED,
               "T%u did not reach its access while T%u was held before its own", waiter,
               thread_of(j, j->race->a));
}

static void decide_wait(struct judging *j, const struct pf_judge_run *alt,
                        const struct pf_trace *now)
{
    uint32_t waiter = thread_of(j, j->race->b), last;
    char at[200] = "an unknown position";
    bool more = pf_obstacle_went_on(now, waiter, alt->run.order.released, &last);
    if (last != PF_NONE)
        pf_adhoc_sync_position(now, last, at, sizeof at);
    if (more)
        decide(j, PF_JUDGED_SINGLE_ORDERING, "T%u waits at %s until T%u continues", waiter, at,
               thread_of(j, j->race->a));
    else
        decide(j, PF_JUDGED_UNDECIDED, "T%u waits at %s, and it is not known for what", waiter, at);
}

static void decide_not_reached(struct judging *j, const struct pf_trace *now)
{
    struct pf_adhoc_sync s;
    if (pf_obstacle_created_later(j->race->t, j->race->a, j->race->b))
        decide(j, PF_JUDGED_SINGLE_ORDERING, "T%u is created after the access of T%u",
               thread_of(j, j->race->b), thread_of(j, j->race->a));
    else if (pf_adhoc_sync_guard(j->race->t, j->race->a, j->race->b, now, &s))
        decide(j, PF_JUDGED_SINGLE_ORDERING,
               "ad hoc synchronisation: T%u accesses it only if %s, tested at %s, was written by "
               "T%u at %s",
               s.tester, s.variable, s.test, s.writer, s.write);
    else
        decide(j, PF_JUDGED_UNDECIDED,
               "T%u took another path and did not reach its access before that of T%u",
               thread_of(j, j->race->b), thread_of(j, j->race->a));
}

static void decide_unenforced(struct judging *j, const struct pf_judge_run *alt)
{
    struct pf_trace now;
    enum pf_order_obstacle why = alt->run.order.obstacle;
    if (j->how->as_paper) {
        decide(j, *alt->failure ? PF_JUDGED_SPEC_VIOLATED : PF_JUDGED_SINGLE_ORDERING,
               *alt->failure ? "%s" : "the order could not be reversed: %s",
               *alt->failure ? alt->failure : pf_order_run_obstacle(&alt->run));
        return;
    }
    if (!j->how->adhoc || why == PF_ORDER_EXTERNAL) {
        decide(j, PF_JUDGED_UNDECIDED, "the order could not be reversed: %s",
               pf_order_run_obstacle(&alt->run));
        return;
    }
    if (*alt->failure && !pf_judge_runs_failed(&j->g, false, alt->failure)) {
        decide(j, PF_JUDGED_SPEC_VIOLATED, "%s while T%u was delayed", alt->failure,
               thread_of(j, j->race->a));
        return;
    }
    if (!load_run(alt, &now))
        decide(j, PF_JUDGED_UNDECIDED, "the run of the other order could not be replayed");
    else if (why == PF_ORDER_SPIN)
        decide_spin(j, alt, &now);
    else if (why == PF_ORDER_WAIT)
        decide_wait(j, alt, &now);
    else
        decide_not_reached(j, &now);
    pf_trace_release(&now);
}

/* --- the two orders are compared --- */

/* Adds runs of one order until `found` holds for the run, or there are enough. */
static bool grow(struct judging *j, bool alternate, const struct pf_judge_run *r,
                 bool (*found)(const struct judging *, const struct pf_judge_run *))
{
    struct pf_judge_run wanted = *r; /* the list of runs may move */
    struct pf_error e;
    for (unsigned step = 6; !found(j, &wanted); step += 10) {
        unsigned have = pf_judge_runs_count(&j->g, alternate);
        if (j->how->as_paper || have >= j->how->control)
            return false;
        unsigned more = step < j->how->control - have ? step : j->how->control - have;
        struct pf_judge_wish wish = {.alternate = alternate, .n = more, .seed = 1000 + have};
        if (pf_judge_runs_add(&j->g, &wish, 1, &e) != PF_OK ||
            pf_judge_runs_count(&j->g, alternate) == have)
            return false;
    }
    return true;
}

static bool fails_in_primary(const struct judging *j, const struct pf_judge_run *r)
{
    return pf_judge_runs_failed(&j->g, false, r->failure);
}

static bool fails_in_alternate(const struct judging *j, const struct pf_judge_run *r)
{
    return pf_judge_runs_failed(&j->g, true, r->failure);
}

static bool is_in_control(const struct judging *j, const struct pf_judge_run *r)
{
    return pf_judge_runs_in_control(&j->g, r);
}

static bool is_usable(const struct pf_judge_run *r)
{
    return r->run.ran && pf_order_run_enforced(&r->run);
}

/* True if the run that differs from this one in the order only fails in the same way. */
static bool twin_fails(struct judging *j, const struct pf_judge_run *r)
{
    struct pf_flip_back f;
    bool fails = pf_flip_back_run(&f, j->how, j->race, r) && pf_flip_back_fails(&f, r);
    pf_flip_back_release(&f);
    return fails;
}

/* Decides if one order fails and the other one does not. */
static void decide_failures(struct judging *j)
{
    size_t n = j->g.at.len;
    for (size_t i = 0; i < n && j->out->class == PF_JUDGED_UNDECIDED; i++) {
        if (!is_usable(run_at(j, i)) || !*run_at(j, i)->failure)
            continue;
        bool alternate = run_at(j, i)->run.alternate;
        if (grow(j, !alternate, run_at(j, i), alternate ? fails_in_primary : fails_in_alternate) ||
            (!j->how->as_paper && j->how->control && twin_fails(j, run_at(j, i))))
            continue;
        char what[300];
        pf_evidence_failure(j->out, run_at(j, i), what, sizeof what);
        decide(j, PF_JUDGED_SPEC_VIOLATED, "%s order: %s", alternate ? "alternate" : "primary",
               what);
        pf_evidence_clips(j->out, j->race, run_at(j, alternate ? 0 : i),
                          run_at(j, alternate ? i : 1));
    }
}

/* A run of the alternate order was ended at its limit of events. */
static void decide_limited(struct judging *j, const struct pf_judge_run *r)
{
    struct pf_trace now;
    char reason[160];
    snprintf(reason, sizeof reason, "the alternate order did not end within %llu events",
             (unsigned long long)r->run.order.events);
    bool endless = load_run(r, &now) && pf_adhoc_sync_endless(&now);
    pf_trace_release(&now);
    if (!endless) {
        decide(j, PF_JUDGED_UNDECIDED, "%s", reason);
        return;
    }
    /* A loop that counts its iterations looks the same, but ends. */
    struct pf_judge_wish wish = {.alternate = true, .recorded = r->run.recorded, .n = 1};
    struct pf_error e;
    size_t at = j->g.at.len;
    (void)sscanf(r->run.policy, "random:%u", &wish.seed);
    j->g.events = r->run.order.events * ENDLESS_TIMES;
    pf_status s = pf_judge_runs_add(&j->g, &wish, 1, &e);
    j->g.events = 0;
    if (s == PF_OK && run_at(j, at)->run.order.limited)
        decide(j, PF_JUDGED_SPEC_VIOLATED,
               "alternate order: infinite loop: no thread can change the values that it reads");
    else
        decide(j, PF_JUDGED_UNDECIDED, "%s", reason);
}

/* True if a second run of the primary order along the recorded schedule has another result: then
 * something outside the program changes the output, such as a random file name. */
static bool varies_by_itself(struct judging *j)
{
    struct pf_judge_wish wish = {.recorded = true, .n = 1};
    struct pf_error e;
    size_t at = j->g.at.len;
    return pf_judge_runs_add(&j->g, &wish, 1, &e) != PF_OK || !is_usable(run_at(j, at)) ||
           !pf_judge_runs_same(run_at(j, 0), run_at(j, at));
}

/* True if the runs along the recorded schedule have different results, not only their lines in
 * another order, and differ in nothing else but the order of accesses to the memory of the race. */
static bool order_alone_matters(struct judging *j)
{
    struct pf_trace primary, alternate;
    const struct pf_judge_case *r = j->race;
    if (!is_usable(run_at(j, 0)) || !is_usable(run_at(j, 1)) || run_at(j, 1)->run.order.limited ||
        pf_judge_runs_same(run_at(j, 0), run_at(j, 1)) ||
        pf_run_output_permuted(&run_at(j, 0)->output, &run_at(j, 1)->output))
        return false;
    bool loaded = load_run(run_at(j, 0), &primary);
    loaded &= load_run(run_at(j, 1), &alternate);
    bool alone = loaded && pf_order_alone(r->t, r->a, r->b, &primary, &alternate);
    pf_trace_release(&primary);
    pf_trace_release(&alternate);
    return alone && !varies_by_itself(j);
}

/* True if the runs, of any order, have different results. */
static bool results_vary(const struct judging *j)
{
    for (size_t i = 1; i < j->g.at.len; i++)
        if (is_usable(run_at(j, i)) && !*run_at(j, i)->failure &&
            !pf_judge_runs_same(run_at(j, 0), run_at(j, i)) &&
            !pf_run_output_permuted(&run_at(j, 0)->output, &run_at(j, i)->output))
            return true;
    return false;
}

/* Gives the race its class if the order changes the output of runs that differ in nothing else. */
static void decide_together(struct judging *j)
{
    struct pf_order_together o;
    if (j->how->as_paper || !j->how->control || j->g.hold_from != PF_NONE)
        return;
    if (pf_order_together_differs(&o, j->how, j->race)) {
        decide(j, PF_JUDGED_OUTPUT_DIFFERS, "the order alone changes the output");
        pf_evidence_output(j->out, o.primary, o.alternate);
        pf_evidence_clips(j->out, j->race, o.primary, o.alternate);
    }
    pf_order_together_release(&o);
}

static void decide_outputs(struct judging *j)
{
    size_t n = j->g.at.len;
    /* Other instances of the same race may give every result in the control group, too. */
    if (!j->how->as_paper && order_alone_matters(j)) {
        decide(j, PF_JUDGED_OUTPUT_DIFFERS, "the order alone changes the output");
        pf_evidence_output(j->out, run_at(j, 0), run_at(j, 1));
        pf_evidence_clips(j->out, j->race, run_at(j, 0), run_at(j, 1));
        return;
    }
    decide_together(j);
    for (size_t i = 0; i < n && j->out->class == PF_JUDGED_UNDECIDED; i++) {
        const struct pf_judge_run *r = run_at(j, i);
        if (!is_usable(r) || !r->run.alternate || *r->failure)
            continue;
        if (r->run.order.limited && !run_at(j, 0)->run.order.limited) {
            decide_limited(j, r);
            return;
        }
        if (grow(j, false, r, is_in_control))
            continue;
        unsigned single = pf_judge_runs_single(&j->g), all = pf_judge_runs_count(&j->g, false);
        if (!j->how->as_paper && single > 1 && single * VARYING > all) {
            decide(
                j, PF_JUDGED_UNDECIDED,
                "the output varies anyway: %u of %u runs of the primary order have a result that "
                "no other one has",
                single, all);
            return;
        }
        decide(j, PF_JUDGED_OUTPUT_DIFFERS, "%s",
               run_at(j, 0)->run.end.wait != run_at(j, i)->run.end.wait
                   ? "the order changes how the program ends"
                   : "the order changes the output");
        pf_evidence_output(j->out, run_at(j, 0), run_at(j, i));
        pf_evidence_clips(j->out, j->race, run_at(j, 0), run_at(j, i));
    }
}

/* All results of the alternate order are in the control group, but the race may still have caused
 * them. */
static void decide_flipped_back(struct judging *j)
{
    for (size_t i = 1; i < j->g.at.len && j->out->class == PF_JUDGED_UNDECIDED; i++) {
        const struct pf_judge_run *r = run_at(j, i);
        struct pf_flip_back f;
        if (!r->run.alternate || !is_usable(r) || r->run.order.limited || *r->failure)
            continue;
        if (pf_flip_back_run(&f, j->how, j->race, r) && pf_flip_back_matters(&f, r)) {
            const struct pf_judge_run *again = &f.runs.at.at[0], *back = &f.runs.at.at[1];
            decide(j, PF_JUDGED_OUTPUT_DIFFERS, "the order alone changes the output, under %s",
                   r->run.recorded ? "the recorded schedule" : "another schedule");
            pf_evidence_output(j->out, back, again);
            pf_evidence_clips(j->out, j->race, back, again);
        }
        pf_flip_back_release(&f);
    }
}

static void decide_harmless(struct judging *j)
{
    unsigned k = 0;
    for (size_t i = 0; i < j->g.at.len; i++)
        k += is_usable(run_at(j, i)) && run_at(j, i)->run.alternate &&
             !run_at(j, i)->run.recorded && !*run_at(j, i)->failure;
    j->out->k = k ? k : 1;
    decide(j, PF_JUDGED_K_WITNESS,
           "%u run%s of the alternate order gave results of the primary one", j->out->k,
           j->out->k == 1 ? "" : "s");
    if (!j->how->brief)
        pf_evidence_clips(j->out, j->race, run_at(j, 0), run_at(j, 1));
}

static void compare_orders(struct judging *j)
{
    decide_failures(j);
    if (j->out->class != PF_JUDGED_UNDECIDED)
        return;
    /* Failures that both orders have are not blamed on the race; the other runs are compared. */
    if (*run_at(j, 0)->failure || *run_at(j, 1)->failure) {
        decide(j, PF_JUDGED_UNDECIDED, "the program fails in the same way in both orders: %s",
               *run_at(j, 0)->failure ? run_at(j, 0)->failure : run_at(j, 1)->failure);
        return;
    }
    decide_outputs(j);
    if (j->out->class != PF_JUDGED_UNDECIDED || *j->out->reason)
        return;
    if (!j->how->as_paper && j->how->control && results_vary(j))
        decide_flipped_back(j);
    if (j->out->class == PF_JUDGED_UNDECIDED)
        decide_harmless(j);
}

/* --- the methods --- */

/* If the order could not be reversed along the recorded schedule, but under a random one, that run
 * takes its place: the thread may have needed another one to reach its access. */
static void choose_alternate(struct judging *j)
{
    struct pf_judge_run *at = j->g.at.at;
    for (size_t i = 2; i < j->g.at.len && !is_usable(&at[1]); i++)
        if (at[i].run.alternate && is_usable(&at[i])) {
            struct pf_judge_run other = at[1];
            at[1] = at[i];
            at[i] = other;
        }
}

/* False: the obstacle to the alternate order exists under every schedule. */
static bool may_be_reached(const struct judging *j, const struct pf_judge_run *alternate)
{
    enum pf_order_obstacle why = alternate->run.order.obstacle;
    bool another_path = why == PF_ORDER_ENDED || why == PF_ORDER_EXIT;
    return j->out->class == PF_JUDGED_UNDECIDED ||
           (j->out->class == PF_JUDGED_SINGLE_ORDERING && another_path);
}

/* Tries further random schedules: perhaps the thread reaches its access only if other threads run
 * before it. True: the order could be reversed under one of them. */
static bool try_more_schedules(struct judging *j)
{
    struct pf_judge_wish wish = {.alternate = true, .n = MORE_SCHEDULES, .seed = 100};
    struct pf_error e;
    if (j->how->as_paper || !j->how->schedules || pf_judge_runs_add(&j->g, &wish, 1, &e) != PF_OK)
        return false;
    choose_alternate(j);
    if (!is_usable(run_at(j, 1)))
        return false;
    j->out->class = PF_JUDGED_UNDECIDED;
    *j->out->reason = 0;
    return true;
}

/* Runs both orders, along the recorded schedule and under random ones. False: the class is
 * decided, because the order could not be reversed. */
static bool run_both(struct judging *j)
{
    for (unsigned n = 0;; n++) {
        struct pf_judge_wish wishes[] = {
            {.recorded = true, .n = 1},
            {.alternate = true, .recorded = true, .n = 1},
            {.n = j->how->as_paper || !j->how->control ? 0 : j->how->schedules, .seed = 1},
            {.alternate = true, .n = j->how->schedules, .seed = 1},
        };
        struct pf_error e;
        pf_judge_runs_clear(&j->g);
        if (pf_judge_runs_add(&j->g, wishes, sizeof wishes / sizeof *wishes, &e) != PF_OK) {
            decide(j, PF_JUDGED_UNDECIDED, "%s", e.text);
            return false;
        }
        if (!j->how->as_paper)
            choose_alternate(j);
        const struct pf_judge_run *primary = run_at(j, 0), *alternate = run_at(j, 1);
        const struct pf_judge_run *missing = !primary->run.ran     ? primary
                                             : !alternate->run.ran ? alternate
                                                                   : NULL;
        if (missing)
            decide(j, PF_JUDGED_UNDECIDED, "%s order: %s",
                   missing == primary ? "primary" : "alternate", missing->run.why);
        else if (!pf_order_run_enforced(&primary->run))
            decide(j, PF_JUDGED_UNDECIDED, "the recorded order did not happen again: %s",
                   pf_order_run_obstacle(&primary->run));
        else if (pf_order_run_enforced(&alternate->run))
            return true;
        else if (alternate->run.order.obstacle != PF_ORDER_LOCK) {
            decide_unenforced(j, alternate);
            if (may_be_reached(j, alternate) && try_more_schedules(j))
                return true;
        } else if (hold_before_lock(j, n))
            continue;
        return false;
    }
}

static void judge_record_replay(struct judging *j)
{
    bool ran = run_both(j);
    int same = ran ? pf_evidence_state(j->out, j->race, run_at(j, 0), run_at(j, 1)) : -1;
    if (same == 1)
        decide(j, PF_JUDGED_K_WITNESS, "the memory after the race is the same in both orders");
    else
        decide(j, PF_JUDGED_SPEC_VIOLATED, "%s",
               same == 0 ? "the memory after the race differs"
                         : "the other order could not be replayed");
    j->out->k = same == 1;
}

static void judge_adhoc(struct judging *j)
{
    if (run_both(j) || j->out->class != PF_JUDGED_SINGLE_ORDERING)
        decide(j, PF_JUDGED_UNDECIDED, "not ad hoc synchronisation");
}

/* Judges the race again: with other schedules before the race, and with other inputs. */
static void judge_further(struct judging *j)
{
    uint64_t end = j->how->limit_ms ? j->g.began + j->how->limit_ms : 0;
    if (j->out->class == PF_JUDGED_K_WITNESS)
        pf_judge_recordings(j->how, j->race, end, j->out);
    if (j->how->paths > 1 &&
        (j->out->class == PF_JUDGED_K_WITNESS || j->out->class == PF_JUDGED_OUTPUT_DIFFERS))
        pf_judge_paths(j->how, j->race, end, j->out);
}

void pf_judge_race(const struct pf_judge_settings *how, const struct pf_judge_case *race,
                   struct pf_verdict *out)
{
    struct judging j = {.how = how, .race = race, .out = out};
    *out = (struct pf_verdict){.class = PF_JUDGED_UNDECIDED, .paths = 1, .memory = "sc"};
    j.g = (struct pf_judge_runs){
        .how = how, .race = race, .hold_from = PF_NONE, .began = pf_now_ms()};
    out->adhoc = pf_adhoc_sync_is_test(race->t, race->a) || pf_adhoc_sync_is_test(race->t, race->b);
    if (how->method == PF_METHOD_RECORD_REPLAY) {
        judge_record_replay(&j);
    } else if (how->method == PF_METHOD_ADHOC) {
        judge_adhoc(&j);
    } else {
        bool enforced = run_both(&j);
        if (enforced)
            compare_orders(&j);
        if (how->memory != PF_MEMORY_SC && j.g.at.len && run_at(&j, 0)->run.ran)
            pf_stale_runs_judge(&j.g, enforced, out);
    }
    out->schedules = pf_judge_runs_count(&j.g, true);
    out->control = pf_judge_runs_count(&j.g, false);
    if (how->method == PF_METHOD_BOTH_ORDERS)
        judge_further(&j);
    pf_judge_runs_clear(&j.g);
    out->ms = pf_now_ms() - j.g.began;
}
