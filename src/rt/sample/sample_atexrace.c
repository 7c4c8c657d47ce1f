/*
 * sample_atexrace.c - AtexRace (Guo, Cai, Yang, ESEC/FSE 2017, Algorithm 2): a call is sampled, and
 * the other thread is woken, if its function runs at the same time as a function with which it was
 * rarely seen together, in this execution or the last ones.
 *
 * In the paper every call asks what the other threads run. Here, if the pairs of a call will not be
 * sampled for a while, the next calls of the function do not ask (`counts`). The more often the
 * pairs were seen, the more calls are skipped; the next call that asks counts for all of them. A
 * new pair is noticed nevertheless: the function that is called less often skips few calls or
 * none.
 *
 * The other thread of a sampled pair is woken: a burst of its next calls is sampled. If the pair is
 * new or in its first burst, and that thread's function has loops, the thread also switches from
 * its plain body to the watch body at the next back edge.
 *
 * When a pair is seen to be new, its race may already have been missed: the first access came
 * before the second function was called, and a short function has returned by then. In the paper
 * functions run under Pin and take long; here they do not. So the calls that LiteRace samples are
 * sampled whatever their pairs are: for each function and thread, a burst at the beginning of the
 * first 100 calls of an execution, of the next 1,000 calls, and then of every 10,000 calls. A
 * watched call that stays in a loop leaves its watch body when its burst is over; windows, in which
 * all threads are watched, cover what comes later in the loop (watch_window.h).
 *
 * Coverage (pair_coverage.h) decides how long a pair is watched: until all sites of both functions
 * that are ever reached were watched while the other function ran, and not for a number of
 * executions. The threads find that out themselves: in the first burst of a pair that is not
 * covered, calls record the sites that they reach (cover_sites.h). A pair that shares memory
 * without a common lock keeps its bursts. A pair that shares none has fewer of them.
 *
 * What is rare in time is always watched, because that costs little: calls of a function that its
 * thread seldom calls, and blocks of a loop that few iterations execute (__pf_rare_block).
 */
#include "cover_sites.h"
#include "limits.h"
#include "pair_history.h"
#include "rt.h"
#include "running_functions.h"
#include "sample.h"
#include "sample_state.h"
#include "sys.h"
#include "watch_window.h"

#define SKIP_MAX 4095 /* calls that pass without reading the table */
/* The number of skipped calls grows by at most 1/SKIP_GROWTH of itself, plus 1. */
#define SKIP_GROWTH 2
/* At most PAIR_CALLS calls of a function, plus one in PAIR_RATE, are sampled because of later
 * bursts of its pairs. Without this limit, a hot function with many pairs, each with its own
 * bursts, would be sampled too often. */
#define PAIR_CALLS 100u
#define PAIR_RATE 500u
#define SKIP_ALONE 15 /* while there is no other thread */
#define DELAYS_MAX 256 /* per thread, see delay() */
#define DELAY_CYCLES (1u << 15) /* about 10 microseconds */
/* One in COVER_EVERY of the other sampled calls records its sites, too: it may reach new ones. */
#define COVER_EVERY 16u
#define RANGE_BYTES (64u << 10) /* of a range that is checked at once */

struct thread_state {
    struct thread_state *prev, *next; /* in the list of running threads */
    struct pf_thread *thread;
    uint32_t table_index;
    uint32_t woken_calls_left; /* calls still to be sampled since the thread was woken */
    uint32_t delays;
    uint32_t since_covered; /* sampled calls since one recorded its sites */
    uint64_t began; /* in cycles */
    bool in_rare_block; /* it is about to switch because of a rare block */
    struct pf_watch_time time;
    struct pf_function_pairs pairs;
    struct {
        int32_t skipped; /* what counts[f] was set to */
        uint32_t calls; /* of this execution */
        uint32_t sampled; /* calls sampled in later bursts of pairs */
        int32_t skip_next; /* how many calls may be skipped after one that is not sampled */
        uint64_t asked; /* when the thread last asked for this function, in cycles */
        /* at the last call after a long interval (call_interval): the thread's processor time, and
         * the number of calls */
        uint64_t rare_cycles;
        uint32_t rare_calls;
    } of[]; /* indexed by function */
};
_Static_assert(PF_RUNNING_FUNCTIONS_MAX <= PF_PAIR_OTHERS_MAX, "decide() has a bit for each");
#define STATE_SIZE                                                                                 \
    (sizeof(struct thread_state) + PF_FUNCS_MAX * sizeof(((struct thread_state *)0)->of[0]))

