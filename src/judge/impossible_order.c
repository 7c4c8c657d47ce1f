/* impossible_order.c - see impossible_order.h. */
#include "impossible_order.h"
#include "adhoc_sync.h"
#include "held_locks.h"
#include "order_obstacle.h"
#include "race_events.h"
#include "text_format.h"

/* --- locks in the way --- */

bool pf_impossible_order_hold_before_lock(struct pf_judging *j, unsigned n)
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
        pf_judging_decide(j, PF_JUDGED_SINGLE_ORDERING, "lock %s orders the two accesses",
                          pf_trace_text(t, pf_trace_role_name(t, PF_ROLE_LOCK, lock)));
    else if (from == PF_NONE)
        pf_judging_decide(j, PF_JUDGED_UNDECIDED,
                          "T%u waits for a lock that T%u acquired at an unknown position",
                          pf_judging_thread(j, j->race->b), pf_judging_thread(j, j->race->a));
    pf_pool_release(&pool);
    j->g.hold_from = from;
    return from != PF_NONE;
}

/* --- an order that cannot be enforced --- */

static void decide_spin(struct pf_judging *j, const struct pf_judge_run *alt,
                        const struct pf_trace *now)
{
    struct pf_adhoc_sync s;
    uint32_t waiter = pf_judging_thread(j, j->race->b);
    if (pf_adhoc_sync_loop(now, waiter, alt->run.order.released, &s)) {
        j->polled = s.address;
        pf_judging_decide(j, PF_JUDGED_SINGLE_ORDERING,
                          "ad hoc synchronisation: T%u spins on %s at %s until T%u writes it at %s",
                          s.tester, s.variable, s.test, s.writer, s.write);
        return;
    }
    if (alt->run.order.limited && pf_adhoc_sync_endless(now))
        pf_judging_decide(j, PF_JUDGED_SPEC_VIOLATED,
                          "infinite loop: no thread can end the loop of T%u", waiter);
    else
        pf_judging_decide(j, PF_JUDGED_UNDECIDED,
                          "T%u did not reach its access while T%u was held before its own", waiter,
                          pf_judging_thread(j, j->race->a));
}

static void decide_wait(struct pf_judging *j, const struct pf_judge_run *alt,
                        const struct pf_trace *now)
{
    uint32_t waiter = pf_judging_thread(j, j->race->b), last;
    char at[200] = "an unknown position";
    bool more = pf_obstacle_went_on(now, waiter, alt->run.order.released, &last);
    if (last != PF_NONE)
        pf_adhoc_sync_position(now, last, at, sizeof at);
    if (more)
        pf_judging_decide(j, PF_JUDGED_SINGLE_ORDERING, "T%u waits at %s until T%u continues",
                          waiter, at, pf_judging_thread(j, j->race->a));
    else
        pf_judging_decide(j, PF_JUDGED_UNDECIDED, "T%u waits at %s, and it is not known for what",
                          waiter, at);
}

static void decide_not_reached(struct pf_judging *j, const struct pf_trace *now)
{
    struct pf_adhoc_sync s;
    if (pf_obstacle_created_later(j->race->t, j->race->a, j->race->b))
        pf_judging_decide(j, PF_JUDGED_SINGLE_ORDERING, "T%u is created after the access of T%u",
                          pf_judging_thread(j, j->race->b), pf_judging_thread(j, j->race->a));
    else if (pf_adhoc_sync_guard(j->race->t, j->race->a, j->race->b, now, &s))
        pf_judging_decide(
            j, PF_JUDGED_SINGLE_ORDERING,
            "ad hoc synchronisation: T%u accesses it only if %s, tested at %s, was written by "
            "T%u at %s",
            s.tester, s.variable, s.test, s.writer, s.write);
    else
        pf_judging_decide(j, PF_JUDGED_UNDECIDED,
                          "T%u took another path and did not reach its access before that of T%u",
                          pf_judging_thread(j, j->race->b), pf_judging_thread(j, j->race->a));
}

void pf_impossible_order_decide(struct pf_judging *j, const struct pf_judge_run *alt)
{
    enum pf_order_obstacle why = alt->run.order.obstacle;
    if (j->how->as_paper) {
        pf_judging_decide(j, *alt->failure ? PF_JUDGED_SPEC_VIOLATED : PF_JUDGED_SINGLE_ORDERING,
                          *alt->failure ? "%s" : "the order could not be reversed: %s",
                          *alt->failure ? alt->failure : pf_order_run_obstacle(&alt->run));
        return;
    }
    if (!j->how->adhoc || why == PF_ORDER_EXTERNAL) {
        pf_judging_decide(j, PF_JUDGED_UNDECIDED, "the order could not be reversed: %s",
                          pf_order_run_obstacle(&alt->run));
        return;
    }
    if (*alt->failure && !pf_judge_runs_failed(&j->g, false, alt)) {
        pf_judging_decide(j, PF_JUDGED_SPEC_VIOLATED, "%s while T%u was delayed", alt->failure,
                          pf_judging_thread(j, j->race->a));
        return;
    }
    const struct pf_trace *now = pf_judge_run_trace(alt);
    if (!now)
        pf_judging_decide(j, PF_JUDGED_UNDECIDED,
                          "the run of the other order could not be replayed");
    else if (why == PF_ORDER_SPIN)
        decide_spin(j, alt, now);
    else if (why == PF_ORDER_WAIT)
        decide_wait(j, alt, now);
    else
        decide_not_reached(j, now);
    pf_judge_run_trace_done(alt);
}

/* --- a lock made by hand --- */

/* True if the order was reversed, and no thread waited for the other one in between. */
static bool is_unordered(const struct pf_judging *j, const struct pf_judge_run *r)
{
    const struct pf_trace *now = pf_judging_usable(r) ? pf_judge_run_trace(r) : NULL;
    uint32_t b = now ? pf_race_events_numbered(now, pf_judging_thread(j, j->race->b),
                                               r->run.order.happened[0])
                     : PF_NONE;
    uint32_t a = now ? pf_race_events_numbered(now, pf_judging_thread(j, j->race->a),
                                               r->run.order.happened[1])
                     : PF_NONE;
    return a != PF_NONE && b != PF_NONE && !pf_adhoc_sync_waited(now, b, a);
}

bool pf_impossible_order_is_broken_lock(struct pf_judging *j)
{
    uint32_t claim = j->polled && j->out->class == PF_JUDGED_SINGLE_ORDERING
                         ? pf_adhoc_sync_claim(j->race->t, j->race->a, j->polled)
                         : PF_NONE;
    struct pf_judge_runs old = j->g;
    struct pf_error e;
    if (claim == PF_NONE || j->how->as_paper || j->how->method != PF_METHOD_BOTH_ORDERS)
        return false;
    j->g = (struct pf_judge_runs){
        .how = old.how, .race = old.race, .hold_from = claim, .groups = old.groups};
    bool broken = pf_judging_run_orders(j, &e) == PF_OK &&
                  pf_judging_usable(pf_judging_run(j, 0)) && is_unordered(j, pf_judging_run(j, 1));
    struct pf_judge_runs unused = broken ? old : j->g;
    j->g = broken ? j->g : old;
    pf_judge_runs_clear(&unused);
    if (broken)
        pf_judging_decide(j, PF_JUDGED_UNDECIDED, "%s", "");
    return broken;
}
