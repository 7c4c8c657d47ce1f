/*
 * sample_atexrace_paper.c - AtexRace as published (Guo, Cai, Yang, ESEC/FSE 2017, Algorithm 2), to
 * be measured next to our variant of it (sample_atexrace.c).
 *
 * Model:   F(t) is the function that thread t entered last, S(t) says whether its accesses are
 *          sampled. A call of f by t pairs f with F(t') of every other thread t'. A pair that is
 *          not in t's map FP(t) sets S(t) and S(t'). A pair in it counts the call; if the count is
 *          in a burst, S(t) and S(t') are set, else S(t) is cleared: the last thread examined
 *          decides. When f has returned, its pairs are added to FP(t) with count 1. At the end the
 *          maps are merged and saved; the next execution starts with the n-frequent pairs.
 *
 * S(t) holds for all accesses of t, also those of callers that f returns to, until t enters another
 * function or another thread sets S(t). So every call runs the watch body; while S(t) is false the
 * checks take the slow path, which ignores the access. That costs more than plain bodies would; the
 * policy exists to compare which races are found.
 *
 * The runtime does not see when a function returns. So its pairs are added when the thread next
 * enters a function or ends: pairs with the functions that the other threads run at that time.
 */
#include "limits.h"
#include "pair_history.h"
#include "rt.h"
#include "sample.h"
#include "sample_state.h"
#include "slot.h"
#include "sys.h"

#define THREADS_MAX 1024 /* further ones are watched always */
/* calls that have not returned; the pairs of deeper ones are added at once */
#define DEPTH_MAX 1024
#define NOTHING 2ull /* F(t) of a thread that has entered no function */

struct paper_thread {
    struct pf_function_pairs pairs; /* FP(t) */
    uint32_t entry, depth;
    struct {
        struct pf_frame *frame;
        uint64_t function;
    } entered[DEPTH_MAX]; /* calls that have not returned */
};

/* The threads of the process. An entry is read without a lock. */
static struct paper_entry {
    uint64_t function; /* F(t); 0: the entry is free */
    uint32_t sampled;  /* S(t) */
    struct paper_thread *state;
} entries[THREADS_MAX];
static uint32_t nentries;
/* its lock also protects `state` of the entries */
static struct pf_pair_history history = {.rate = {10, 100, 100, 10}, .frequent_n = 2};

/* [B/P][:N] */
static bool configure(const char *s)
{
    bool good = pf_burst_rate_parse(s, &history.rate, &history.frequent_n);
    for (unsigned colons = 0; *s; s++)
        good &= (colons += *s == ':') < 2; /* no LONGEST: the period does not grow */
    history.rate.period_max = history.rate.period;
    return good;
}

static void start(void) { pf_pair_history_start(&history, "pairs-paper"); }

static void begin(struct pf_thread *t)
{
    struct paper_thread *o = history.hashes ? pf_sys_map(NULL, sizeof *o) : NULL;
    uint32_t i = 0;
    __pf_tls.dispatch = PF_DISPATCH_ASK;
    pf_spin_lock(&history.lock);
    while (i < nentries && entries[i].function)
        i++;
    if (o && i < THREADS_MAX) {
        o->entry = i;
        entries[i].state = o;
        __atomic_store_n(&entries[i].sampled, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&entries[i].function, NOTHING, __ATOMIC_RELEASE);
        if (i == nentries)
            __atomic_store_n(&nentries, i + 1, __ATOMIC_RELEASE);
        t->sampled = &entries[i].sampled;
        t->sample.policy_state = o;
    }
    pf_spin_unlock(&history.lock);
    if (t->sample.policy_state)
        return;
    pf_limit_hit(PF_LIMIT_MEMORY);
    if (o)
        pf_sys(SYS_munmap, o, sizeof *o);
}

/* Runs the following block for the entry of every other thread. */
#define FOR_EACH_OTHER(o, entry)                                                                   \
    for (struct paper_entry *entry = entries,                                                      \
                            *end_ = entries + __atomic_load_n(&nentries, __ATOMIC_ACQUIRE);        \
         entry < end_; entry++)                                                                    \
        if (entry != &entries[(o)->entry] && __atomic_load_n(&entry->function, __ATOMIC_RELAXED))

/* A call of f has returned: adds its pairs to the map. */
static void add_pairs(struct paper_thread *o, uint64_t f)
{
    FOR_EACH_OTHER(o, entry)
    {
        uint64_t other = __atomic_load_n(&entry->function, __ATOMIC_RELAXED);
        uint64_t key = other ? pf_function_pair_key(f, other) : 0;
        if (key && !pf_function_pairs_find(&o->pairs, key) &&
            !pf_function_pairs_find(&history.before, key))
            pf_function_pairs_add(&o->pairs, key, 1, 0);
    }
}

