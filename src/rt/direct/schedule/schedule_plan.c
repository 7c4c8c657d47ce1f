/*
 * schedule_plan.c - see schedule_plan.h. Queries come first in the file; the other steps are
 * followed in order.
 */
#include "schedule_plan.h"
#include "breakpoint.h"
#include "checkpoint.h"
#include "pinned_answers.h"
#include "resident.h"
#include "scheduler.h"
#include "spinners.h"
#include "stack.h"
#include "stream_ring.h"
#include "sys.h"
#include "waits.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long (virtual nanoseconds) the plan waits for a thread that may be woken by something
 * external or by a thread without steps. */
#define PATIENCE 1000000000ull
#define YIELDS 1000 /* yields of the thread of the current step, without an event in between */

static const struct pf_schedule_plan_step *step;
static uint64_t n, next, nqueries;
static bool lenient; /* a step that cannot be done ends the plan */

void pf_schedule_plan_follow(const struct pf_schedule_plan_step *steps, uint64_t count)
{
    lenient = false;
    step = steps;
    n = count;
    next = nqueries = 0;
}

void pf_schedule_plan_load(const char *path)
{
    struct stat st = {0};
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), at = -1;
    if (fd >= 0 && pf_sys(SYS_fstat, fd, &st) == 0 && st.st_size >= (long)sizeof *step)
        at = pf_sys_map_file((int)fd, (size_t)st.st_size, false);
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    if (pf_sys_failed(at))
        pf_direct_refuse("cannot read the schedule plan");
    lenient = false;
    step = (const struct pf_schedule_plan_step *)at;
    n = (uint64_t)st.st_size / sizeof *step;
    for (nqueries = 0; nqueries < n && step[nqueries].thread == PF_PLAN_ASK;)
        nqueries++;
    next = nqueries;
    for (uint32_t i = 0; nqueries && i < pf_contexts(); i++) {
        struct pf_context *c = pf_context_at(i);
        uint64_t index = pf_context_events(c);
        pf_breakpoint_add_thread(c);
        /* A thread that is already before such an event does not reach its breakpoint again. */
        c->queried = c->before_event && pf_schedule_plan_next_query(c, index) == index;
    }
}

void pf_schedule_plan_load_lenient(const char *path)
{
    if (pf_sys(SYS_access, path, R_OK) != 0)
        return;
    pf_schedule_plan_load(path);
    lenient = true;
}

void pf_schedule_plan_clear(void) { n = next = nqueries = 0; }

void pf_schedule_plan_init(void)
{
    const struct pf_channel *c = pf_channel_get();
    if (*c->plan)
        pf_schedule_plan_load(c->plan);
    if (c->ordered) /* runs that are compared get the same answers */
        pf_pins_map_in(c->folder);
}

static uint64_t done(const struct pf_schedule_plan_step *k)
{
    struct pf_context *c = pf_context_at(k->thread);
    return c ? pf_context_events(c) : 0;
}

static bool is_special(const struct pf_schedule_plan_step *k)
{
    return k->thread >= PF_PLAN_EXPIRE;
}

static bool is_over(const struct pf_schedule_plan_step *k)
{
    struct pf_context *c = k->until == PF_PLAN_END || k->asked ? pf_context_at(k->thread) : NULL;
    if (c && c->state == PF_CONTEXT_ENDED)
        return true;
    return done(k) >= k->until && (!k->asked || (c && (c->before_event || c->ends_process)));
}

bool pf_schedule_plan_pending(void)
{
    while (next < n && !is_special(&step[next]) && is_over(&step[next]))
        next++;
    return next < n;
}

bool pf_schedule_plan_runs_to_end(const struct pf_context *c)
{
    return pf_schedule_plan_pending() && step[next].thread == c->number &&
           step[next].until == PF_PLAN_END;
}

bool pf_schedule_plan_has_no_step(const struct pf_context *c)
{
    for (uint64_t i = nqueries; i < n; i++)
        if (!is_special(&step[i]) && step[i].thread == c->number)
            return false;
    return true;
}

/* A thread that may create the next step's thread: one without steps, such as libc's own thread
 * behind timers. A runnable one, otherwise a waiting one. */
static struct pf_context *creator(void)
{
    struct pf_context *found = NULL;
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        struct pf_context *c = pf_context_at(i);
        if (!c || c->state == PF_CONTEXT_ENDED || !pf_schedule_plan_has_no_step(c))
            continue;
        if (c->state == PF_CONTEXT_READY || c->state == PF_CONTEXT_RUNNING)
            return c;
        found = found ? found : c;
    }
    return found;
}

struct pf_context *pf_schedule_plan_next(uint64_t *events)
{
    if (!pf_schedule_plan_pending() || is_special(&step[next]))
        return NULL;
    struct pf_context *c = pf_context_at(step[next].thread);
    struct pf_context *first = c ? NULL : creator();
    if (first) {
        *events = 1;
        return first;
    }
    if (!c || c->state == PF_CONTEXT_ENDED) {
        pf_schedule_plan_fail();
        return NULL;
    }
    uint64_t has = pf_context_events(c);
    *events = step[next].until > has ? step[next].until - has : 0;
    return c;
}

