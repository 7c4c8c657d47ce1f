/*
 * list.c - a sorted linked list under one mutex: every operation walks nodes that another thread
 * may have accessed last.
 *
 * bench: size=110000 quick=50000 contention=100000
 *
 * Shows:   reads of the same nodes in ever new epochs by all threads, always ordered by the lock:
 *          the worst case for a detector that keeps one reader for each cell.
 * Hides:   parallelism: one thread works at a time.
 */
#include "bench.h"

enum { KEYS = 1200, CACHE = 64 };

struct node {
    struct node *next;
    int key;
    int count;
    uint64_t total;
};

struct list {
    pthread_mutex_t lock;
    struct node *head;
    size_t length;
    struct node *cache[CACHE]; /* removed nodes, for reuse */
    size_t cached;
};

/* The link that points to the first node with a key not below `key`. */
static struct node **list_seek(struct list *l, int key)
{
    struct node **at = &l->head;
    while (*at && (*at)->key < key)
        at = &(*at)->next;
    return at;
}

static struct node *node_get(struct list *l)
{
    return l->cached ? l->cache[--l->cached] : bench_alloc(sizeof(struct node));
}

static void node_put(struct list *l, struct node *n)
{
    if (l->cached < CACHE)
        l->cache[l->cached++] = n;
    else
        free(n);
}

/* Changes the count of key. Counts may be negative for a while: the final list does not depend on
 * the order. */
static void list_change(struct list *l, int key, int by, uint64_t value)
{
    pthread_mutex_lock(&l->lock);
    struct node **at = list_seek(l, key), *n = *at;
    if (!n || n->key != key) {
        n = node_get(l);
        n->key = key;
        n->count = 0;
        n->total = 0;
        n->next = *at;
        *at = n;
        l->length++;
    }
    n->count += by;
    n->total += value;
    if (n->count == 0 && n->total == 0) {
        *at = n->next;
        l->length--;
        node_put(l, n);
    }
    pthread_mutex_unlock(&l->lock);
}

/* A long walk that writes nothing. */
static size_t list_count_below(struct list *l, int key)
{
    size_t n = 0;
    pthread_mutex_lock(&l->lock);
    for (const struct node *at = l->head; at && at->key < key; at = at->next)
        n++;
    pthread_mutex_unlock(&l->lock);
    return n;
}

static void *work(struct bench_worker *w)
{
    struct list *l = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    for (size_t i = from; i < to; i++) {
        uint64_t h = bench_hash(i);
        int key = (int)(h % KEYS);
        uint64_t value = h >> 44;
        switch (h >> 62) {
        case 0:
            if (list_count_below(l, key) > (size_t)key)
                bench_fail("list: a key twice");
            break;
        case 1: /* insert and remove again: often allocates a node */
            list_change(l, key + KEYS, 1, value);
            list_change(l, key + KEYS, -1, -value);
            break;
        default:
            list_change(l, key, 1, value);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 350000);
    struct list l = {.head = NULL};
    pthread_mutex_init(&l.lock, NULL);
    bench_run(&b, work, &l);
    uint64_t sum = l.length;
    int last = -1;
    for (struct node *n = l.head, *next; n; n = next) {
        if (n->key <= last)
            bench_fail("list: not in order");
        last = n->key;
        sum = sum * 31 + bench_hash((uint64_t)n->key) * n->total + (uint64_t)n->count;
        next = n->next;
        free(n);
    }
    while (l.cached)
        free(l.cache[--l.cached]);
    pthread_mutex_destroy(&l.lock);
    return bench_end("list", sum);
}