static void leave_returned(struct paper_thread *o, struct pf_frame *frame)
{
    while (o->depth && (!frame || o->entered[o->depth - 1].frame >= frame))
        add_pairs(o, o->entered[--o->depth].function);
}

static uint64_t compute_hash(struct pf_func *f)
{
    return pf_function_hash(pf_rel_str(&f->name), pf_rel_str(&f->file), f->hash) | 4;
}

/* Lines 12 to 26 of the algorithm: computes S(t). */
static bool look_at_others(struct paper_thread *o, uint64_t f)
{
    bool sample = false;
    FOR_EACH_OTHER(o, entry)
    {
        uint64_t other = __atomic_load_n(&entry->function, __ATOMIC_RELAXED);
        if (!other)
            continue; /* the thread has just ended */
        __atomic_store_n(&history.other_thread_seen, true, __ATOMIC_RELAXED);
        uint64_t key = pf_function_pair_key(f, other);
        struct pf_function_pair *e = pf_function_pairs_find(&o->pairs, key);
        const struct pf_function_pair *b = e ? NULL : pf_function_pairs_find(&history.before, key);
        if (b)
            e = pf_function_pairs_add(&o->pairs, key, b->count, b->count);
        uint32_t left;
        if (e) {
            uint32_t count = e->count + (e->count < UINT32_MAX);
            __atomic_store_n(&e->count, count, __ATOMIC_RELAXED);
            sample = pf_burst_rate_samples(&history.rate, count - 1, &left);
        } else {
            sample = true;
        }
        if (sample)
            __atomic_store_n(&entry->sampled, 1, __ATOMIC_RELAXED);
    }
    return sample;
}

static enum pf_body call(struct pf_thread *t, struct pf_func *f)
{
    struct paper_thread *o = t->sample.policy_state;
    if (!o)
        return PF_BODY_WATCH;
    uint64_t function = pf_pair_history_hash(&history, f, compute_hash);
    leave_returned(o, __pf_tls.frame);
    __atomic_store_n(&entries[o->entry].function, function, __ATOMIC_RELAXED);
    bool sample = look_at_others(o, function);
    __atomic_store_n(&entries[o->entry].sampled, sample, __ATOMIC_RELAXED);
    pf_thread_update_key(t);
    if (o->depth == DEPTH_MAX)
        add_pairs(o, function);
    else {
        o->entered[o->depth].frame = __pf_tls.frame;
        o->entered[o->depth++].function = function;
    }
    return PF_BODY_WATCH;
}

static void end(struct pf_thread *t)
{
    struct paper_thread *o = t->sample.policy_state;
    if (!o)
        return;
    leave_returned(o, NULL);
    t->sample.policy_state = NULL;
    t->sampled = NULL;
    pf_spin_lock(&history.lock);
    __atomic_store_n(&entries[o->entry].function, 0, __ATOMIC_RELEASE);
    entries[o->entry].state = NULL;
    pf_function_pairs_add_all(&history.seen, &o->pairs);
    pf_spin_unlock(&history.lock);
    pf_function_pairs_release(&o->pairs);
    pf_sys(SYS_munmap, o, sizeof *o);
}

static void finish(struct pf_sample_numbers *out, bool exec)
{
    struct pf_function_pairs all = {0};
    pf_spin_lock(&history.lock);
    pf_function_pairs_add_all(&all, &history.seen);
    for (uint32_t i = 0; i < nentries; i++)
        if (entries[i].state)
            pf_function_pairs_add_all(&all, &entries[i].state->pairs);
    pf_spin_unlock(&history.lock);
    pf_pair_history_finish(&history, &all, out, exec);
}

static void take_lock(void) { pf_spin_lock(&history.lock); }
static void drop_lock(void) { pf_spin_unlock(&history.lock); }

/* The other threads do not exist in the child; the parent saves what was seen so far. */
static void forked(struct pf_thread *t)
{
    struct paper_thread *own = t->sample.policy_state;
    for (uint32_t i = 0; i < nentries; i++)
        if (entries[i].state != own) {
            entries[i].function = 0;
            entries[i].state = NULL;
        }
    pf_pair_history_forked(&history);
    if (own)
        pf_function_pairs_release(&own->pairs);
}

const struct pf_sampling_policy pf_sampling_atexrace_paper = {
    .name = "atexrace-paper",
    .configure = configure,
    .start = start,
    .begin = begin,
    .end = end,
    .call = call,
    .finish = finish,
    .exec_failed = pf_sample_state_retract,
    .lock = take_lock,
    .unlock = drop_lock,
    .forked = forked,
};
