/*
 * breakpoint.c - see breakpoint.h. There are at most four breakpoints, so each thread's next one is
 * found by looking at all of them.
 */
#include "breakpoint.h"
#include "checkpoint.h"
#include "materialise.h"
#include "number_text.h"
#include "schedule_plan.h"
#include "scheduler.h"
#include "stream_ring.h"
#include "sys.h"

struct breakpoint {
    bool set, by_path;
    uint32_t thread;   /* its number; unused if by_path */
    uint32_t path[16]; /* indices of children, from main down */
    uint32_t npath;
    uint64_t event; /* index, from 0 */
};

static struct breakpoint until, checkpoint_at;
static bool checkpoint_at_switch; /* continuations start at the first switch */
static struct breakpoint first, second; /* a flip makes `first` happen before `second` */
/* Index of the event before which the thread of `second` is held; usually second.event. */
static uint64_t hold;
static struct pf_context *held;
static bool flipped; /* `first` has happened, and `second` is next */
static struct pf_pending_event flip_events[2]; /* the two events of the flip: first, second */
/* Number of events of all threads at which `held` has been held too long. */
static uint64_t patience;
#define PATIENCE 1000000 /* events */
#define PATIENCE_YIELDS 20000 /* in a row */

/* Parses T2:137 or 0.1:137. Returns the rest of the text; NULL: not a breakpoint. */
static const char *parse(struct breakpoint *p, const char *s)
{
    uint64_t v = 0;
    p->set = true;
    if (*s == 'T') {
        s = pf_number_parse(s + 1, &v);
        p->thread = (uint32_t)v;
    } else {
        p->by_path = true;
        s = pf_number_parse(s, &v);
        if (!s || v != 0)
            return NULL;
        while (s && *s == '.' && p->npath < sizeof p->path / sizeof p->path[0]) {
            s = pf_number_parse(s + 1, &v);
            p->path[p->npath++] = (uint32_t)v;
        }
    }
    s = s && *s == ':' ? pf_number_parse(s + 1, &p->event) : NULL;
    return p->event-- ? s : NULL;
}

static void parse_one(struct breakpoint *p, const char *text, const char *message)
{
    if (!*text)
        return;
    const char *end = parse(p, text);
    if (!end || *end)
        pf_direct_refuse(message);
}

static bool is_path(const struct breakpoint *p, const struct pf_context *c)
{
    for (uint32_t i = p->npath; i > 0; i--) {
        if (c->number == 0 || c->birth_index != p->path[i - 1])
            return false;
        c = pf_context_at(c->parent);
    }
    return c->number == 0;
}

static bool is_in(const struct breakpoint *p, const struct pf_context *c)
{
    return p->set && (p->by_path ? is_path(p, c) : p->thread == c->number);
}

/* Sets c->break_at to the next index of c, from `from` on, at which anything must be done. */
static void set_break_at(struct pf_context *c, uint64_t from)
{
    const struct breakpoint *all[] = {&until, &checkpoint_at, &second};
    c->break_at = PF_BREAKPOINT_NONE;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (is_in(all[i], c) && all[i]->event >= from && all[i]->event < c->break_at)
            c->break_at = all[i]->event;
    if (is_in(&second, c) && hold >= from && hold < c->break_at)
        c->break_at = hold;
    /* The first event of a flip has happened when its thread is about to perform the next event. */
    for (uint64_t e = first.event; e <= first.event + 1 && is_in(&first, c); e++)
        if (e >= from && e < c->break_at)
            c->break_at = e;
    uint64_t query = pf_schedule_plan_next_query(c, from);
    if (query < c->break_at)
        c->break_at = query;
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
    parse_one(&until, c->until, "--until: expected an event such as T2:137");
    const char *word = "switch", *at = c->at;
    while (*word && *at == *word)
        word++, at++;
    checkpoint_at_switch = !*word && !*at;
    if (!checkpoint_at_switch)
        parse_one(&checkpoint_at, c->at, "--at: expected an event such as T2:137, or switch");
    if (*c->flip) {
        const char *s = parse(&first, c->flip);
        s = s && *s == '<' ? parse(&second, s + 1) : NULL;
        hold = second.event;
        if (s && *s == '@')
            s = pf_number_parse(s + 1, &hold) && hold-- ? pf_number_parse(s + 1, &(uint64_t){0})
                                                        : NULL;
        if (!s || *s || hold > second.event)
            pf_direct_refuse(
                "--flip: expected two events such as T1:137<T2:40, or T1:137<T2:40@31");
    }
    pf_breakpoint_add_thread(pf_context_at(0));
}

