/*
 * policy.c - see policy.h. All random numbers come from one generator seeded by the policy's text,
 * so the same seed gives the same schedule.
 */
#include "policy.h"
#include "fuzz_policy.h"
#include "number_text.h"
#include "random.h"

#define SLICE 1000 /* events of a turn of rr, unless the policy says otherwise */
/* One turn in 61 is shorter. Otherwise a loop whose iterations exactly fill a slice would keep its
 * lock for ever. */
#define RR_FAIR 61
/* pct without a length: change points fall into the first 2^4 to 2^15 events */
#define PCT_SHORTEST 4
#define PCT_LENGTHS 12
#define PCT_FAIR 100000 /* events after which a thread that spins at the top loses its priority */
/* decisions after which all runnable threads draw again: those that have yielded rise again */
#define POS_FAIR 1000
#define LENGTHS 11
#define FEW_SHARES 6 /* one in 2 to one in 64 threads */
/* pf_policy_spins: one in 8 threads that wait in a loop goes on, for 2^0 to 2^16 iterations */
#define SPINS_RARELY 8
#define SPINS_LENGTHS 17

static uint64_t draw(struct pf_policy *p) { return pf_random_next(&p->random); }

/* A random priority above all lowered ones. */
static uint64_t draw_high(struct pf_policy *p) { return draw(p) | 1ull << 63; }

/* few: the priority of a thread that waits until no chosen one can run. It is above those of
 * threads that have yielded. */
static uint64_t draw_low(struct pf_policy *p) { return (draw(p) >> 2) + (1ull << 62); }

static bool is_low(const struct pf_context *c) { return !(c->priority >> 63); }

static const char *word(const char *s, const char *w)
{
    while (*w && *s == *w)
        s++, w++;
    return *w ? NULL : s;
}

static void pct_changes(struct pf_policy *p, uint64_t length, uint64_t events)
{
    p->nchange = (uint32_t)(p->depth ? p->depth - 1 : 0);
    if (!length)
        length = 1ull << (PCT_SHORTEST + draw(p) % PCT_LENGTHS);
    for (uint32_t i = 0; i < p->nchange; i++) {
        uint64_t at = events + 1 + draw(p) % length;
        uint32_t j = i;
        for (; j && p->change[j - 1] > at; j--)
            p->change[j] = p->change[j - 1];
        p->change[j] = at;
    }
}

bool pf_policy_parse(struct pf_policy *p, const char *text, uint64_t events)
{
    const char *s;
    uint64_t length = 0;
    *p = (struct pf_policy){.slice = SLICE, .bottom = 1ull << 62};
    if (!text || !*text)
        return true;
    if ((s = word(text, "rr"))) {
        if (*s == ':')
            s = pf_number_parse(s + 1, &p->slice);
        return s && !*s && p->slice;
    }
    if ((s = word(text, "random:"))) {
        p->kind = PF_POLICY_RANDOM;
        s = pf_number_parse(s, &p->random);
        return s && !*s;
    }
    if ((s = word(text, "pos:"))) {
        p->kind = PF_POLICY_POS;
        s = pf_number_parse(s, &p->random);
        return s && !*s;
    }
    if ((s = word(text, "few:"))) {
        p->kind = PF_POLICY_FEW;
        s = pf_number_parse(s, &p->random);
        p->one_in = 1ull << (1 + draw(p) % FEW_SHARES);
        return s && !*s;
    }
    if (pf_fuzz_policy_set(text, &p->random)) {
        p->kind = PF_POLICY_FUZZ;
        return true;
    }
    if (!(s = word(text, "pct:")))
        return false;
    p->kind = PF_POLICY_PCT;
    s = pf_number_parse(s, &p->random);
    s = s && *s == ',' ? pf_number_parse(s + 1, &p->depth) : NULL;
    if (s && *s == ',') {
        s = pf_number_parse(s + 1, &length);
        if (!length)
            return false;
    }
    if (!s || *s || p->depth > PF_POLICY_CHANGES)
        return false;
    pct_changes(p, length, events);
    return true;
}

