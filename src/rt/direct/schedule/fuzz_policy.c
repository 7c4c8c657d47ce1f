/*
 * fuzz_policy.c - see fuzz_policy.h. There are few threads, so searches look at all of them.
 *
 * The address of a held access is known. A thread in an interposed function (memcpy, free) is held
 * at the call, where its accesses are not known yet. So it may be paired with any held thread. When
 * the function runs, the policy sees whether both access the same memory.
 */
#include "fuzz_policy.h"
#include "access_order.h"
#include "fuzz_policy_text.h"
#include "listener.h"
#include "random.h"
#include "rt.h"
#include "scheduler.h"
#include "stack.h"
#include "stream_ring.h"
#include "sys.h"

#define IDS (1u << 24) /* stack ids of stack.h */
#define KNOWN 0x8000u /* bit of an entry whose marks were found out */
#define PATIENCE 1000000 /* events for which a thread is held; halved each time it was in vain */
#define PATIENCE_LEAST 1000
#define IDLE_MAX 100 /* how often time may pass while a thread is held and none runs */
#define ACCESSED 4 /* accesses of an interposed function that are remembered */

struct fuzz_range {
    uint64_t address, size;
    bool write;
};

/* One of two threads paired by racefuzzer. */
struct side {
    struct pf_context *c;
    uint64_t event;
    uint8_t step;
    uint32_t n;
    struct fuzz_range accessed[ACCESSED];
};

static struct {
    char text[sizeof((struct pf_channel *)0)->schedule];
    struct pf_fuzz_text want;
    uint64_t random, patience;
    uint32_t idle;
    uint16_t *marks; /* by stack id: KNOWN | marks */
    struct pf_context *turn[PF_REACHED_MAX];
    uint32_t turns, turned;
    struct side pair[2]; /* race: the last pair, if its memory is not known yet */
    bool open;
    /* assetfuzzer: the match so far. */
    uint32_t next; /* the next step */
    struct pf_context *unit[PF_REACHED_MAX];
    /* the unit's first step was inside a critical section or region */
    bool guarded[PF_REACHED_MAX];
    struct fuzz_range variable[PF_REACHED_MAX];
    struct pf_reached_access done[PF_REACHED_MAX];
} f;

static uint64_t draw(void) { return pf_random_next(&f.random); }

bool pf_fuzz_policy_set(const char *text, uint64_t *seed)
{
    bool asset;
    if (!pf_fuzz_named(text, &asset))
        return false;
    pf_copy_text(f.text, sizeof f.text, text);
    if (pf_fuzz_parse(f.text, &f.want))
        return false;
    if (!f.marks)
        f.marks = pf_sys_map(NULL, IDS * sizeof *f.marks);
    else
        pf_sys_discard(f.marks, IDS * sizeof *f.marks);
    if (!f.marks)
        pf_direct_refuse("out of memory");
    f.random = *seed = f.want.seed;
    f.patience = PATIENCE;
    *pf_channel_reached() = (struct pf_reached){.asked = 1};
    return true;
}

/* --- locations --- */

/* True if one path is a suffix of the other that starts at a path component. */
static bool same_file(const char *a, uint32_t na, const char *b)
{
    uint32_t nb = 0;
    while (b[nb])
        nb++;
    const char *longer = na > nb ? a : b;
    uint32_t more = na > nb ? na - nb : nb - na, n = na > nb ? nb : na;
    for (uint32_t i = 0; i < n; i++)
        if (a[na - n + i] != b[nb - n + i])
            return false;
    return !more || longer[more - 1] == '/';
}

static bool mark_position(const struct pf_position *p, void *arg)
{
    uint16_t *marks = arg;
    for (uint32_t i = 0; p->file && i < f.want.n; i++) {
        const struct pf_fuzz_step *k = &f.want.step[i];
        if (k->line == p->line && (!k->column || k->column == p->column) &&
            same_file(k->file, k->nfile, p->file))
            *marks |= (uint16_t)(1u << i);
    }
    return false; /* only the innermost position is where the access is */
}

uint16_t pf_fuzz_policy_marks(struct pf_context *c, const struct pf_pending_event *event)
{
    uint32_t site = event->site;
    if (pf_access_order_pending())
        return pf_access_order_marks(c, event);
    if (site == PF_PENDING_NO_SITE || !__pf_tls.thread || !pf_stack_watched())
        return 0;
    uint32_t id = pf_stack_id(__pf_tls.thread, site);
    if (!id || id >= IDS)
        return 0;
    if (!f.marks[id]) {
        uint16_t marks = 0;
        pf_stack_walk(id, mark_position, &marks);
        f.marks[id] = KNOWN | marks;
    }
    return f.marks[id] & (uint16_t)~KNOWN;
}

