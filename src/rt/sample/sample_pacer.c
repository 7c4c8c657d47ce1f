/*
 * sample_pacer.c - Pacer (Bond, Coons, McKinley, PLDI 2010): time is divided into short periods,
 * and each is a sampling period, for all threads, with probability RATE.
 *
 * Model:   accesses in a sampling period leave access records in the shadow. Other accesses leave
 *          none, but are checked against the existing ones. So a race is found if its first access
 *          was in a sampling period, which has probability RATE, whenever the second one comes.
 *
 * This needs the watch body all the time. Its inline check passes at once where the shadow is
 * empty, because outside sampling periods the thread's key is 0, the value of an empty cell. The
 * check looks at one of two words, so while Pacer runs, a cell with records has records in both
 * (pf_rt.check_only_threads). As in Pacer, an access outside a sampling period that is ordered
 * after an access record and would replace it removes it, so that the fast path applies to that
 * cell again. A thread notices a new period at its next call.
 */
#include "random.h"
#include "rt.h"
#include "sample.h"
#include "slot.h"
#include "sys.h"

#define PERIOD (1u << 21) /* cycles */
#define MILLION 1000000u

static uint32_t rate; /* in millionths */
static uint64_t current_period;  /* number of the period << 1 | it is a sampling period */
static uint64_t began, seed;

/* 0.03, .03, 3%, 1, 100% */
static bool configure(const char *s)
{
    uint64_t v = 0, scale = 1;
    bool digits = false, point = false;
    for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        digits = true;
        if (scale < MILLION * 100ull) {
            v = v * 10 + (uint64_t)(*s - '0');
            scale *= point ? 10 : 1;
        }
        if (v > MILLION * 100ull * 100)
            return false;
    }
    if (*s == '%') {
        scale *= 100;
        s++;
    }
    rate = (uint32_t)(v * MILLION / scale);
    return digits && !*s && v * MILLION / scale <= MILLION;
}

static bool samples(uint64_t period)
{
    uint64_t state = pf_random_skip(seed, period);
    return pf_random_next(&state) % MILLION < rate;
}

static void start(void)
{
    began = __builtin_ia32_rdtsc();
    if (pf_sys(SYS_getrandom, &seed, sizeof seed, 0) != sizeof seed)
        seed = began;
    current_period = samples(0);
    pf_rt.check_only_threads = true;
}

static void apply_period(struct pf_thread *t)
{
    bool idle = !(__atomic_load_n(&current_period, __ATOMIC_RELAXED) & 1);
    if (t->check_only == idle)
        return;
    t->check_only = idle;
    pf_thread_update_key(t);
}

static void begin(struct pf_thread *t)
{
    __pf_tls.dispatch = PF_DISPATCH_ASK;
    apply_period(t);
}

static void end(struct pf_thread *t) { (void)t; }

static enum pf_body call(struct pf_thread *t, struct pf_func *f)
{
    (void)f;
    uint64_t period = (__builtin_ia32_rdtsc() - began) / PERIOD;
    uint64_t old = __atomic_load_n(&current_period, __ATOMIC_RELAXED);
    if (old >> 1 < period)
        __atomic_compare_exchange_n(&current_period, &old, period << 1 | samples(period), 0,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    apply_period(t);
    return PF_BODY_WATCH;
}

const struct pf_sampling_policy pf_sampling_pacer = {
    .name = "pacer",
    .configure = configure,
    .start = start,
    .begin = begin,
    .end = end,
    .call = call,
};
