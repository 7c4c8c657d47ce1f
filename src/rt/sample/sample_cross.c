/*
 * sample_cross.c - for tests: every call begins in its plain body and switches to its watch body at
 * the first back edge of a loop. In a longer loop it switches back and forth.
 */
#include "sample.h"

static bool configure(const char *parameters) { return !*parameters; }

static void begin(struct pf_thread *t)
{
    (void)t;
    __pf_tls.dispatch = PF_DISPATCH_ASK;
    __pf_tls.body_switch = 1;
}

static void end(struct pf_thread *t) { (void)t; }

static enum pf_body call(struct pf_thread *t, struct pf_func *f)
{
    (void)t;
    (void)f;
    __pf_tls.body_switch = 1;
    return PF_BODY_PLAIN;
}

static uint32_t burst_left(struct pf_thread *t, struct pf_func *f, uint32_t iterations)
{
    (void)t;
    (void)f;
    (void)iterations;
    /* every second time the call returns to the watch body at the next back edge, otherwise after
     * the loop */
    __pf_tls.body_switch = ++__pf_tls.woken & 1;
    return 0;
}

const struct pf_sampling_policy pf_sampling_cross = {
    .name = "cross",
    .configure = configure,
    .begin = begin,
    .end = end,
    .call = call,
    .burst_left = burst_left,
};
