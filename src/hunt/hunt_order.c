/* hunt_order.c - see hunt_order.h. A cost usually grows, so it is computed again when the question
 * is taken. It falls if a direction that was asked for several times in vain is then taken by
 * another run; such a question is taken later than it should be. */
#include "hunt_order.h"
#include "pf_symbolic.h"
#include <stdlib.h>

#define COST_THREAD 6 /* of a direction that only other threads took */
#define COST_NEAR 10 /* of a direction near a flip */
#define DEPTH_MAX 2 /* flips since a run that did something new */
#define COST_KNOWN 16 /* the least cost of a direction that runs took */
/* added if the run took no new direction; also the most that the distance adds */
#define COST_OLD 128
#define ANSWERED (1u << 16) /* the count of a question that led to an input; of others: 1 */
#define PARTS 8 /* questions without a solution that count as one that led to an input */
#define VAIN_MAX 11
#define REST_EVERY 4 /* every fourth question is one of cost COST_KNOWN or more */

void pf_hunt_order_release(struct pf_hunt_order *o)
{
    pf_vec_release(&o->questions);
    pf_vec_release(&o->heap[0]);
    pf_vec_release(&o->heap[1]);
    pf_hash_map_release(&o->directions);
    pf_hash_map_release(&o->taken);
    pf_hash_map_release(&o->attempts);
}

static bool has(const struct pf_hash_map *m, uint64_t key)
{
    return pf_hash_map_find(m, key) != PF_HASH_NONE;
}

static bool add(struct pf_hash_map *m, uint64_t key)
{
    if (has(m, key))
        return false;
    pf_hash_map_add(m, key, 0);
    return true;
}

unsigned pf_hunt_order_took(struct pf_hunt_order *o, uint64_t direction, uint64_t branch,
                            uint64_t own)
{
    bool more = add(&o->taken, branch), by_thread = own && add(&o->taken, own);
    return add(&o->directions, direction) ? 2 : more || by_thread;
}

bool pf_hunt_order_is_new(const struct pf_hunt_order *o, const struct pf_hunt_question *q)
{
    return q->reason != PF_REASON_ASSUMED && !has(&o->directions, q->direction);
}

static uint32_t attempts(const struct pf_hunt_order *o, uint64_t key)
{
    uint32_t n = pf_hash_map_find(&o->attempts, key);
    return n == PF_HASH_NONE ? 0 : n / ANSWERED + n % ANSWERED / PARTS;
}

/* The same for a direction that no run took: as long as no question has led to an input, the cost
 * stays below COST_KNOWN. The next run may be the one in which the direction is possible. */
static uint32_t attempts_for_new(const struct pf_hunt_order *o, uint64_t key)
{
    uint32_t n = pf_hash_map_find(&o->attempts, key);
    uint32_t vain = n == PF_HASH_NONE ? 0 : n % ANSWERED / PARTS;
    return n == PF_HASH_NONE ? 0 : 4 * (n / ANSWERED) + (vain < VAIN_MAX ? vain : VAIN_MAX);
}

static void count_attempt(struct pf_hunt_order *o, uint64_t key, uint32_t parts)
{
    struct pf_hash_walk w = pf_hash_map_walk(&o->attempts, key);
    if (pf_hash_map_next(&o->attempts, &w))
        pf_hash_map_set(&o->attempts, &w, w.value + parts);
    else
        pf_hash_map_add(&o->attempts, key, parts);
}

static void count_question(struct pf_hunt_order *o, const struct pf_hunt_question *q,
                           uint32_t parts)
{
    count_attempt(o, q->direction, parts);
    if (q->branch != q->direction)
        count_attempt(o, q->branch, parts);
    if (q->own)
        count_attempt(o, q->own, parts);
}

void pf_hunt_order_answered(struct pf_hunt_order *o, const struct pf_hunt_question *q)
{
    count_question(o, q, ANSWERED - 1);
}

static uint32_t cost(const struct pf_hunt_order *o, const struct pf_hunt_question *q)
{
    uint32_t n = attempts(o, q->direction);
    if (pf_hunt_order_is_new(o, q))
        return attempts_for_new(o, q->direction) + (q->reason == PF_REASON_MODEL ? 4 : 0);
    bool old = q->distance == PF_HUNT_NOTHING_NEW, model = q->reason == PF_REASON_MODEL;
    if (!old && q->own && !has(&o->taken, q->own))
        return COST_THREAD + (model ? 4 : 0) + 2 * attempts(o, q->own);
    if (!old && q->reason != PF_REASON_ASSUMED && !has(&o->taken, q->branch))
        return 8 + 2 * attempts(o, q->branch) + (model ? 4 + n : n / 4);
    if (q->depth <= DEPTH_MAX && !q->text && !model && q->reason != PF_REASON_ASSUMED)
        return COST_NEAR + 2 * q->depth;
    uint32_t far = old ? COST_OLD : q->distance / 4 < COST_OLD ? q->distance / 4 : COST_OLD;
    return far + (q->text ? 2 * n : n / 2) +
           (q->reason == PF_REASON_ASSUMED ? 256
            : model                        ? 64
                                           : COST_KNOWN);
}