/* history.lock also protects `running`. A thread's state is removed from that list before it is
 * freed; only the child of fork, which has no other threads, frees states in the list. */
static struct pf_pair_history history = {.rate = {10, 100, 10000, 10}, .frequent_n = 2};
static struct pf_burst_rate base_rate = {10, 100, 10000, 1}; /* LiteRace's */
static struct thread_state *running;

static bool configure(const char *s)
{
    bool good = pf_burst_rate_parse(s, &history.rate, &history.frequent_n);
    if (history.rate.burst < base_rate.period)
        base_rate.burst = history.rate.burst;
    return good;
}

static void start(void)
{
    pf_rt.range_limit = RANGE_BYTES;
    pf_coverage_init(&history.coverage);
    pf_pair_history_start(&history, "pairs");
    pf_cover_start(&history.coverage, history.hashes);
    pf_window_start();
}

static void begin(struct pf_thread *t)
{
    struct thread_state *o = history.hashes ? pf_sys_map(NULL, STATE_SIZE) : NULL;
    if (o && (o->table_index = pf_running_register(t)) == UINT32_MAX) {
        pf_sys(SYS_munmap, o, STATE_SIZE);
        o = NULL;
    }
    t->sample.policy_state = o;
    if (!o) {
        pf_limit_hit(PF_LIMIT_MEMORY);
        return;
    }
    o->thread = t;
    t->sample.cover = pf_cover_new();
    o->began = pf_window_now();
    pf_spin_lock(&history.lock);
    o->next = running;
    if (running)
        running->prev = o;
    running = o;
    pf_spin_unlock(&history.lock);
}

static void free_state(struct thread_state *o)
{
    if (o->thread == __pf_tls.thread)
        pf_cover_stop(o->thread);
    o->thread->covering = false;
    pf_cover_free(o->thread->sample.cover);
    o->thread->sample.cover = NULL;
    pf_function_pairs_release(&o->pairs);
    pf_sys(SYS_munmap, o, STATE_SIZE);
}

static void end(struct pf_thread *t)
{
    struct thread_state *o = t->sample.policy_state;
    if (!o)
        return;
    pf_running_unregister(o->table_index, t->context.frames + 1);
    t->sample.policy_state = NULL;
    pf_spin_lock(&history.lock);
    if (o->prev)
        o->prev->next = o->next;
    else
        running = o->next;
    if (o->next)
        o->next->prev = o->prev;
    pf_function_pairs_add_all(&history.seen, &o->pairs);
    pf_spin_unlock(&history.lock);
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
    return pf_pair_history_hash(&history, f, pf_running_hash);
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
            pf_function_pairs_count(&o->pairs, &history.before, &history.rate, hash_of(first),
                                    others[i].hash, weight);
}

/* A pair is new, and the other threads of the pair were woken: waits a moment until one of them has
 * begun to watch, so that both functions are watched at the same time. */
static void delay(struct thread_state *o, const struct pf_running_function *others, uint64_t woken)
{
    if (o->delays == DELAYS_MAX)
        return;
    o->delays++;
    for (uint64_t end = pf_window_now() + DELAY_CYCLES; pf_window_now() < end;) {
        for (uint64_t w = woken; w; w &= w - 1)
            if (!pf_running_is_woken(others[__builtin_ctzll(w)].thread))
                return;
        __builtin_ia32_pause();
    }
}

/* What is known about the pairs of f with others[0..n). Returns true if one is not covered. */
static bool look_up_coverage(uint64_t f, const struct pf_running_function *others, unsigned n,
                             struct pf_other_function *out)
{
    bool uncovered = false;
    for (unsigned i = 0; i < n; i++) {
        out[i].hash = others[i].hash;
        out[i].kind = pf_coverage_kind(&history.coverage, f, others[i].hash,
                                       others[i].hash != PF_RUNNING_NO_FUNCTION, &out[i].covered);
        uncovered |= !out[i].covered;
    }
    return uncovered;
}