void pf_policy_add(struct pf_policy *p, struct pf_context *c)
{
    if (p->kind == PF_POLICY_PCT && !c->priority)
        c->priority = draw_high(p);
    if (p->kind == PF_POLICY_POS)
        c->priority = draw_high(p);
    if (p->kind != PF_POLICY_FEW)
        return;
    if (!c->priority) /* a new thread; main is always one of the chosen */
        c->priority = c->number && draw(p) % p->one_in ? draw_low(p) : draw_high(p);
    else if (!is_low(c))
        c->priority = draw_high(p);
}

static struct pf_context *highest(struct pf_queue *ready, struct pf_context *me)
{
    for (struct pf_context *c = ready->first; c; c = c->next)
        if (!me || c->priority > me->priority)
            me = c;
    return me;
}

static struct pf_context *any(struct pf_policy *p, struct pf_queue *ready, struct pf_context *me)
{
    uint64_t n = me != NULL;
    for (struct pf_context *c = ready->first; c; c = c->next)
        n++;
    uint64_t k = draw(p) % n;
    if (me && k-- == 0)
        return me;
    struct pf_context *c = ready->first;
    while (k--)
        c = c->next;
    return c;
}

/* `done` is about to perform its event: threads with a conflicting pending event draw again. */
static void pos_conflicts(struct pf_policy *p, struct pf_queue *ready, struct pf_context *done)
{
    if (!done->pending.address)
        return;
    for (struct pf_context *c = ready->first; c; c = c->next)
        if (c->pending.address == done->pending.address &&
            (c->pending.write || done->pending.write) && !(p->kind == PF_POLICY_FEW && is_low(c)))
            c->priority = draw_high(p);
}

struct pf_context *pf_policy_pick(struct pf_policy *p, struct pf_queue *ready,
                                  struct pf_context *me, bool yielded, uint64_t events)
{
    if (yielded && ready->first) {
        /* to the bottom: two threads that yield to each other must not starve a third */
        me->priority = --p->bottom;
        me = NULL;
    }
    struct pf_context *c;
    switch (p->kind) {
    case PF_POLICY_RR:
        p->shorter = !yielded && ++p->decisions % RR_FAIR == 0;
        return ready->first ? ready->first : me;
    case PF_POLICY_RANDOM:
    case PF_POLICY_FUZZ:
        return any(p, ready, me);
    case PF_POLICY_PCT:
        if (me && p->next_change < p->nchange && events >= p->change[p->next_change]) {
            p->next_change++;
            me->priority = --p->bottom;
        } else if (me && !p->slice) {
            me->priority = --p->bottom;
        }
        return highest(ready, me);
    default:
        if (me && !(p->kind == PF_POLICY_FEW && is_low(me)))
            me->priority = draw_high(p);
        if (++p->decisions % POS_FAIR == 0)
            for (c = ready->first; c; c = c->next)
                c->priority = draw_high(p);
        c = highest(ready, me);
        pos_conflicts(p, ready, c);
        return c;
    }
}

uint64_t pf_policy_grant(struct pf_policy *p, uint64_t events)
{
    switch (p->kind) {
    case PF_POLICY_RR:
        if (!p->shorter)
            return p->slice;
        p->shorter = false;
        return 1 + p->decisions / RR_FAIR * 0x9e3779b97f4a7c15u % p->slice;
    case PF_POLICY_RANDOM:
    case PF_POLICY_FUZZ: {
        uint64_t r = draw(p);
        return 1 + (r >> 8) % (1ull << (r & 255) % LENGTHS);
    }
    case PF_POLICY_PCT: {
        uint64_t next = p->next_change < p->nchange ? p->change[p->next_change] : ~0ull;
        uint64_t until = next > events ? next - events : 1;
        p->slice = until < PCT_FAIR; /* 0: the grant ends for fairness */
        return until < PCT_FAIR ? until : PCT_FAIR;
    }
    default:
        return 1;
    }
}

bool pf_policy_waits_at_exit(struct pf_policy *p)
{
    return p->kind == PF_POLICY_RR || (p->kind != PF_POLICY_PCT && draw(p) & 1);
}

uint32_t pf_policy_spins(struct pf_policy *p)
{
    uint64_t r = p->kind == PF_POLICY_RR ? 1 : draw(p);
    return r % SPINS_RARELY ? 0 : 1u << (r >> 8) % SPINS_LENGTHS;
}

bool pf_policy_preempts(const struct pf_policy *p, const struct pf_context *c,
                        const struct pf_context *me)
{
    return p->kind == PF_POLICY_PCT && c->priority > me->priority;
}
