/*
 * sample_atexrace.c - AtexRace (Guo, Cai, Yang, ESEC/FSE 2017, Algorithm 2): a call is sampled, in both
 * threads, when its function runs at the same time as one with which it was not often seen together, in
 * this execution or the last ones.
 *
 * The paper looks at the other threads at every call. Here a call of a pair that will not be sampled for
 * a while lets the next ones pass unseen (counts), the more the hotter the pair is; the next look counts
 * for them all. A function that is new on either side is seen all the same: the colder one looks.
 *
 * The other thread of a sampled pair is woken: its next calls, a burst of them, are sampled, and, when the pair is
 * new or in its first burst and its function has loops, it leaves the plain body that it is in at the next back edge.
 *
 * The pair of a race that has just been missed is known too late: the first access came before the second function
 * was called, and a short function has long returned. In the paper functions run under Pin and last; here they do
 * not. So the first calls of a function in a thread, a burst of them in every execution, are sampled whatever its pairs
 * are, if it has no long loop: rare functions cost nothing, and the accesses of frequent ones soon come again.
 */
#include "function_pairs.h"
#include "limits.h"
#include "module.h"
#include "rt.h"
#include "running_functions.h"
#include "sample.h"
#include "sample_state.h"
#include "spin.h"
#include "store.h"
#include "sys.h"

#define UNSEEN_MAX 4095 /* calls that pass without a look */
#define UNSEEN_PART 2   /* of the calls that the pair had */
#define UNSEEN_ALONE 15 /* while there is no other thread */

struct own {
    uint32_t seat;
    uint32_t owed; /* calls to be sampled since it was woken */
    struct pf_pairs pairs;
    struct {
        int32_t unseen; /* what counts was set to */
        uint32_t calls; /* that were sampled because they were the first */
    } of[]; /* each function */
};
#define OWN_SIZE (sizeof(struct own) + PF_FUNCS_MAX * sizeof(((struct own *)0)->of[0]))

static struct pf_rate rate = {10, 100, 10000};
static uint32_t frequent = 2; /* n */
static struct pf_pairs before; /* n-frequent pairs of earlier executions; constant */
static struct pf_pairs seen;   /* of threads that have ended */
static struct pf_spin lock;
static uint64_t *names; /* of functions, by number; 0: not named yet */
static uint32_t known_pairs;
static bool together; /* two threads were seen */

static bool number(const char **s, uint32_t *out)
{
    uint32_t v = 0;
    const char *from = *s;
    for (; **s >= '0' && **s <= '9' && v < 100000000; ++*s)
        v = v * 10 + (uint32_t)(**s - '0');
    *out = v;
    return *s > from;
}

/* [B/P][:N[:FLOOR]] */
static bool configure(const char *s)
{
    if (*s && *s != ':') {
        if (!number(&s, &rate.burst) || *s++ != '/' || !number(&s, &rate.period) || !rate.burst ||
            rate.burst > rate.period)
            return false;
        if (rate.floor < rate.period)
            rate.floor = rate.period;
    }
    if (*s == ':' && (s++, !number(&s, &frequent) || !frequent || frequent > 255))
        return false;
    if (*s == ':' && (s++, !number(&s, &rate.floor) || rate.floor < rate.period))
        return false;
    return !*s;
}

static void start(void)
{
    names = pf_sys_map(NULL, PF_FUNCS_MAX * sizeof *names);
    known_pairs = pf_state_load(&before, frequent);
}

static void begin(struct pf_thread *t)
{
    struct own *o = names ? pf_sys_map(NULL, OWN_SIZE) : NULL;
    if (o && (o->seat = pf_seat_take(t)) == UINT32_MAX) {
        pf_sys(SYS_munmap, o, OWN_SIZE);
        o = NULL;
    }
    t->sample = o;
    if (!o)
        pf_limit_hit(PF_LIMIT_MEMORY);
}

static void add(const struct pf_pair *p, void *to)
{
    struct pf_pairs *sum = to;
    struct pf_pair *e = pf_pairs_find(sum, p->key);
    uint32_t more = p->count - p->earlier;
    if (!e)
        pf_pairs_add(sum, p->key, p->count, p->earlier);
    else
        e->count = e->count > UINT32_MAX - more ? UINT32_MAX : e->count + more;
}

static void end(struct pf_thread *t)
{
    struct own *o = t->sample;
    if (!o)
        return;
    pf_seat_leave(o->seat, t->frames + 1);
    t->sample = NULL;
    pf_spin_lock(&lock);
    pf_pairs_each(&o->pairs, add, &seen);
    pf_spin_unlock(&lock);
    pf_pairs_release(&o->pairs);
    pf_sys(SYS_munmap, o, OWN_SIZE);
}

static uint64_t name_of(struct pf_func *f)
{
    uint64_t name = __atomic_load_n(&names[f->number], __ATOMIC_RELAXED);
    if (__builtin_expect(!name, 0)) {
        name = pf_seat_name(f);
        __atomic_store_n(&names[f->number], name, __ATOMIC_RELAXED);
    }
    return name;
}

