#include "synth.h"
#include <stdio.h>
#include <string.h>

const struct pf_synth_shape pf_synth_default = {
    .threads = 16,
    .variables = 424,
    .locks = 32,
    .functions = 60,
    .slice = 12,
};

/* One step of a thread's current function. */
enum op { LOCK, UNLOCK, READ, WRITE, DONE };
struct step {
    uint8_t op;
    uint32_t what, site;
    uint64_t value; /* to store; 0: any value */
};
struct thread {
    struct step todo[64];
    uint32_t at, len;
};
struct synth {
    struct pf_trace *t;
    const struct pf_synth_shape *s;
    uint64_t rnd;
    struct thread *th;
    uint64_t *value;
    uint32_t *owner; /* the owner of each lock: 1 + thread, or 0 */
    uint32_t *place;
    uint64_t handed;
};

static uint32_t pick(struct synth *x, uint32_t n)
{
    x->rnd ^= x->rnd << 13;
    x->rnd ^= x->rnd >> 7;
    x->rnd ^= x->rnd << 17;
    return (uint32_t)(x->rnd >> 20) % n;
}

static void plan(struct synth *x, struct thread *th, uint8_t op, uint32_t what, uint32_t f)
{
    th->todo[th->len] = (struct step){op, what, f * 64 + th->len, 0};
    th->len++;
}

#define SLOT 4 /* a flag and the data that it publishes */

/* Thread t passes data to thread t + 1 through a flag under a lock, and owns the data again when
 * the flag is 0 again: no race, but only an analysis that considers values can prove it. */
static bool hand_over(struct synth *x, uint32_t t)
{
    const struct pf_synth_shape *s = x->s;
    struct thread *th = &x->th[t];
    bool give = pick(x, 2);
    uint32_t owner = give ? t : (t + s->threads - 1) % s->threads, lock = owner % s->locks;
    uint32_t flag = s->variables + s->threads * 8 + owner * SLOT, f = s->functions + give;
    if (!x->value[flag] != give)
        return false;
    plan(x, th, LOCK, lock, f);
    plan(x, th, READ, flag, f);
    plan(x, th, UNLOCK, lock, f);
    for (uint32_t k = 1; k < SLOT; k++) {
        plan(x, th, READ, flag + k, f);
        plan(x, th, WRITE, flag + k, f);
    }
    plan(x, th, LOCK, lock, f);
    plan(x, th, WRITE, flag, f);
    th->todo[th->len - 1].value = give ? ++x->handed : UINT64_MAX;
    plan(x, th, UNLOCK, lock, f);
    return true;
}

/* Variables by number: one in 8 is read-mostly, one in 16 unprotected, locks protect the rest. */
static void next_function(struct synth *x, uint32_t t)
{
    struct thread *th = &x->th[t];
    const struct pf_synth_shape *s = x->s;
    uint32_t f = pick(x, s->functions), lock = f % s->locks, mostly = s->variables / 8,
             loose = s->variables / 16, rest = s->variables - mostly - loose;
    th->at = th->len = 0;
    if (pick(x, 3) && hand_over(x, t))
        return;
    for (uint32_t k = 0; k < 4; k++)
        plan(x, th, k & 1 ? WRITE : READ, s->variables + t * 8 + k, f);
    plan(x, th, READ, pick(x, mostly), f);
    if (f % 7 == 0)
        plan(x, th, f % 2 ? READ : WRITE, mostly + f % loose, f); /* no lock protects it */
    plan(x, th, LOCK, lock, f);
    for (uint32_t k = 0; k < 3 + f % 5; k++) {
        uint32_t per = rest / s->locks;
        uint32_t v = mostly + loose + lock * per + (f * 3 + k) % per;
        plan(x, th, (f + k) % 3 ? READ : WRITE, v, f);
    }
    if (f % 11 == 0) {
        uint32_t inner = (lock + 1) % s->locks;
        if (inner > lock) {
            plan(x, th, LOCK, inner, f);
            plan(x, th, WRITE, mostly + loose + inner * (rest / s->locks), f);
            plan(x, th, UNLOCK, inner, f);
        }
    }
    plan(x, th, UNLOCK, lock, f);
    for (uint32_t k = 0; k < 4; k++)
        plan(x, th, k & 1 ? WRITE : READ, s->variables + t * 8 + k, f);
    if (f % 13 == 0)
        plan(x, th, WRITE, pick(x, mostly), f);
}

static bool step(struct synth *x, uint32_t t)
{
    struct thread *th = &x->th[t];
    if (th->at == th->len)
        next_function(x, t);
    struct step p = th->todo[th->at];
    if (p.op == LOCK && x->owner[p.what] && x->owner[p.what] != t + 1)
        return false;
    th->at++;
    static const uint8_t kind[] = {
        [LOCK] = PF_EV_LOCK, [UNLOCK] = PF_EV_UNLOCK, [READ] = PF_EV_READ, [WRITE] = PF_EV_WRITE};
    struct pf_event *e = pf_trace_add(x->t, kind[p.op], t);
    e->site = p.site;
    e->what = p.op == READ || p.op == WRITE ? x->place[p.what] : p.what;
    if (p.op == LOCK)
        x->owner[p.what] = t + 1;
    else if (p.op == UNLOCK)
        x->owner[p.what] = 0;
    else {
        if (p.op == WRITE)
            x->value[p.what] = !p.value ? pick(x, 8) : p.value == UINT64_MAX ? 0 : p.value;
        e->value = x->value[p.what];
    }
    return true;
}

void pf_synth(struct pf_trace *t, const struct pf_synth_shape *s, uint64_t seed)
{
    struct synth x = {.t = t, .s = s, .rnd = seed * 2654435761u + 88172645463325252ull};
    pf_trace_init(t);
    char name[32];
    for (uint32_t i = 0; i < s->threads; i++)
        pf_trace_role_number(t, PF_ROLE_THREAD,
                             pf_trace_name(t, name, (size_t)snprintf(name, sizeof name, "T%u", i)));
    for (uint32_t i = 0; i < s->locks; i++)
        pf_trace_role_number(t, PF_ROLE_LOCK,
                             pf_trace_name(t, name, (size_t)snprintf(name, sizeof name, "m%u", i)));
    uint32_t nvars = s->variables + s->threads * (8 + SLOT);
    x.place = pf_mem_resize(NULL, nvars, sizeof *x.place);
    for (uint32_t i = 0; i < nvars; i++) {
        x.place[i] = pf_trace_place(t, 0x100000 + 8ull * i, 8);
        pf_vec_push(&t->initials, (struct pf_initial){x.place[i], 0});
    }
    uint32_t file = pf_trace_name(t, "synth.c", 7);
    for (uint32_t i = 0; i < (s->functions + 2) * 64; i++)
        pf_trace_site(t, file, i + 1);
    x.th = pf_mem_zero(s->threads, sizeof *x.th);
    x.value = pf_mem_zero(nvars, sizeof *x.value);
    x.owner = pf_mem_zero(s->locks, sizeof *x.owner);
    pf_vec_reserve(&t->events, s->events + 1);
    for (uint32_t now = 0; t->events.len < s->events;) {
        if (!pick(&x, s->slice) || !step(&x, now))
            now = pick(&x, s->threads);
    }
    pf_trace_seal(t);
    free(x.th);
    free(x.value);
    free(x.owner);
    free(x.place);
}
