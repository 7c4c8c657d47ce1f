#include "breakpoint.h"
#include "checkpoint.h"
#include "materialise.h"
#include "plan.h"
#include "scheduler.h"
#include "stream_ring.h"
#include "sys.h"

struct point {
    bool set, by_path;
    uint32_t thread;   /* its number; by_path: 0 until it is there */
    uint32_t path[16]; /* below main */
    uint32_t npath;
    uint64_t event; /* from 0 */
};

static struct point until, at, first, second; /* first < second */
static uint64_t
    hold; /* before this event of its thread the second is held; usually it is the second itself */
static struct pf_context *held;
static bool flipped; /* the first is over, and the second comes */
static struct pf_pending_event what[2]; /* the two events, in this order */
static uint64_t patience; /* events of all threads until which `held` is held */
#define PATIENCE 1000000
#define PATIENCE_YIELDS 20000

static const char *number(const char *s, uint64_t *v)
{
    if (!s || *s < '0' || *s > '9')
        return NULL;
    for (*v = 0; *s >= '0' && *s <= '9'; s++)
        *v = *v * 10 + (uint64_t)(*s - '0');
    return s;
}

/* T2:137 or 0.1:137; what follows it. */
static const char *parse(struct point *p, const char *s)
{
    uint64_t v = 0;
    p->set = true;
    if (*s == 'T') {
        s = number(s + 1, &v);
        p->thread = (uint32_t)v;
    } else {
        p->by_path = true;
        s = number(s, &v);
        if (!s || v != 0)
            return NULL;
        while (s && *s == '.' && p->npath < sizeof p->path / sizeof p->path[0]) {
            s = number(s + 1, &v);
            p->path[p->npath++] = (uint32_t)v;
        }
    }
    s = s && *s == ':' ? number(s + 1, &p->event) : NULL;
    return p->event-- ? s : NULL;
}

static void parse_one(struct point *p, const char *text, const char *what)
{
    if (!*text)
        return;
    const char *end = parse(p, text);
    if (!end || *end)
        pf_direct_refuse(what);
}

static bool is_path(const struct point *p, const struct pf_context *c)
{
    for (uint32_t i = p->npath; i > 0; i--) {
        if (c->number == 0 || c->birth_index != p->path[i - 1])
            return false;
        c = pf_context_at(c->parent);
    }
    return c->number == 0;
}

static bool is_in(const struct point *p, const struct pf_context *c)
{
    return p->set && (p->by_path ? is_path(p, c) : p->thread == c->number);
}

/* The next index of c that somebody wants to know of, from `from` on. */
static void set_stop(struct pf_context *c, uint64_t from)
{
    const struct point *all[] = {&until, &at, &second};
    c->stop = PF_BREAKPOINT_NONE;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (is_in(all[i], c) && all[i]->event >= from && all[i]->event < c->stop)
            c->stop = all[i]->event;
    if (is_in(&second, c) && hold >= from && hold < c->stop)
        c->stop = hold;
    /* The first of a flip is over when its thread stands before the event after it. */
    for (uint64_t e = first.event; e <= first.event + 1 && is_in(&first, c); e++)
        if (e >= from && e < c->stop)
            c->stop = e;
    uint64_t asked = pf_schedule_plan_next_query(c, from);
    if (asked < c->stop)
        c->stop = asked;
}

static struct pf_context *first_thread(void)
{
    for (uint32_t i = 0; i < pf_contexts(); i++)
        if (is_in(&first, pf_context_at(i)))
            return pf_context_at(i);
    return NULL;
}

static bool first_is_over(void)
{
    const struct pf_context *c = first_thread();
    return c && pf_context_events(c) > first.event;
}

void pf_breakpoint_init(void)
{
    const struct pf_channel *c = pf_channel_get();
    parse_one(&until, c->until, "--until: expected a point such as T2:137");
    parse_one(&at, c->at, "--at: expected a point such as T2:137");
    if (*c->flip) {
        const char *s = parse(&first, c->flip);
        s = s && *s == '<' ? parse(&second, s + 1) : NULL;
        hold = second.event;
        if (s && *s == '@')
            s = number(s + 1, &hold) && hold-- ? number(s + 1, &(uint64_t){0}) : NULL;
        if (!s || *s || hold > second.event)
            pf_direct_refuse(
                "--flip: expected two points such as T1:137<T2:40, or T1:137<T2:40@31");
    }
    pf_breakpoint_add_thread(pf_context_at(0));
}