/* --- holding --- */

static bool overlap(const struct fuzz_range *a, const struct fuzz_range *b)
{
    return a->address < b->address + b->size && b->address < a->address + a->size;
}

static struct fuzz_range pending(const struct pf_context *c)
{
    return (struct fuzz_range){c->pending.address, c->pending.size, c->pending.write};
}

static void release(struct pf_context *c)
{
    c->fuzz.held = false;
    pf_sched_release(c);
}

/* A held thread that `fits` with c, chosen at random; NULL: none. */
static struct pf_context *any_held(const struct pf_context *c,
                                   bool (*fits)(const struct pf_context *,
                                                const struct pf_context *))
{
    struct pf_context *found = NULL;
    uint64_t n = 0;
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        struct pf_context *h = pf_context_at(i);
        if (h->fuzz.held && fits(c, h) && draw() % ++n == 0)
            found = h;
    }
    return found;
}

static enum pf_fuzz_decision hold(struct pf_context *c, uint64_t events)
{
    c->fuzz.held = true;
    c->fuzz.since = events;
    return PF_FUZZ_HOLD;
}

static struct pf_reached_access access_of(struct pf_context *c, uint8_t step)
{
    return (struct pf_reached_access){.thread = c->number,
                                      .step = step,
                                      .write = c->pending.write,
                                      .event = pf_context_events(c) + 1,
                                      .address = c->pending.address,
                                      .size = c->pending.size,
                                      .when = pf_sched_events()};
}

static void reached(const struct pf_reached_access *all, uint32_t n)
{
    struct pf_reached *r = pf_channel_reached();
    if (r->times++)
        return;
    for (uint32_t i = 0; i < n; i++)
        r->at[i] = all[i];
    r->n = n;
}

static void add_turn(struct pf_context *c)
{
    if (f.turned == f.turns)
        f.turns = f.turned = 0;
    f.turn[f.turns++] = c;
}

bool pf_fuzz_policy_has_turns(void)
{
    return pf_access_order_pending() ? pf_access_order_has_turns() : f.turned < f.turns;
}

struct pf_context *pf_fuzz_policy_next_turn(uint64_t *n)
{
    if (pf_access_order_pending())
        return pf_access_order_next_turn(n);
    *n = 1;
    while (f.turned < f.turns) {
        struct pf_context *c = f.turn[f.turned++];
        if (c->state == PF_CONTEXT_READY || c->state == PF_CONTEXT_RUNNING)
            return c;
    }
    return NULL;
}

/* --- racefuzzer --- */

/* True if the pending accesses of the two threads may race. The memory of an interposed function is
 * not known yet. */
static bool may_race(const struct pf_context *c, const struct pf_context *h)
{
    struct fuzz_range a = pending(c), b = pending(h);
    unsigned x = c->fuzz.marks, y = h->fuzz.marks;
    if (!((x & 1 && y & 2) || (x & 2 && y & 1)))
        return false;
    if (!a.address || !b.address)
        return true;
    return overlap(&a, &b) && (a.write || b.write) && !(c->pending.atomic && h->pending.atomic);
}

static void begin_side(struct side *s, struct pf_context *c, uint8_t step)
{
    *s = (struct side){.c = c, .event = pf_context_events(c), .step = step};
    if (c->pending.address)
        s->accessed[s->n++] = pending(c);
}

static enum pf_fuzz_decision race_arrives(struct pf_context *c, uint64_t events)
{
    struct pf_context *h = any_held(c, may_race);
    if (!h)
        return hold(c, events);
    release(h);
    /* If both locations are the same or on one line, each thread may have either role. */
    uint8_t mine = c->fuzz.marks & 1 && h->fuzz.marks & 2 ? 0 : 1;
    bool first = draw() & 1; /* c is first */
    struct pf_context *order[2] = {first ? c : h, first ? h : c};
    uint8_t step[2] = {first ? mine : !mine, first ? !mine : mine};
    for (int i = 0; i < 2; i++) {
        add_turn(order[i]);
        begin_side(&f.pair[i], order[i], step[i]);
    }
    f.open = !c->pending.address || !h->pending.address;
    if (!f.open) {
        struct pf_reached_access both[2] = {access_of(order[0], step[0]),
                                            access_of(order[1], step[1])};
        reached(both, 2);
    }
    return PF_FUZZ_TURN;
}