/* --- the heaps --- */

static bool is_before(const struct pf_hunt_order *o, uint32_t x, uint32_t y)
{
    const struct pf_hunt_question *a = &o->questions.at[x], *b = &o->questions.at[y];
    uint32_t ca = cost(o, a), cb = cost(o, b);
    if (ca != cb)
        return ca < cb;
    if (a->reached != b->reached)
        return a->reached > b->reached;
    if (a->path != b->path)
        return ca < COST_THREAD ? a->path < b->path : a->path > b->path;
    return a->condition < b->condition;
}

static void push(struct pf_hunt_order *o, uint32_t question)
{
    pf_vec_u32 *h = &o->heap[cost(o, &o->questions.at[question]) >= COST_KNOWN];
    pf_vec_push(h, question);
    size_t i = h->len - 1;
    for (; i && is_before(o, question, h->at[(i - 1) / 2]); i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = question;
}

static uint32_t pop(struct pf_hunt_order *o, pf_vec_u32 *h)
{
    uint32_t top = h->at[0], last = h->at[--h->len];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < h->len && is_before(o, h->at[child + 1], h->at[child]))
            child++;
        if (child >= h->len || !is_before(o, h->at[child], last))
            break;
        h->at[i] = h->at[child];
        i = child;
    }
    if (h->len)
        h->at[i] = last;
    return top;
}

/* The first question of a heap: its cost may have changed since it was added. */
static struct pf_hunt_question *take(struct pf_hunt_order *o, unsigned which)
{
    pf_vec_u32 *h = &o->heap[which];
    while (h->len) {
        uint32_t top = pop(o, h);
        struct pf_hunt_question *q = &o->questions.at[top];
        if (q->asked)
            continue;
        if ((cost(o, q) >= COST_KNOWN) != which || (h->len && is_before(o, h->at[0], top))) {
            push(o, top);
            continue;
        }
        return q;
    }
    return NULL;
}

/* The cheapest question of the wanted runs, whichever heap it is in. */
static struct pf_hunt_question *take_wanted(struct pf_hunt_order *o,
                                            bool (*wanted)(void *, uint32_t), void *arg)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < o->questions.len; i++)
        if (!o->questions.at[i].asked && wanted(arg, o->questions.at[i].run) &&
            (best == UINT32_MAX || is_before(o, i, best)))
            best = i;
    return best == UINT32_MAX ? NULL : &o->questions.at[best];
}

void pf_hunt_order_add(struct pf_hunt_order *o, const struct pf_hunt_question *q)
{
    pf_vec_push(&o->questions, *q);
    push(o, (uint32_t)o->questions.len - 1);
}

const struct pf_hunt_question *
pf_hunt_order_next(struct pf_hunt_order *o, bool (*wanted)(void *arg, uint32_t run), void *arg)
{
    unsigned rest = ++o->chosen % REST_EVERY == 0;
    struct pf_hunt_question *q = wanted ? take_wanted(o, wanted, arg) : take(o, rest);
    if (q && !wanted && !rest && o->chosen % 2 == 0 && cost(o, q) >= COST_THREAD) {
        push(o, (uint32_t)(q - o->questions.at));
        q = take(o, rest = 1);
    }
    if (!q && !wanted)
        q = take(o, !rest);
    if (!q)
        return NULL;
    q->asked = true;
    count_question(o, q, 1);
    return q;
}

uint64_t pf_hunt_order_open(const struct pf_hunt_order *o)
{
    uint64_t n = 0;
    for (size_t i = 0; i < o->questions.len; i++)
        n += !o->questions.at[i].asked;
    return n;
}

/* --- what is left --- */

struct open_question {
    const struct pf_hunt_question *q;
    uint32_t cost;
};

static int by_cost(const void *a, const void *b)
{
    const struct open_question *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->q->path != y->q->path)
        return x->q->path > y->q->path ? -1 : 1;
    return (x->q->condition > y->q->condition) - (x->q->condition < y->q->condition);
}

void pf_hunt_order_left(const struct pf_hunt_order *o, const struct pf_hash_map *asked,
                        uint64_t unfinished, struct pf_hunt_open *runs)
{
    PF_VEC(struct open_question) all = {0};
    struct pf_hash_map seen = {0}; /* keys; all values are 0 */
    for (size_t i = 0; i < o->questions.len; i++) {
        const struct pf_hunt_question *q = &o->questions.at[i];
        if ((!q->asked && !has(asked, q->key)) || (unfinished && q->key == unfinished))
            pf_vec_push(&all, (struct open_question){q, cost(o, q)});
    }
    if (all.len)
        qsort(all.at, all.len, sizeof *all.at, by_cost);
    for (size_t i = 0; i < all.len; i++) {
        struct pf_hunt_open *r = &runs[all.at[i].q->run];
        if (has(&seen, all.at[i].q->key))
            continue;
        pf_hash_map_add(&seen, all.at[i].q->key, 0);
        if (!r->keys.len)
            r->cost = all.at[i].cost;
        pf_vec_push(&r->keys, all.at[i].q->key);
    }
    pf_hash_map_release(&seen);
    pf_vec_release(&all);
}
