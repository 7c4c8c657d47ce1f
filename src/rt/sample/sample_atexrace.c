/*
 * sample_atexrace.c - AtexRace (Guo, Cai, Yang, ESEC/FSE 2017, Algorithm 2): a call is sampled, in
 * both threads, if its function runs at the same time as a function with which it was rarely seen
 * together, in this execution or the last ones.
 *
 * In the paper every call reads what the other threads run. Here, if the pairs of a call will not
 * be sampled for a while, the next calls of the function do not read (`counts`). The hotter the
 * pairs are, the more calls are skipped; the next read counts for all of them. A new pair is
 * noticed nevertheless: its colder function reads at every call.
 *
 * The other thread of a sampled pair is woken: a burst of its next calls is sampled. If the pair is
 * new or in its first burst, and that thread's function has loops, the thread also switches from
 * its plain body to the watch body at the next back edge.
 *
 * When a pair is seen to be new, its race may already have been missed: the first access came
 * before the second function was called, and a short function has returned by then. In the paper
 * functions run under Pin and take long; here they do not. So the first calls of a function in a
 * thread, one burst in every execution, are sampled whatever its pairs are. Rare functions cost
 * little, and the accesses of frequent functions are repeated soon. A watched call that stays in a
 * loop leaves its watch body when its burst is over.
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
#include "thread_table.h"

#define SKIP_MAX 4095 /* calls that pass without reading the table */
#define SKIP_GROWTH 2   /* the number of skipped calls grows by at most 1/SKIP_GROWTH of itself */
#define SKIP_ALONE 15 /* while there is no other thread */
/* How long a watched call stays in its watch body; then its loops switch to the plain body. */
#define BURST_CYCLES (1u << 18) /* about 100 microseconds */
#define BURST_BYTES (64u << 10) /* of a range that is checked at once */

struct thread_state {
    struct thread_state *prev, *next; /* in the list of running threads */
    struct pf_thread *thread;
    uint32_t table_index;
    uint32_t woken_calls_left; /* calls still to be sampled since the thread was woken */
    uint64_t burst_end; /* when the loops of the watched call leave the watch body, in cycles */
    struct pf_function_pairs pairs;
    struct {
        int32_t skipped; /* what counts[f] was set to */
        uint32_t calls; /* calls sampled because they were the first ones */
    } of[]; /* indexed by function */
};
#define OWN_SIZE                                                                                   \
    (sizeof(struct thread_state) + PF_FUNCS_MAX * sizeof(((struct thread_state *)0)->of[0]))

static struct pf_burst_rate rate = {10, 100, 10000};
static uint32_t frequent_n = 2; /* n: executions in a row that make a pair frequent */
static struct pf_function_pairs before; /* n-frequent pairs of earlier executions; constant */
static struct pf_spin lock; /* protects the next two; a state is freed only outside the list */
static struct pf_function_pairs seen; /* pairs of threads that have ended */
static struct thread_state *running;
static uint64_t *hashes; /* of functions, indexed by number; 0: not computed yet */
static uint32_t known_pairs;
static bool other_thread_seen; /* at some time two threads ran at once */

static bool configure(const char *s) { return pf_burst_rate_parse(s, &rate, &frequent_n); }

static void start(void)
{
    pf_rt.range_limit = BURST_BYTES;
    hashes = pf_sys_map(NULL, PF_FUNCS_MAX * sizeof *hashes);
    known_pairs = pf_sample_state_load(&before, frequent_n);
}

static void begin(struct pf_thread *t)
{
    struct thread_state *o = hashes ? pf_sys_map(NULL, OWN_SIZE) : NULL;
    if (o && (o->table_index = pf_running_register(t)) == UINT32_MAX) {
        pf_sys(SYS_munmap, o, OWN_SIZE);
        o = NULL;
    }
    t->sample.policy_state = o;
    if (!o) {
        pf_limit_hit(PF_LIMIT_MEMORY);
        return;
    }
    o->thread = t;
    pf_spin_lock(&lock);
    o->next = running;
    if (running)
        running->prev = o;
    running = o;
    pf_spin_unlock(&lock);
}

