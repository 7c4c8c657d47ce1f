/*
 * sample_pacer.c - Pacer (Bond, Coons, McKinley, PLDI 2010): time is cut into short periods, and each is a
 * sampling period, for all threads, with the probability RATE.
 *
 * Model:   in a sampling period accesses leave statements in the shadow; outside of them they leave none
 *          but are checked against those that are there. So a race is found whenever its first access
 *          was in a sampling period, which has the probability RATE, whenever the second one comes.
 *
 * That needs the watch body all the time: its inline test passes at once where the shadow is empty, because
 * outside of sampling periods the thread's key is 0, which is what an empty cell says. An access that is
 * ordered after a statement and replaces it removes it, as in Pacer, so that places become quick again.
 * A thread notices a new period at its next call.
 */
#include "rt.h"
#include "sample.h"
#include "slot.h"
#include "sys.h"

#define PERIOD (1u << 21) /* cycles */
#define MILLION 1000000u

static uint32_t rate; /* in millionths */
static uint64_t now;  /* number of the period << 1 | it is a sampling one */
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

static uint64_t draw(uint64_t period) /* splitmix64 */
{
    uint64_t z = seed + (period + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static bool samples(uint64_t period) { return draw(period) % MILLION < rate; }

static void start(void)
{
    began = __builtin_ia32_rdtsc();
    if (pf_sys(SYS_getrandom, &seed, sizeof seed, 0) != sizeof seed)
        seed = began;
    now = samples(0);
}

static void settle(struct pf_thread *t)
{
    bool idle = !(__atomic_load_n(&now, __ATOMIC_RELAXED) & 1);
    if (t->idle == idle)
        return;
    t->idle = idle;
    pf_thread_key(t);
}

static void begin(struct pf_thread *t)
{
    __pf_tls.dispatch = PF_DISPATCH_ASK;
    settle(t);
}

static void end(struct pf_thread *t) { (void)t; }

static enum pf_body call(struct pf_thread *t, struct pf_func *f)
{
    (void)f;
    uint64_t period = (__builtin_ia32_rdtsc() - began) / PERIOD;
    uint64_t old = __atomic_load_n(&now, __ATOMIC_RELAXED);
    if (old >> 1 < period)
        __atomic_compare_exchange_n(&now, &old, period << 1 | samples(period), 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    settle(t);
    return PF_BODY_WATCH;
}

const struct pf_sampler pf_sampler_pacer = {
    .name = "pacer",
    .configure = configure,
    .start = start,
    .begin = begin,
    .end = end,
    .call = call,
};