/* A thread of the last pair performs this access: records the race if the other one accesses the
 * same memory. */
void pf_fuzz_policy_access(uint64_t address, uint64_t size, bool write)
{
    struct fuzz_range now = {address, size, write};
    struct pf_context *c = pf_context_self();
    if (pf_access_order_pending())
        return;
    for (int i = 0; i < 2 && f.open; i++) {
        struct side *s = &f.pair[i], *other = &f.pair[!i];
        if (s->c != c || pf_context_events(c) != s->event + 1)
            continue;
        for (uint32_t k = 0; k < other->n && f.open; k++) {
            struct fuzz_range was = other->accessed[k];
            if (!overlap(&now, &was) || !(now.write || was.write))
                continue;
            struct pf_reached_access both[2];
            both[i] = (struct pf_reached_access){.thread = c->number,
                                                 .step = s->step,
                                                 .write = write,
                                                 .event = s->event + 1,
                                                 .address = address,
                                                 .size = size};
            both[!i] = (struct pf_reached_access){.thread = other->c->number,
                                                  .step = other->step,
                                                  .write = was.write,
                                                  .event = other->event + 1,
                                                  .address = was.address,
                                                  .size = was.size};
            reached(both, 2);
            f.open = false;
        }
        if (s->n < ACCESSED)
            s->accessed[s->n++] = now;
    }
}

/* --- assetfuzzer --- */

static bool in_region(const struct pf_context *c)
{
    return c->fuzz.regions || c->tls->thread->order.nheld;
}

static void restart_match(void)
{
    f.next = 0;
    for (uint32_t i = 0; i < PF_REACHED_MAX; i++) {
        f.unit[i] = NULL;
        f.variable[i] = (struct fuzz_range){0};
    }
    for (uint32_t i = 0; i < pf_contexts(); i++)
        if (pf_context_at(i)->fuzz.held)
            release(pf_context_at(i));
}

void pf_fuzz_policy_forked(void)
{
    for (uint32_t i = 0; i < pf_contexts(); i++)
        if (pf_context_at(i)->state == PF_CONTEXT_ENDED)
            pf_context_at(i)->fuzz.held = false;
    f.turns = f.turned = 0;
    f.open = false;
    restart_match();
}

static int unit_of(const struct pf_context *c)
{
    for (uint32_t u = 0; u < f.want.units; u++)
        if (f.unit[u] == c)
            return (int)u;
    return -1;
}

/* The next step of a unit, from the current step on; n if there is none. */
static uint32_t next_step(uint32_t unit)
{
    uint32_t k = f.next;
    while (k < f.want.n && f.want.step[k].unit != unit)
        k++;
    return k;
}

/* True if the pending access of c can be step k of the match so far. */
static bool is_step(const struct pf_context *c, uint32_t k)
{
    const struct pf_fuzz_step *s = &f.want.step[k];
    struct fuzz_range now = pending(c);
    if (!(c->fuzz.marks >> k & 1) || !now.address || (s->type && (s->type == 'w') != now.write))
        return false;
    if (f.unit[s->unit] ? f.unit[s->unit] != c : unit_of(c) >= 0)
        return false;
    for (uint32_t v = 0; v < f.want.variables; v++)
        if (f.variable[v].size && overlap(&now, &f.variable[v]) != (v == s->variable))
            return false;
    return true;
}

static bool is_next_step(const struct pf_context *c, const struct pf_context *h)
{
    (void)c;
    return f.next < f.want.n && is_step(h, f.next);
}

static void do_step(struct pf_context *c)
{
    const struct pf_fuzz_step *s = &f.want.step[f.next];
    if (!f.unit[s->unit])
        f.guarded[s->unit] = in_region(c);
    f.unit[s->unit] = c;
    if (!f.variable[s->variable].size)
        f.variable[s->variable] = pending(c);
    f.done[f.next] = access_of(c, (uint8_t)f.next);
    add_turn(c);
    f.next++;
}

/* True if c is about to repeat the first step of its unit. */
static bool repeats_unit(const struct pf_context *c)
{
    int u = unit_of(c);
    for (uint32_t k = 0; u >= 0 && k < f.next; k++)
        if (f.want.step[k].unit == u)
            return c->fuzz.marks >> k & 1 && !is_step(c, next_step((uint32_t)u));
    return false;
}