static void free_state(struct thread_state *o)
{
    pf_function_pairs_release(&o->pairs);
    pf_sys(SYS_munmap, o, OWN_SIZE);
}

static void end(struct pf_thread *t)
{
    struct thread_state *o = t->sample.policy_state;
    if (!o)
        return;
    pf_running_unregister(o->table_index, t->context.frames + 1);
    t->sample.policy_state = NULL;
    pf_spin_lock(&lock);
    if (o->prev)
        o->prev->next = o->next;
    else
        running = o->next;
    if (o->next)
        o->next->prev = o->prev;
    pf_function_pairs_add_all(&seen, &o->pairs);
    pf_spin_unlock(&lock);
    free_state(o);
}

static void suspend(struct pf_thread *t, struct pf_frame *top)
{
    struct thread_state *o = t->sample.policy_state;
    if (o)
        pf_running_suspend(o->table_index, top);
}

static void resume(struct pf_thread *t)
{
    struct thread_state *o = t->sample.policy_state;
    if (o)
        pf_running_resume(o->table_index, &__pf_tls);
}

static uint64_t hash_of(struct pf_func *f)
{
    uint64_t name = __atomic_load_n(&hashes[f->number], __ATOMIC_RELAXED);
    if (__builtin_expect(!name, 0)) {
        name = pf_running_hash(f);
        __atomic_store_n(&hashes[f->number], name, __ATOMIC_RELAXED);
    }
    return name;
}

/* The functions that two threads began with run together from then on. But each is entered only
 * once, and what other threads run at that moment depends on timing. So every read of the table
 * counts for their pair too; otherwise the pair would be new again and again. */
static void count_first_functions(struct thread_state *o, struct pf_func *first,
                                  const struct pf_running_function *others, unsigned n,
                                  uint32_t weight)
{
    for (unsigned i = 0; i < n; i++)
        if (others[i].first)
            pf_function_pairs_count(&o->pairs, &before, hash_of(first), others[i].hash, weight);
}

/* Reads what the other threads run, for `weight` calls of f, and decides whether to sample the
 * call. cold: it is sampled in any case, and all other threads are woken. */
static bool decide(struct pf_thread *t, struct pf_func *f, uint32_t weight, bool cold,
                   uint32_t *left)
{
    struct thread_state *o = t->sample.policy_state;
    struct pf_running_function others[PF_RUNNING_FUNCTIONS_MAX];
    uint64_t other[PF_RUNNING_FUNCTIONS_MAX], deciding;
    uint64_t name = hash_of(f);
    bool alone;
    unsigned n = pf_running_begin_read(o->table_index, others, &alone);
    for (unsigned i = 0; i < n; i++)
        other[i] = others[i].hash;
    enum pf_pair_decision decision = pf_function_pairs_decide(&o->pairs, &before, &rate, name,
                                                              other, n, weight, &deciding, left);
    if (__pf_tls.frame > t->context.frames + 1 && t->context.frames[1].func->number)
        count_first_functions(o, t->context.frames[1].func, others, n, weight);
    for (uint64_t waking = cold ? ~0ull >> (64 - n) : deciding; waking; waking &= waking - 1) {
        const struct pf_running_function *s = &others[__builtin_ctzll(waking)];
        bool switch_body = decision == PF_PAIR_FIRST_BURST && waking & -waking & deciding;
        pf_running_wake(s->thread, switch_body && s->hash & PF_RUNNING_HAS_LOOPS);
    }
    pf_running_end_read(o->table_index);
    if (!alone)
        __atomic_store_n(&other_thread_seen, true, __ATOMIC_RELAXED);
    else if (decision == PF_PAIR_SKIP && *left > SKIP_ALONE)
        *left = SKIP_ALONE;
    return decision != PF_PAIR_SKIP || cold;
}

/* True if this is one of the first calls of the function. */
static bool is_cold(struct thread_state *o, const struct pf_func *f)
{
    if (o->of[f->number].calls >= rate.burst)
        return false;
    o->of[f->number].calls++;
    return true;
}

static void burst_begins(struct pf_thread *t)
{
    struct thread_state *o = t->sample.policy_state;
    if (o)
        o->burst_end = __builtin_ia32_rdtsc() + BURST_CYCLES;
}

