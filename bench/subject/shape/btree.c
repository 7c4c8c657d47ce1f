/*
 * btree.c - an ordered tree with a lock in every node; walks hold two locks at a time.
 *
 * bench: size=900000 quick=40000 contention=300000
 *
 * Shows:   many locks, a new epoch at each of them, nodes of sorted keys that all threads
 *          change, memmove of short ranges. Size is the number of operations; one of four is an
 *          insertion.
 * Hides:   long loops. There are no races. The result is the sorted content, which does not
 *          depend on the schedule.
 */
#include "bench.h"

enum { FAN = 16, KEYS = 100000 };

struct node {
    pthread_mutex_t lock;
    int used, leaf;
    uint32_t key[FAN];
    struct node *child[FAN + 1];
    uint64_t hits[FAN];
};

struct tree {
    pthread_mutex_t lock; /* protects root */
    struct node *root;
};

static struct node *node_new(int leaf)
{
    struct node *n = calloc(1, sizeof *n);
    if (!n)
        bench_fail("out of memory");
    pthread_mutex_init(&n->lock, NULL);
    n->leaf = leaf;
    return n;
}

static int place(const struct node *n, uint32_t key)
{
    int i = 0;
    while (i < n->used && n->key[i] < key)
        i++;
    return i;
}

/* Splits child i of n; the caller holds both locks. */
static void split(struct node *n, int i)
{
    struct node *c = n->child[i], *right = node_new(c->leaf);
    int half = FAN / 2;
    right->used = FAN - half - 1;
    memcpy(right->key, c->key + half + 1, (size_t)right->used * sizeof c->key[0]);
    memcpy(right->hits, c->hits + half + 1, (size_t)right->used * sizeof c->hits[0]);
    memcpy(right->child, c->child + half + 1, (size_t)(right->used + 1) * sizeof c->child[0]);
    c->used = half;
    memmove(n->key + i + 1, n->key + i, (size_t)(n->used - i) * sizeof n->key[0]);
    memmove(n->hits + i + 1, n->hits + i, (size_t)(n->used - i) * sizeof n->hits[0]);
    memmove(n->child + i + 2, n->child + i + 1, (size_t)(n->used - i) * sizeof n->child[0]);
    n->key[i] = c->key[half];
    n->hits[i] = c->hits[half];
    n->child[i + 1] = right;
    n->used++;
}

static struct node *locked_root(struct tree *t)
{
    pthread_mutex_lock(&t->lock);
    struct node *n = t->root;
    pthread_mutex_lock(&n->lock);
    if (n->used == FAN) {
        /* The tree is locked, so nobody else takes the root. Parents are locked first. */
        struct node *up = node_new(0);
        pthread_mutex_unlock(&n->lock);
        pthread_mutex_lock(&up->lock);
        pthread_mutex_lock(&n->lock);
        up->child[0] = n;
        split(up, 0);
        t->root = up;
        pthread_mutex_unlock(&n->lock);
        n = up;
    }
    pthread_mutex_unlock(&t->lock);
    return n;
}

/* Adds the key if `add`; -> is it in the tree? Counts the hit. */
static int visit(struct tree *t, uint32_t key, int add)
{
    struct node *n = locked_root(t);
    for (;;) {
        int i = place(n, key);
        if (i < n->used && n->key[i] == key) {
            n->hits[i] += (uint64_t)add;
            pthread_mutex_unlock(&n->lock);
            return 1;
        }
        if (n->leaf) {
            if (add) {
                memmove(n->key + i + 1, n->key + i, (size_t)(n->used - i) * sizeof n->key[0]);
                memmove(n->hits + i + 1, n->hits + i, (size_t)(n->used - i) * sizeof n->hits[0]);
                n->key[i] = key;
                n->hits[i] = 1;
                n->used++;
            }
            pthread_mutex_unlock(&n->lock);
            return 0;
        }
        struct node *c = n->child[i];
        pthread_mutex_lock(&c->lock);
        if (c->used == FAN) {
            split(n, i);
            pthread_mutex_unlock(&c->lock);
            continue;
        }
        pthread_mutex_unlock(&n->lock);
        n = c;
    }
}

static void *work(struct bench_worker *w)
{
    struct tree *t = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    for (size_t i = from; i < to; i++) {
        uint64_t h = bench_hash(i);
        if (visit(t, (uint32_t)(h % KEYS), i % 4 == 0) && visit(t, KEYS + 1, 0))
            bench_fail("btree: a key that nobody put in");
    }
    return NULL;
}

static uint64_t drain(struct node *n)
{
    uint64_t sum = 0;
    for (int i = 0; i < n->used; i++)
        sum += bench_hash(n->key[i]) * n->hits[i];
    for (int i = 0; i <= n->used && !n->leaf; i++)
        sum += drain(n->child[i]);
    pthread_mutex_destroy(&n->lock);
    free(n);
    return sum;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 900000);
    struct tree t = {.root = node_new(1)};
    pthread_mutex_init(&t.lock, NULL);
    bench_run(&b, work, &t);
    uint64_t sum = drain(t.root);
    pthread_mutex_destroy(&t.lock);
    return bench_end("btree", sum);
}