/* The call is sampled: it records its sites if it is in a burst of a pair that is not covered. */
static void cover(struct pf_thread *t, bool in_burst, const struct pf_running_function *others,
                  unsigned n)
{
    struct thread_state *o = t->sample.policy_state;
    uint64_t hash[PF_RUNNING_FUNCTIONS_MAX];
    if (!in_burst && ++o->since_covered < COVER_EVERY)
        return;
    o->since_covered = 0;
    for (unsigned i = 0; i < n; i++)
        hash[i] = others[i].hash;
    pf_cover_begin(t, hash, n);
}

/* What the other threads run while a call asks. */
struct others {
    struct pf_running_function at[PF_RUNNING_FUNCTIONS_MAX];
    unsigned n;
    bool alone, uncovered; /* uncovered: one of the pairs with them is not covered */
};

/* Reads which functions the other threads run, counts `weight` calls of f, and decides by its pairs
 * whether the call is sampled. initial_call: it is one of the first calls of f, so all other
 * threads are woken. */
static enum pf_pair_decision decide(struct pf_thread *t, struct pf_func *f, uint32_t weight,
                                    bool initial_call, uint32_t *left, struct others *with)
{
    struct thread_state *o = t->sample.policy_state;
    struct pf_running_function *others = with->at;
    struct pf_other_function other[PF_RUNNING_FUNCTIONS_MAX];
    uint64_t name = hash_of(f), wake;
    unsigned n = with->n = pf_running_begin_read(o->table_index, others, &with->alone);
    with->uncovered = look_up_coverage(name, others, n, other);
    enum pf_pair_decision decision = pf_function_pairs_decide(
        &o->pairs, &history.before, &history.rate, name, other, n, weight, &wake, left);
    if (__pf_tls.frame > t->context.frames + 1 && t->context.frames[1].func->number)
        count_first_functions(o, t->context.frames[1].func, others, n, weight);
    for (uint64_t waking = initial_call ? ~0ull >> (64 - n) : wake; waking; waking &= waking - 1) {
        const struct pf_running_function *s = &others[__builtin_ctzll(waking)];
        bool switch_body = decision >= PF_PAIR_UNCOVERED_BURST && waking & -waking & wake;
        pf_running_wake(s->thread, switch_body && s->hash & PF_RUNNING_HAS_LOOPS);
    }
    if (decision == PF_PAIR_NEW)
        delay(o, others, wake);
    pf_running_end_read(o->table_index);
    if (!with->alone)
        __atomic_store_n(&history.other_thread_seen, true, __ATOMIC_RELAXED);
    else if (decision == PF_PAIR_SKIP && *left > SKIP_ALONE)
        *left = SKIP_ALONE;
    return decision;
}

/* The thread begins to watch in the middle of a call, because another thread has a pair with its
 * function. */
static void cover_loop(struct pf_thread *t)
{
    struct thread_state *o = t->sample.policy_state;
    struct pf_func *f = __pf_tls.frame[-1].func;
    struct pf_running_function others[PF_RUNNING_FUNCTIONS_MAX];
    struct pf_other_function other[PF_RUNNING_FUNCTIONS_MAX];
    bool alone;
    if (!f || !f->number)
        return;
    unsigned n = pf_running_begin_read(o->table_index, others, &alone);
    if (!alone && look_up_coverage(hash_of(f), others, n, other))
        cover(t, true, others, n);
    pf_running_end_read(o->table_index);
}

static void burst_begins(struct pf_thread *t, uint32_t asked)
{
    struct thread_state *o = t->sample.policy_state;
    if (!o)
        return;
    bool rare = o->in_rare_block && !asked;
    o->in_rare_block = false;
    if (rare) {
        pf_watch_burst_short(&o->time);
        return;
    }
    if (asked == PF_BODY_SWITCH_WOKEN)
        cover_loop(t);
    pf_watch_burst_begin(&o->time, asked == PF_BODY_SWITCH_WINDOW);
    /* while the window is open, the thread also switches in the next loop */
    if (asked == PF_BODY_SWITCH_WINDOW && pf_window_is_open(pf_window_now()))
        __atomic_store_n(&__pf_tls.body_switch, PF_BODY_SWITCH_WINDOW, __ATOMIC_RELAXED);
}

