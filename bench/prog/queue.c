/*
 * queue.c - producers and consumers over a bounded queue with condition variables.
 *
 * bench: size=700000 quick=60000 contention=200000 record=2100000
 *
 * Shows:   structs of ints that change owner, condition waits and wake-ups, short epochs in which
 *          every access is the first one to its memory.
 * Hides:   the cost of the detector: much of the time is system time of wake-ups.
 */
#include "bench.h"

enum { SLOTS = 256, PARTS = 40, COUNTERS = 512 };

struct message {
    int kind, from, length;
    unsigned check;
    int part[PARTS];
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct message *slot[SLOTS];
    unsigned head, used;
    unsigned producers; /* number still running */
};

static void queue_put(struct queue *q, struct message *m)
{
    pthread_mutex_lock(&q->lock);
    while (q->used == SLOTS)
        pthread_cond_wait(&q->emptied, &q->lock);
    q->slot[(q->head + q->used++) % SLOTS] = m;
    if (q->used == 1)
        pthread_cond_broadcast(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

/* NULL: the queue is empty and all producers have ended. */
static struct message *queue_get(struct queue *q)
{
    struct message *m = NULL;
    pthread_mutex_lock(&q->lock);
    while (!q->used && q->producers)
        pthread_cond_wait(&q->filled, &q->lock);
    if (q->used) {
        m = q->slot[q->head];
        q->head = (q->head + 1) % SLOTS;
        if (q->used-- == SLOTS)
            pthread_cond_broadcast(&q->emptied);
    }
    pthread_mutex_unlock(&q->lock);
    return m;
}

static void queue_leave(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    if (!--q->producers)
        pthread_cond_broadcast(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

static unsigned message_check(const struct message *m)
{
    unsigned c = (unsigned)(m->kind * 7 + m->length);
    for (int i = 0; i < m->length; i++)
        c = c * 33 + (unsigned)m->part[i];
    return c;
}

static void produce(struct queue *q, size_t from, size_t to, unsigned index)
{
    for (size_t i = from; i < to; i++) {
        uint64_t h = bench_hash(i);
        struct message *m = bench_alloc(sizeof *m);
        m->kind = (int)(h % 5);
        m->from = (int)index;
        m->length = (int)(h >> 8) % (PARTS / 2) + PARTS / 2;
        if (m->length < 0)
            m->length = PARTS / 2;
        for (int p = 0; p < m->length; p++)
            m->part[p] = (int)(h >> (p % 32)) + p;
        m->check = message_check(m);
        queue_put(q, m);
    }
    queue_leave(q);
}

static uint64_t consume(struct queue *q)
{
    unsigned counter[COUNTERS] = {0};
    uint64_t sum = 0;
    for (struct message *m; (m = queue_get(q)); free(m)) {
        if (m->check != message_check(m))
            bench_fail("queue: a message was damaged");
        for (int p = 0; p < m->length; p++)
            counter[(unsigned)m->part[p] % COUNTERS] += (unsigned)m->kind + 1;
        sum += m->check;
    }
    for (unsigned i = 0; i < COUNTERS; i++)
        sum += (uint64_t)counter[i] * (i + 1);
    return sum;
}

/* The first half of the threads produces, the rest consumes. */
static void *work(struct bench_worker *w)
{
    struct queue *q = w->arg;
    unsigned producers = w->bench->threads / 2;
    if (w->index < producers)
        produce(q, bench_cut(w->bench->size, w->index, producers),
                bench_cut(w->bench->size, w->index + 1, producers), w->index);
    else
        w->sum = consume(q);
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 2400000);
    if (b.threads < 2)
        bench_fail("queue: needs two threads");
    struct queue q = {.producers = b.threads / 2};
    pthread_mutex_init(&q.lock, NULL);
    pthread_cond_init(&q.filled, NULL);
    pthread_cond_init(&q.emptied, NULL);
    uint64_t sum = bench_run(&b, work, &q);
    pthread_mutex_destroy(&q.lock);
    pthread_cond_destroy(&q.filled);
    pthread_cond_destroy(&q.emptied);
    return bench_end("queue", sum);
}