static enum pf_fuzz_decision asset_arrives(struct pf_context *c, uint64_t events)
{
    if (f.next && repeats_unit(c))
        restart_match();
    if (is_step(c, f.next)) {
        do_step(c);
        for (struct pf_context *h; (h = any_held(NULL, is_next_step));) {
            release(h);
            do_step(h);
        }
        if (f.next == f.want.n) {
            reached(f.done, f.next);
            restart_match();
        }
        return PF_FUZZ_TURN;
    }
    for (uint32_t u = 0; u < f.want.units; u++) {
        uint32_t k = next_step(u);
        if (k < f.want.n && k != f.next && is_step(c, k))
            return hold(c, events);
    }
    return PF_FUZZ_PASS;
}

/* c has left its outermost region. */
static void asset_left(const struct pf_context *c)
{
    int u = unit_of(c);
    if (u >= 0 && f.guarded[u] && next_step((uint32_t)u) < f.want.n)
        restart_match();
}

/* --- both policies --- */

enum pf_fuzz_decision pf_fuzz_policy_decide(struct pf_context *c, uint64_t events)
{
    if (pf_access_order_pending())
        return pf_access_order_decide(c, events);
    f.idle = 0;
    return f.want.asset ? asset_arrives(c, events) : race_arrives(c, events);
}

static void give_up(struct pf_context *c)
{
    bool bound = f.want.asset && unit_of(c) >= 0;
    release(c);
    if (bound)
        restart_match();
}

static bool always(const struct pf_context *c, const struct pf_context *h)
{
    (void)c;
    (void)h;
    return true;
}

void pf_fuzz_policy_release_one(bool now)
{
    if (pf_access_order_pending()) {
        pf_access_order_release_one(now);
        return;
    }
    if (!now && ++f.idle < IDLE_MAX)
        return;
    struct pf_context *c = any_held(NULL, always);
    if (c)
        give_up(c);
}

bool pf_fuzz_policy_is_due(uint64_t events)
{
    if (pf_access_order_pending())
        return pf_access_order_is_due(events);
    if (pf_fuzz_policy_has_turns())
        return true;
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        const struct pf_context *c = pf_context_at(i);
        if (c->fuzz.held && events - c->fuzz.since > f.patience)
            return true;
    }
    return false;
}

void pf_fuzz_policy_release_overdue(uint64_t events)
{
    if (pf_access_order_pending()) {
        pf_access_order_update(events);
        return;
    }
    for (uint32_t i = 0; i < pf_contexts(); i++) {
        struct pf_context *c = pf_context_at(i);
        if (!c->fuzz.held || events - c->fuzz.since <= f.patience)
            continue;
        f.patience = f.patience / 2 > PATIENCE_LEAST ? f.patience / 2 : PATIENCE_LEAST;
        give_up(c);
    }
}

/* --- observing locks and memory --- */

static void (*previous_listener)(struct pf_thread *, enum pf_event_kind, uintptr_t, uintptr_t);

static void observe(struct pf_thread *t, enum pf_event_kind kind, uintptr_t what, uintptr_t more)
{
    struct pf_context *c = pf_context_self();
    if (previous_listener)
        previous_listener(t, kind, what, more);
    if (!pf_direct.fuzzing || pf_access_order_pending() || t != __pf_tls.thread)
        return;
    switch (kind) {
    case PF_EV_FREE:
        pf_fuzz_policy_access(what, more, true);
        break;
    case PF_EV_REGION:
        c->fuzz.regions++;
        break;
    case PF_EV_ENDREGION:
        c->fuzz.regions -= c->fuzz.regions != 0;
        if (!in_region(c))
            asset_left(c);
        break;
    case PF_EV_UNLOCK:
    case PF_EV_RDUNLOCK:
    case PF_EV_WAIT:
        /* Called before the unlock takes effect, and for each unlock of a recursive lock. */
        if (!c->fuzz.regions && t->order.nheld == 1 && t->order.held[0].depth <= 1)
            asset_left(c);
        break;
    default:
        break;
    }
}

void pf_fuzz_policy_listen(void)
{
    bool asset;
    const struct pf_channel *c = pf_channel_get();
    if (pf_direct.mode != PF_DIRECT_RECORD ||
        (!pf_direct.fuzzing && !pf_fuzz_named(c->tail, &asset)))
        return;
    previous_listener = pf_listener;
    pf_listener = observe;
}