static enum pf_body call(struct pf_thread *t, struct pf_func *f)
{
    struct thread_state *o = t->sample.policy_state;
    if (!o)
        return PF_BODY_WATCH;
    __atomic_store_n(&__pf_tls.dispatch, PF_DISPATCH_COUNT, __ATOMIC_SEQ_CST);
    if (__atomic_exchange_n(&__pf_tls.woken, 0, __ATOMIC_SEQ_CST))
        o->woken_calls_left = rate.burst;
    __atomic_store_n(&__pf_tls.body_switch, 0, __ATOMIC_RELAXED);
    int32_t *count = &__pf_tls.counts[f->number], *skipped = &o->of[f->number].skipped;
    uint32_t left, weight = (uint32_t)(*skipped - (*count < 0 ? 0 : *count) + 1);
    bool sample = decide(t, f, weight, is_cold(o, f), &left);
    /* grows from 0 as long as nothing is sampled */
    int32_t most = *skipped + *skipped / SKIP_GROWTH + 1;
    *skipped = sample ? 0 : (int32_t)(left - 1 < SKIP_MAX ? left - 1 : SKIP_MAX);
    if (*skipped > most)
        *skipped = most;
    *count = *skipped;
    if (o->woken_calls_left) { /* after a wake-up, calls of all functions are sampled */
        sample = true;
        if (--o->woken_calls_left)
            __atomic_store_n(&__pf_tls.dispatch, PF_DISPATCH_ASK, __ATOMIC_SEQ_CST);
    }
    if (sample && f->flags & PF_FUNCF_LOOPS)
        burst_begins(t);
    return sample ? PF_BODY_WATCH : PF_BODY_PLAIN;
}

static uint32_t burst_left(struct pf_thread *t, struct pf_func *f, uint32_t iterations)
{
    struct thread_state *o = t->sample.policy_state;
    if (!o || __builtin_ia32_rdtsc() < o->burst_end)
        return iterations;
    o->of[f->number].calls = rate.burst; /* it runs for long: one of its first calls is enough */
    return 0;
}

static void joined(struct pf_thread *t) { pf_running_joined(t); }

/* `seen` stays as it is, because threads may still end, and an exec may fail. */
static void finish(struct pf_sample_numbers *out, bool exec)
{
    struct pf_function_pairs all = {0};
    pf_spin_lock(&lock);
    pf_function_pairs_add_all(&all, &seen);
    for (struct thread_state *o = running; o; o = o->next)
        pf_function_pairs_add_all(&all, &o->pairs);
    pf_spin_unlock(&lock);
    if (__atomic_load_n(&other_thread_seen, __ATOMIC_RELAXED))
        pf_sample_state_save(&all, exec);
    out->pairs = all.n > known_pairs ? all.n : known_pairs;
    out->frequent = before.n;
    pf_function_pairs_release(&all);
}

static void exec_failed(void) { pf_sample_state_retract(); }

static void take_lock(void) { pf_spin_lock(&lock); }
static void drop_lock(void) { pf_spin_unlock(&lock); }

/* The parent saves what was seen so far. The other threads do not exist here; fibers do, and watch
 * every call from now on. */
static void forked(struct pf_thread *t)
{
    struct thread_state *own = t->sample.policy_state;
    for (struct thread_state *o = running, *next; o; o = next) {
        next = o->next;
        if (o == own)
            continue;
        o->thread->sample.policy_state = NULL;
        free_state(o);
    }
    running = own;
    pf_function_pairs_release(&seen);
    other_thread_seen = false;
    pf_running_after_fork(own ? own->table_index : UINT32_MAX);
    if (own) {
        own->prev = own->next = NULL;
        pf_function_pairs_release(&own->pairs);
    }
}

const struct pf_sampler pf_sampler_atexrace = {
    .name = "atexrace",
    .configure = configure,
    .start = start,
    .begin = begin,
    .end = end,
    .call = call,
    .burst_begins = burst_begins,
    .burst_left = burst_left,
    .joined = joined,
    .suspend = suspend,
    .resume = resume,
    .finish = finish,
    .exec_failed = exec_failed,
    .lock = take_lock,
    .unlock = drop_lock,
    .forked = forked,
};