void pf_breakpoint_add_thread(struct pf_context *c)
{
    set_break_at(c, pf_context_events(c) + c->before_event);
}

void pf_breakpoint_forked(void) { held = NULL; }

void pf_breakpoint_forget(void)
{
    until.set = checkpoint_at.set = first.set = second.set = false;
    held = NULL;
    for (uint32_t i = 0; i < pf_contexts(); i++)
        pf_breakpoint_add_thread(pf_context_at(i));
}

bool pf_breakpoint_is_until(const struct pf_context *c)
{
    return is_in(&until, c) && c->break_at == until.event;
}

static void debug(void)
{
    pf_materialise();
    pf_debugger_wait();
}

/* True if the two events of the flip conflict. An event is named by its number; which access that
 * is may depend on the order. The accesses of an interposed function are not known at its call. */
static bool flip_conflicts(void)
{
    const struct pf_pending_event *a = &flip_events[0], *b = &flip_events[1];
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
                               "before the first one happened\n");
    else if (second.set && !flipped)
        pf_channel_set_outcome(PF_OUTCOME_INFEASIBLE,
                               "the program ended, and the second event never happened\n");
    else if (second.set && !flip_conflicts())
        pf_direct_say("the events happened in this order, but they do not access the same "
                      "memory: which access an event is may depend on the order");
    held = NULL;
    second.set = false;
    if (until.set)
        pf_direct_say("the event of --until was not reached: the run ends here");
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
    uint64_t event = c->break_at;
    set_break_at(c, event + 1);
    c->queried = pf_schedule_plan_next_query(c, event) == event;
    if (is_in(&checkpoint_at, c) && event == checkpoint_at.event)
        pf_checkpoint_run_all();
    if (is_in(&second, c) && event == hold && !first_is_over()) {
        const struct pf_context *other = first_thread();
        held = c;
        flip_events[1] = c->pending;
        patience = pf_sched_events() + PATIENCE +
                   16 * (first.event - (other ? pf_context_events(other) : 0));
        return true;
    }
    if (is_in(&first, c) && event == first.event)
        flip_events[0] = c->pending;
    if (is_in(&second, c) && event == second.event) {
        flip_events[1] = c->pending;
        flipped = true;
    }
    return false;
}

void pf_breakpoint_before_switch(void)
{
    if (!checkpoint_at_switch || pf_contexts() < 2)
        return;
    checkpoint_at_switch = false; /* in the continuations too */
    pf_checkpoint_run_all();
}

void pf_breakpoint_segment_closed(const struct pf_context *c)
{
    if (!held || !is_in(&first, c) || c->events <= first.event)
        return;
    struct pf_context *free = held;
    held = NULL;
    flipped = hold == second.event; /* otherwise it has not reached `second` yet */
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
            "the second event was held back, and the first one cannot happen before it: every "
            "other thread waits, spins or has ended (if they wait for what the held thread has "
            "taken: A<B@N holds it before its earlier event N)\n");
}

bool pf_breakpoint_flip_holds(void) { return held; }

void pf_breakpoint_flip_timeout(void)
{
    if (held)
        infeasible("the second event was held back, and the first one does not happen: the other "
                   "threads have waited for 10 seconds, for something external or for the held "
                   "thread\n");
}

void pf_breakpoint_flip_limits(uint64_t events, uint64_t yields)
{
    if (held && yields > PATIENCE_YIELDS)
        infeasible(
            "the second event was held back, and the first one does not happen: the other threads "
            "only yield, they seem to wait for the held thread\n");
    if (held && events > patience)
        infeasible("the second event was held back, and the first one did not happen within a "
                   "million events of the other threads: they seem to wait for the held thread\n");
}
