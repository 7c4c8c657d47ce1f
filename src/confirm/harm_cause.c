/* harm_cause.c - see harm_cause.h. */
#define _GNU_SOURCE
#include "harm_cause.h"
#include "both_orders.h"
#include "failed_stack.h"
#include "held_locks.h"
#include "text_format.h"
#include "vector.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HELD = 4, /* held tails of the other order */
    FREE = 8, /* free tails of each order */
    RUNS = 1 + HELD + 2 * FREE,
    /* most locks before which the thread of the first access is held in turn, because the other
     * thread needs them first */
    HOLDS = 4
};

static bool fails_alike(const struct pf_harm_question *q, const struct pf_order_run *r)
{
    const struct pf_clip_end *x = &q->clip->end, *y = &r->end;
    if (q->memory)
        return y->errors && !strcmp(y->error, q->memory);
    if (r->order.limited || x->outcome != y->outcome)
        return false;
    if (x->outcome == PF_OUTCOME_NONE && x->wait != y->wait)
        return false;
    return !*x->failure || !*y->failure ||
           !strcmp(pf_clip_failed_stack(x), pf_clip_failed_stack(y));
}

static void plan_runs(struct pf_order_run *runs)
{
    uint32_t n = 0;
    runs[n++] = (struct pf_order_run){.recorded = true, .policy = "rr"};
    for (unsigned i = 0; i < HELD; i++) {
        struct pf_order_run *r = &runs[n++];
        *r = (struct pf_order_run){.alternate = true, .recorded = true, .policy = "rr"};
        if (i)
            snprintf(r->policy, sizeof r->policy, "random:%u", i);
    }
    for (unsigned i = 0; i < 2 * FREE; i++) {
        struct pf_order_run *r = &runs[n++];
        *r = (struct pf_order_run){.alternate = i % 2};
        snprintf(r->policy, sizeof r->policy, "random:%u", i / 2 + 1);
    }
}

static void count_runs(const struct pf_harm_question *q, const struct pf_order_run *runs,
                       struct pf_harm_runs *c)
{
    c->repeated = pf_order_run_enforced(&runs[0]) && fails_alike(q, &runs[0]);
    for (uint32_t i = 1; i < RUNS; i++) {
        const struct pf_order_run *r = &runs[i];
        if (!pf_order_run_enforced(r))
            continue;
        bool failed = fails_alike(q, r);
        if (r->recorded) {
            c->held++;
            c->held_failed += failed;
            c->left += r->order.left_plan != 0;
        } else {
            c->free[r->alternate]++;
            c->free_failed[r->alternate] += failed;
        }
    }
}

/* The acquire of the n-th innermost lock that the thread of a holds at a; PF_NONE: no such lock. */
static uint32_t acquire_before(const struct pf_trace *t, uint32_t a, unsigned n)
{
    struct pf_pool pool;
    const uint32_t *acquires;
    pf_pool_init_malloc(&pool);
    const struct pf_held_locks *held = pf_held_locks_make(t, &pool);
    uint32_t count = held ? pf_held_locks_at(held, t, a, &acquires) : 0;
    uint32_t from = n < count ? acquires[count - 1 - n] : PF_NONE;
    pf_pool_release(&pool);
    return from;
}

static bool is_adjacent(const struct pf_trace *t, uint32_t a, uint32_t b)
{
    for (uint32_t i = a + 1; i < b; i++)
        if (t->events.at[i].thread != t->events.at[a].thread &&
            t->events.at[i].thread != t->events.at[b].thread)
            return false;
    return true;
}

enum pf_harm_cause pf_harm_cause(const struct pf_harm_question *q, char *why, size_t room)
{
    struct pf_order_run *runs = pf_mem_zero(RUNS, sizeof *runs);
    struct pf_both_orders both = {.t = q->t,
                                  .recording = q->clip,
                                  .a = q->a,
                                  .b = q->b,
                                  .hold_from = PF_NONE,
                                  .runs = runs,
                                  .n = RUNS,
                                  .folder = q->folder,
                                  .jobs = 1,
                                  .limit_ms = q->limit_ms,
                                  .should_stop = q->should_stop,
                                  .arg = q->arg};
    struct pf_harm_runs counts = {0};
    struct pf_error e;
    bool made = !mkdir(q->folder, 0700) || errno == EEXIST;
    bool more = made;
    snprintf(why, room, "%s", made ? "" : strerror(errno));
    for (unsigned hold = 0; more && hold <= HOLDS; hold++) {
        plan_runs(runs);
        counts = (struct pf_harm_runs){.adjacent = is_adjacent(q->t, q->a, q->b)};
        if (pf_both_orders_run(&both, &e) != PF_OK) {
            snprintf(why, room, "%s", e.text);
            break;
        }
        count_runs(q, runs, &counts);
        /* the thread may have to be held before a lock that the other thread needs first */
        more = !counts.held && runs[1].order.obstacle == PF_ORDER_LOCK;
        both.hold_from = more ? acquire_before(q->t, q->a, hold) : PF_NONE;
        more = both.hold_from != PF_NONE;
    }
    pf_both_orders_forget(q->folder);
    rmdir(q->folder);
    enum pf_harm_cause answer = pf_harm_decide(&counts);
    const char *obstacle = pf_order_run_obstacle(&runs[1]);
    if (answer == PF_HARM_OTHER)
        snprintf(why, room,
                 "the program also fails in this way if the accesses are in the other "
                 "order");
    else if (answer == PF_HARM_UNKNOWN && !*why)
        snprintf(why, room, "%s",
                 !counts.repeated           ? "the failure could not be repeated"
                 : !counts.held && obstacle ? obstacle
                                            : "it is not known what the other order would do");
    free(runs);
    return answer;
}

bool pf_harm_accesses(const struct pf_trace *t, const uint32_t *event, uint32_t n, uint32_t number,
                      uint32_t *a, uint32_t *b)
{
    for (uint32_t i = n - 1; i-- > 0;)
        if (t->events.at[event[i]].thread != t->events.at[event[i + 1]].thread && !number--) {
            *a = event[i];
            *b = event[i + 1];
            return true;
        }
    *b = event[n - 1];
    for (uint32_t i = 0; n > 2 && i + 1 < n && !number; i++)
        if (t->events.at[event[i]].thread != t->events.at[*b].thread) {
            *a = event[i];
            return true;
        }
    return false;
}
