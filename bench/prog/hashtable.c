/*
 * hashtable.c - a chained hash table behind striped locks: short critical sections everywhere.
 *
 * bench: size=3000000 quick=400000 contention=1500000
 *
 * Shows:   the cost of a lock, of the first access after it, and of chains of nodes that every
 *          thread changes.
 * Hides:   long epochs; the table only grows, so there is no freeing.
 */
#include "bench.h"

enum { BUCKETS = 1 << 15, STRIPES = 64, KEYS = 60000 };

struct node {
    struct node *next;
    uint64_t key;
    uint64_t total;
    unsigned hits;
};

struct stripe {
    pthread_mutex_t lock;
    size_t used;
    char pad[64];
};

struct table {
    struct stripe stripe[STRIPES];
    struct node *bucket[BUCKETS];
};

static size_t bucket_of(uint64_t key) { return bench_hash(key) % BUCKETS; }
static struct stripe *stripe_of(struct table *t, size_t bucket)
{
    return &t->stripe[bucket % STRIPES];
}

static struct node *chain_find(struct node *n, uint64_t key)
{
    while (n && n->key != key)
        n = n->next;
    return n;
}

static void table_add(struct table *t, uint64_t key, uint64_t value)
{
    size_t b = bucket_of(key);
    struct stripe *s = stripe_of(t, b);
    pthread_mutex_lock(&s->lock);
    struct node *n = chain_find(t->bucket[b], key);
    if (!n) {
        n = bench_alloc(sizeof *n);
        n->key = key;
        n->total = 0;
        n->hits = 0;
        n->next = t->bucket[b];
        t->bucket[b] = n;
        s->used++;
    }
    n->total += value;
    n->hits++;
    pthread_mutex_unlock(&s->lock);
}

/* The hits depend on the schedule, so the result is only whether the key may be in the table. */
static int table_has(struct table *t, uint64_t key)
{
    size_t b = bucket_of(key);
    struct stripe *s = stripe_of(t, b);
    pthread_mutex_lock(&s->lock);
    struct node *n = chain_find(t->bucket[b], key);
    int found = n && n->key == key && n->hits > 0;
    pthread_mutex_unlock(&s->lock);
    return found;
}

static void *work(struct bench_worker *w)
{
    struct table *t = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    for (size_t i = from; i < to; i++) {
        uint64_t h = bench_hash(i), key = h % KEYS;
        if (h >> 62) /* three of four */
            table_add(t, key, h >> 40);
        else if (table_has(t, key + KEYS))
            bench_fail("hashtable: a key that nobody put in");
        else
            table_has(t, key);
    }
    return NULL;
}

static uint64_t table_drain(struct table *t)
{
    uint64_t sum = 0;
    size_t used = 0, counted = 0;
    for (size_t s = 0; s < STRIPES; s++)
        used += t->stripe[s].used;
    for (size_t b = 0; b < BUCKETS; b++)
        for (struct node *n = t->bucket[b], *next; n; n = next) {
            next = n->next;
            sum += bench_hash(n->key) * n->total + n->hits;
            counted++;
            free(n);
        }
    if (used != counted)
        bench_fail("hashtable: nodes lost");
    return sum;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 10000000);
    struct table *t = calloc(1, sizeof *t);
    if (!t)
        bench_fail("out of memory");
    for (size_t s = 0; s < STRIPES; s++)
        pthread_mutex_init(&t->stripe[s].lock, NULL);
    bench_run(&b, work, t);
    uint64_t sum = table_drain(t);
    for (size_t s = 0; s < STRIPES; s++)
        pthread_mutex_destroy(&t->stripe[s].lock);
    free(t);
    return bench_end("hashtable", sum);
}