static bool can_run(const struct pf_context *c)
{
    return c->state == PF_CONTEXT_READY || c->state == PF_CONTEXT_RUNNING;
}

/* True if the thread waits for a futex with a deadline, or for time alone. */
static bool can_expire(const struct pf_context *c)
{
    return c->state == PF_CONTEXT_WAITING && c->wait.deadline &&
           (c->wait.kind == PF_WAIT_FUTEX || c->wait.kind == PF_WAIT_TIME);
}

struct pf_context *pf_schedule_plan_wait(const struct pf_context *current, uint64_t yields,
                                         uint64_t *events)
{
    struct pf_context *wanted;
    uint64_t until = pf_sched_now() + PATIENCE;
    while ((wanted = pf_schedule_plan_next(events)) && !can_run(wanted)) {
        if (wanted->state == PF_CONTEXT_SPINS) {
            pf_spinners_release(wanted);
            break;
        }
        if (pf_direct.exploring && can_expire(wanted)) { /* time may pass at any moment */
            pf_waits_expire(wanted);
            continue;
        }
        if (wanted->state == PF_CONTEXT_HELD ||
            (!wanted->wait.deadline && !pf_waits_external() &&
             !(pf_schedule_plan_has_no_step(wanted) && pf_waits_time_can_wake())) ||
            pf_sched_now() >= until) {
            pf_schedule_plan_fail();
            return NULL;
        }
        pf_waits_poll(true, until);
    }
    if (!wanted || wanted != current || yields <= YIELDS)
        return wanted;
    pf_schedule_plan_fail();
    return NULL;
}

static void change_wait(const struct pf_schedule_plan_step *k)
{
    struct pf_context *c = pf_context_at(k->asked);
    if (c && k->thread == PF_PLAN_FIRST && c->state == PF_CONTEXT_WAITING)
        pf_waits_put_first(c);
    else if (c && k->thread == PF_PLAN_EXPIRE && can_expire(c))
        pf_waits_expire(c);
}

void pf_schedule_plan_run_special(void)
{
    while (pf_schedule_plan_pending() && is_special(&step[next])) {
        const struct pf_schedule_plan_step *k = &step[next++];
        if (k->thread == PF_PLAN_FORK) {
            pf_checkpoint_branch((uint32_t)k->until);
        } else if (k->thread == PF_PLAN_SERVE) {
            pf_resident_serve();
        } else if (k->thread == PF_PLAN_FIRST || k->thread == PF_PLAN_EXPIRE) {
            change_wait(k);
        } else if (k->thread == PF_PLAN_LEAVE) {
            pf_checkpoint_wait_all();
            pf_sched_abandon();
            pf_direct_end();
            pf_channel_set_outcome(PF_OUTCOME_STOPPED, "");
            for (;;)
                pf_sys(SYS_exit_group, 0);
        }
    }
}

void pf_schedule_plan_fail(void)
{
    if (lenient) {
        struct pf_order_outcome *out = pf_channel_order();
        if (out)
            out->left_plan = 1;
        next = n;
        return;
    }
    struct pf_context *c = pf_context_at(step[next].thread);
    const char *what = !c                             ? "a step of a thread that does not exist yet"
                       : c->state == PF_CONTEXT_ENDED ? "a step of a thread that has ended"
                                                      : "a step of a thread that waits";
    pf_checkpoint_wait_all();
    pf_diverged_in(c, what, step[next].until, done(&step[next]));
}

/* --- queries --- */

/* Event numbers start with 1, indices with 0. */
uint64_t pf_schedule_plan_next_query(const struct pf_context *c, uint64_t from)
{
    uint64_t least = PF_BREAKPOINT_NONE;
    for (uint64_t i = 0; i < nqueries; i++)
        if (step[i].asked == c->number && step[i].until > from && step[i].until - 1 < least)
            least = step[i].until - 1;
    return least;
}

static bool take_position(const struct pf_position *p, void *arg)
{
    struct pf_reached_access *a = arg;
    a->line = p->line;
    a->file = pf_reached_file(p->file);
    return !p->file; /* continues past functions without a file, as in traces */
}

void pf_schedule_plan_answer(struct pf_context *c)
{
    struct pf_reached *r = pf_channel_reached();
    uint64_t number = pf_context_events(c); /* the event has been granted, so it is counted */
    c->queried = false;
    for (uint64_t i = 0; i < nqueries && r->n < PF_REACHED_MAX; i++) {
        if (step[i].asked != c->number || step[i].until != number)
            continue;
        struct pf_reached_access a = {.thread = c->number,
                                      .step = (uint8_t)i,
                                      .write = c->pending.write,
                                      .event = number,
                                      .address = c->pending.address,
                                      .size = c->pending.size,
                                      .when = pf_sched_events()};
        if (c->pending.site != PF_PENDING_NO_SITE && __pf_tls.thread)
            pf_stack_walk(pf_stack_id(__pf_tls.thread, c->pending.site), take_position, &a);
        r->at[r->n++] = a;
    }
}
