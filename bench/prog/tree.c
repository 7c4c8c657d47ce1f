/*
 * tree.c - binary trees of malloc'ed nodes: build, search, walk, free.
 *
 * bench: size=40 quick=14 contention=32
 *
 * Shows:   the cost of malloc and free (blocks registered, shadow cleared) and of pointer chasing;
 *          trees built by one thread are freed by another, ordered by a mutex.
 * Hides:   large blocks. Size is the number of trees of 32768 nodes.
 */
#include "bench.h"

enum { NODES = 1 << 15, POOL = 8 };

struct node {
    struct node *left, *right;
    uint32_t key;
    uint32_t weight;
};

/* Finished trees; any thread may take one. */
struct pool {
    pthread_mutex_t lock;
    struct node *tree[POOL];
    size_t used;
    size_t built, taken; /* tickets */
    uint64_t sum;
};

static struct node *node_new(uint32_t key, uint32_t weight)
{
    struct node *n = bench_alloc(sizeof *n);
    n->left = n->right = NULL;
    n->key = key;
    n->weight = weight;
    return n;
}

/* An unbalanced search tree of pseudo-random keys: its depth is about 2.5 log2(n). */
static struct node *tree_insert(struct node *root, uint32_t key)
{
    struct node **at = &root;
    while (*at && (*at)->key != key)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    if (*at)
        (*at)->weight++;
    else
        *at = node_new(key, 1);
    return root;
}

static struct node *tree_build(size_t number)
{
    uint64_t random = bench_hash(number) | 1;
    struct node *root = NULL;
    for (size_t i = 0; i < NODES; i++)
        root = tree_insert(root, (uint32_t)(bench_next(&random) >> 32));
    return root;
}

static uint64_t tree_sum(const struct node *n, uint32_t depth)
{
    if (!n)
        return depth;
    return n->key * (uint64_t)n->weight + tree_sum(n->left, depth + 1) * 3 +
           tree_sum(n->right, depth + 1) * 5;
}

static size_t tree_free(struct node *n)
{
    if (!n)
        return 0;
    size_t freed = tree_free(n->left) + tree_free(n->right) + 1;
    free(n);
    return freed;
}

/* Puts `mine` into the pool. Returns NULL, or, if the pool was full, the tree that it replaced. */
static struct node *pool_exchange(struct pool *p, struct node *mine)
{
    struct node *out = mine;
    pthread_mutex_lock(&p->lock);
    if (p->used < POOL) {
        p->tree[p->used++] = mine;
        out = NULL;
    } else {
        size_t at = p->taken++ % POOL;
        out = p->tree[at];
        p->tree[at] = mine;
    }
    pthread_mutex_unlock(&p->lock);
    return out;
}

static void *work(struct bench_worker *w)
{
    struct pool *p = w->arg;
    for (;;) {
        pthread_mutex_lock(&p->lock);
        size_t number = p->built++;
        pthread_mutex_unlock(&p->lock);
        if (number >= w->bench->size)
            return NULL;
        struct node *other = pool_exchange(p, tree_build(number));
        if (other) {
            w->sum += tree_sum(other, 0);
            if (tree_free(other) < NODES / 2)
                bench_fail("tree: too few nodes");
        }
    }
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 80);
    struct pool p = {.used = 0};
    pthread_mutex_init(&p.lock, NULL);
    uint64_t sum = bench_run(&b, work, &p);
    while (p.used) {
        struct node *last = p.tree[--p.used];
        sum += tree_sum(last, 0);
        tree_free(last);
    }
    pthread_mutex_destroy(&p.lock);
    return bench_end("tree", sum);
}