/* A rare call has opened a window: waits a moment, so that the other threads are watched before the
 * call makes its accesses. */
static void window_delay(uint64_t now)
{
    while (pf_window_now() < now + DELAY_CYCLES)
        __builtin_ia32_pause();
}

/* If the call of f is not sampled, the next calls of f do not ask. Their number grows from 0 until
 * a new pair is seen. `often`: f should ask more often. */
static void skip_calls(struct thread_state *o, uint32_t f, bool sample, bool anew, bool often,
                       uint32_t left)
{
    int32_t *next = &o->of[f].skip_next;
    *next = anew ? 0 : often ? *next / 2 : sample ? *next : *next + *next / SKIP_GROWTH + 1;
    if (*next > SKIP_MAX)
        *next = SKIP_MAX;
    int32_t most = left - 1 < SKIP_MAX ? (int32_t)left - 1 : SKIP_MAX;
    __pf_tls.counts[f] = o->of[f].skipped = sample ? 0 : most < *next ? most : *next;
}

/* The mean time between the `weight` calls of f since it last asked. If it is long, the thread may
 * have waited; then the result is the mean processor time since the last such call. */
static uint64_t call_interval(struct thread_state *o, uint32_t f, uint32_t weight, uint64_t now)
{
    uint64_t last = o->of[f].asked ? o->of[f].asked : o->began, interval = (now - last) / weight;
    o->of[f].asked = now;
    if (!pf_window_is_rare(interval))
        return interval;
    uint64_t cycles = pf_watch_processor_cycles(), used = cycles - o->of[f].rare_cycles;
    uint32_t calls = o->of[f].calls + weight, since = calls - o->of[f].rare_calls;
    o->of[f].rare_cycles = cycles;
    o->of[f].rare_calls = calls;
    return since ? used / since : used;
}

/* Decides whether the call is sampled. Also counts the calls of f before it that did not ask. */
static bool samples(struct pf_thread *t, struct thread_state *o, struct pf_func *f, uint64_t now)
{
    int32_t count = __pf_tls.counts[f->number];
    uint32_t weight = (uint32_t)(o->of[f->number].skipped - (count < 0 ? 0 : count) + 1);
    uint32_t left, base_left, *calls = &o->of[f->number].calls,
                              *sampled = &o->of[f->number].sampled;
    uint64_t interval = call_interval(o, f->number, weight, now);
    bool rare = pf_window_is_rare(interval),
         often = rare || pf_window_is_late(o->time.last_call, now);
    *calls += weight - 1;
    bool over = pf_watch_time_add(&o->time, now), initial_call = *calls < base_rate.burst;
    struct others with;
    bool base = pf_burst_rate_samples(&base_rate, *calls, &base_left);
    enum pf_pair_decision decision = decide(t, f, weight, initial_call, &left, &with);
    bool anew = initial_call || decision >= PF_PAIR_FIRST_BURST,
         sample = anew || rare || ((base || decision >= PF_PAIR_UNLOCKED_BURST) && !over);
    if (decision == PF_PAIR_BURST && !sample && !over &&
        *sampled < PAIR_CALLS + *calls / PAIR_RATE) {
        ++*sampled;
        sample = true;
    } else if (decision == PF_PAIR_BURST && !sample) {
        left = SKIP_MAX;
    }
    if (sample && !with.alone)
        cover(t, with.uncovered && decision >= PF_PAIR_UNCOVERED_BURST, with.at, with.n);
    else
        pf_cover_stop(t);
    *calls = *calls < UINT32_MAX / 2 ? *calls + 1 : *calls;
    skip_calls(o, f->number, sample, anew, often, left < base_left ? left : base_left);
    if (with.alone)
        return sample;
    if (pf_window_open_for_rare(now, interval)) {
        pf_running_ask_all(o->table_index, PF_BODY_SWITCH_WINDOW);
        window_delay(now);
        return true;
    }
    if (pf_window_open_if_due(now))
        pf_running_ask_all(o->table_index, PF_BODY_SWITCH_WINDOW);
    return sample;
}