/* The functions that two threads began with run together from then on, but each is entered once, at a moment that timing
 * makes: alone, or with whatever. So every look at others counts for them too; else they would be new again and again. */
static void look_first(struct own *o, struct pf_func *first, const struct pf_seen *others,
                       unsigned n, uint32_t weight)
{
    for (unsigned i = 0; i < n; i++)
        if (others[i].first)
            pf_pairs_lasting(&o->pairs, &before, name_of(first), others[i].name, weight);
}

/* Looks at the others for `weight` calls of the function. `cold`: it is sampled in any case. */
static bool look(struct pf_thread *t, struct pf_func *f, uint32_t weight, bool cold, uint32_t *left)
{
    struct own *o = t->sample;
    struct pf_seen others[PF_SEEN_MAX];
    uint64_t other[PF_SEEN_MAX], deciding;
    uint64_t name = name_of(f);
    bool alone;
    unsigned n = pf_seat_look(o->seat, others, &alone);
    for (unsigned i = 0; i < n; i++)
        other[i] = others[i].name;
    enum pf_pairs_say say =
        pf_pairs_call(&o->pairs, &before, &rate, name, other, n, weight, &deciding, left);
    if (__pf_tls.frame > t->frames + 1 && t->frames[1].func->number)
        look_first(o, t->frames[1].func, others, n, weight);
    for (uint64_t wake = cold ? ~0ull >> (64 - n) : deciding; wake; wake &= wake - 1) {
        const struct pf_seen *s = &others[__builtin_ctzll(wake)];
        bool cross = say == PF_PAIRS_FIRST_BURST && wake & -wake & deciding;
        pf_seat_wake(s->seat, cross && s->name & PF_SEEN_LOOPS);
    }
    pf_seat_done(o->seat);
    if (!alone)
        together = true;
    else if (say == PF_PAIRS_PASS && *left > UNSEEN_ALONE)
        *left = UNSEEN_ALONE;
    return say != PF_PAIRS_PASS || cold;
}

/* Is it one of the first calls of a function that does not take long? */
static bool is_cold(struct own *o, const struct pf_func *f)
{
    if (f->flags & PF_FUNCF_LOOPS || o->of[f->number].calls >= rate.burst)
        return false;
    o->of[f->number].calls++;
    return true;
}

static enum pf_body call(struct pf_thread *t, struct pf_func *f)
{
    struct own *o = t->sample;
    if (!o)
        return PF_BODY_WATCH;
    __atomic_store_n(&__pf_tls.dispatch, PF_DISPATCH_COUNT, __ATOMIC_SEQ_CST);
    if (__atomic_exchange_n(&__pf_tls.woken, 0, __ATOMIC_SEQ_CST))
        o->owed = rate.burst;
    __atomic_store_n(&__pf_tls.cross, 0, __ATOMIC_RELAXED);
    int32_t *count = &__pf_tls.counts[f->number], *unseen = &o->of[f->number].unseen;
    uint32_t left, weight = (uint32_t)(*unseen - (*count < 0 ? 0 : *count) + 1);
    bool sample = look(t, f, weight, is_cold(o, f), &left);
    int32_t most = *unseen + *unseen / UNSEEN_PART + 1; /* from 0 up, as long as nothing happens */
    *unseen = sample ? 0 : (int32_t)(left - 1 < UNSEEN_MAX ? left - 1 : UNSEEN_MAX);
    if (*unseen > most)
        *unseen = most;
    *count = *unseen;
    if (o->owed) { /* so is the next one, whatever it is; but what may run for long is left to its pairs */
        sample |= !(f->flags & PF_FUNCF_LOOPS);
        if (--o->owed)
            __atomic_store_n(&__pf_tls.dispatch, PF_DISPATCH_ASK, __ATOMIC_SEQ_CST);
    }
    return sample ? PF_BODY_WATCH : PF_BODY_PLAIN;
}

static void joined(struct pf_thread *t) { pf_seat_joined(t); }

static void add_running(struct pf_thread *t, void *arg)
{
    struct own *o = t->sample;
    if (o)
        pf_pairs_each(&o->pairs, add, arg);
}

static void finish(struct pf_sample_numbers *out)
{
    pf_thread_each(add_running, &seen);
    if (together)
        pf_state_save(&seen);
    out->pairs = seen.n > known_pairs ? seen.n : known_pairs;
    out->frequent = before.n;
}

static void forked(struct pf_thread *t)
{
    struct own *o = t->sample;
    pf_pairs_release(&seen); /* the parent tells of them */
    together = false;
    if (o) {
        pf_seat_alone(o->seat);
        o->pairs = (struct pf_pairs){0};
        lock = (struct pf_spin){0};
    }
}

const struct pf_sampler pf_sampler_atexrace = {
    .name = "atexrace",
    .configure = configure,
    .start = start,
    .begin = begin,
    .end = end,
    .call = call,
    .joined = joined,
    .finish = finish,
    .forked = forked,
};