void pf_breakpoint_add_thread(struct pf_context *c) { set_stop(c, pf_context_events(c) + c->before_event); }

bool pf_breakpoint_is_until(const struct pf_context *c)
{
    return is_in(&until, c) && c->stop == until.event;
}

static void debug(void)
{
    pf_materialise();
    pf_debugger_wait();
}

/* An event is named by its number; what it is may depend on the order. What a call of an interposed function
 * touches is not known here. */
static bool are_seen_to_conflict(void)
{
    const struct pf_pending_event *a = &what[0], *b = &what[1];
    return a->address && b->address && (a->write || b->write) &&
           a->address < b->address + b->size && b->address < a->address + a->size;
}

void pf_breakpoint_run_ends(void)
{
    const struct pf_channel *c = pf_channel_get();
    if (!c || pf_materialised)
        return;
    if (held)
        pf_channel_set_outcome(PF_OUTCOME_INFEASIBLE,
                       "the second event was held back, and the program ended "
                       "before the first one came\n");
    else if (second.set && !flipped)
        pf_channel_set_outcome(PF_OUTCOME_INFEASIBLE,
                       "the program ended, and the second event never came\n");
    else if (second.set && !are_seen_to_conflict())
        pf_direct_say(
            "the order came about, but in it the two events are not seen to touch the same "
            "memory: what an event is may depend on the order");
    held = NULL;
    second.set = false;
    if (until.set)
        pf_direct_say("the point was not reached: here the run ends");
    until.set = false;
    if (c->debug)
        debug();
}

void pf_breakpoint_stop_run(void)
{
    until.set = false;
    if (pf_channel_get()->debug) {
        debug();
        return;
    }
    pf_sched_abandon();
    pf_direct_end();
    pf_channel_set_outcome(PF_OUTCOME_STOPPED, "");
    for (;;)
        pf_sys(SYS_exit_group, 0);
}

bool pf_breakpoint_reached(struct pf_context *c)
{
    uint64_t event = c->stop;
    set_stop(c, event + 1);
    c->asked = pf_schedule_plan_next_query(c, event) == event;
    if (is_in(&at, c) && event == at.event)
        pf_checkpoint_serve();
    if (is_in(&second, c) && event == hold && !first_is_over()) {
        const struct pf_context *other = first_thread();
        held = c;
        what[1] = c->pending;
        patience = pf_sched_events() + PATIENCE +
                   16 * (first.event - (other ? pf_context_events(other) : 0));
        return true;
    }
    if (is_in(&first, c) && event == first.event)
        what[0] = c->pending;
    if (is_in(&second, c) && event == second.event) {
        what[1] = c->pending;
        flipped = true;
    }
    return false;
}

void pf_breakpoint_segment_closed(const struct pf_context *c)
{
    if (!held || !is_in(&first, c) || c->events <= first.event)
        return;
    struct pf_context *free = held;
    held = NULL;
    flipped = hold == second.event; /* else it has still to come there */
    pf_sched_release(free);
}

static _Noreturn void infeasible(const char *why)
{
    held = NULL;
    second.set = false;
    pf_sched_abandon();
    pf_direct_end();
    pf_channel_set_outcome(PF_OUTCOME_INFEASIBLE, why);
    for (;;)
        pf_sys(SYS_exit_group, 0);
}

void pf_breakpoint_flip_stuck(void)
{
    if (held)
        infeasible(
            "the second event was held back, and the first one cannot come before it: every "
            "other thread waits, spins or is over (A<B@N holds it before event N, when it has not "
            "yet taken what they wait for)\n");
}

bool pf_breakpoint_flip_holds(void) { return held; }

void pf_breakpoint_flip_timeout(void)
{
    if (held)
        infeasible("the second event was held back, and the first one does not come: the other "
                   "threads wait for "
                   "something from outside, or from the thread that is held, and it did not come "
                   "in 10 seconds\n");
}

void pf_breakpoint_flip_limits(uint64_t events, uint64_t yields)
{
    if (held && yields > PATIENCE_YIELDS)
        infeasible(
            "the second event was held back, and the first one does not come: the other threads "
            "only give way, they seem to wait for the thread that is held\n");
    if (held && events > patience)
        infeasible("the second event was held back, and the first one did not come in a million "
                   "events of the other threads: they seem to wait for the thread that is held\n");
}