static enum pf_body call(struct pf_thread *t, struct pf_func *f)
{
    struct thread_state *o = t->sample.policy_state;
    if (!o)
        return PF_BODY_WATCH;
    uint64_t now = pf_window_now();
    if (pf_window_is_open(now)) { /* dispatch stays PF_DISPATCH_ASK: the next call asks, too */
        pf_watch_burst_begin(&o->time, true);
        return PF_BODY_WATCH;
    }
    __atomic_store_n(&__pf_tls.dispatch, PF_DISPATCH_COUNT, __ATOMIC_SEQ_CST);
    if (__atomic_exchange_n(&__pf_tls.woken, 0, __ATOMIC_SEQ_CST))
        o->woken_calls_left = history.rate.burst;
    if (__atomic_load_n(&__pf_tls.body_switch, __ATOMIC_RELAXED) == PF_BODY_SWITCH_WINDOW)
        __atomic_store_n(&__pf_tls.body_switch, 0, __ATOMIC_RELAXED); /* it is closed */
    bool sample = samples(t, o, f, now);
    if (o->woken_calls_left) { /* after a wake-up, calls of all functions are sampled */
        sample = true;
        if (--o->woken_calls_left)
            __atomic_store_n(&__pf_tls.dispatch, PF_DISPATCH_ASK, __ATOMIC_SEQ_CST);
    }
    pf_watch_time_decided(&o->time, sample);
    if (sample && f->flags & PF_FUNCF_LOOPS)
        pf_watch_burst_begin(&o->time, false);
    return sample ? PF_BODY_WATCH : PF_BODY_PLAIN;
}

static uint32_t burst_left(struct pf_thread *t, struct pf_func *f, uint32_t iterations)
{
    struct thread_state *o = t->sample.policy_state;
    if (!o || !pf_watch_burst_over(&o->time))
        return iterations;
    if (__atomic_load_n(&__pf_tls.body_switch, __ATOMIC_RELAXED) == PF_BODY_SWITCH_WINDOW)
        __atomic_store_n(&__pf_tls.body_switch, 0, __ATOMIC_RELAXED);
    /* f runs for long: this watched call stands for all its initial calls */
    if (!o->time.in_window && o->of[f->number].calls < base_rate.burst)
        o->of[f->number].calls = base_rate.burst;
    return 0;
}

static bool rare_block(struct pf_thread *t, struct pf_rare_block *block)
{
    struct thread_state *o = t->sample.policy_state;
    return o && (o->in_rare_block = pf_window_rare_block(block, pf_window_now()));
}

static void joined(struct pf_thread *t) { pf_running_joined(t); }

/* `seen` stays as it is, because threads may still end, and an exec may fail. */
static void finish(struct pf_sample_numbers *out, bool exec)
{
    struct pf_function_pairs all = {0};
    pf_spin_lock(&history.lock);
    pf_function_pairs_add_all(&all, &history.seen);
    for (struct thread_state *o = running; o; o = o->next)
        pf_function_pairs_add_all(&all, &o->pairs);
    pf_spin_unlock(&history.lock);
    pf_pair_history_finish(&history, &all, out, exec);
}

static void take_lock(void) { pf_spin_lock(&history.lock); }
static void drop_lock(void) { pf_spin_unlock(&history.lock); }

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
    pf_pair_history_forked(&history);
    pf_running_after_fork(own ? own->table_index : UINT32_MAX);
    if (own) {
        own->prev = own->next = NULL;
        pf_function_pairs_release(&own->pairs);
    }
}

const struct pf_sampling_policy pf_sampling_atexrace = {
    .name = "atexrace",
    .configure = configure,
    .start = start,
    .begin = begin,
    .end = end,
    .call = call,
    .burst_begins = burst_begins,
    .burst_left = burst_left,
    .rare_block = rare_block,
    .joined = joined,
    .suspend = suspend,
    .resume = resume,
    .finish = finish,
    .exec_failed = pf_sample_state_retract,
    .lock = take_lock,
    .unlock = drop_lock,
    .forked = forked,
};
