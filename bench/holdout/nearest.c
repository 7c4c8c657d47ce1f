/*
 * nearest.c - the nearest neighbours of every point; threads take the next points under a lock.
 *
 * bench: size=4000 quick=300 contention=1500
 *
 * Shows:   points as separate blocks of floats that all threads read, a short sorted list that is
 *          changed now and then, one lock operation for 8 points. Size is the number of points.
 * Hides:   writes to shared memory. There are no races.
 */
#include "bench.h"

enum { DIMENSIONS = 24, NEAREST = 5, PART = 8 };

struct point {
    float at[DIMENSIONS];
    struct neighbour {
        float distance;
        unsigned index;
    } nearest[NEAREST];
    unsigned found;
};

struct cloud {
    struct point **point;
    size_t next; /* under lock */
    pthread_mutex_t lock;
};

static size_t next_part(struct cloud *c)
{
    pthread_mutex_lock(&c->lock);
    size_t from = c->next;
    c->next += PART;
    pthread_mutex_unlock(&c->lock);
    return from;
}

static float distance(const struct point *a, const struct point *b)
{
    float sum = 0;
    for (int k = 0; k < DIMENSIONS; k++)
        sum += (a->at[k] - b->at[k]) * (a->at[k] - b->at[k]);
    return sum;
}

/* Inserts a neighbour, if it is among the nearest so far. */
static void insert(struct point *p, float distance, unsigned index)
{
    unsigned i = p->found;
    if (i == NEAREST && p->nearest[i - 1].distance <= distance)
        return;
    if (i < NEAREST)
        p->found++;
    else
        i--;
    for (; i > 0 && p->nearest[i - 1].distance > distance; i--)
        p->nearest[i] = p->nearest[i - 1];
    p->nearest[i] = (struct neighbour){distance, index};
}

static void *work(struct bench_worker *w)
{
    struct cloud *c = w->arg;
    size_t n = w->bench->size;
    for (size_t from; (from = next_part(c)) < n;)
        for (size_t i = from; i < n && i < from + PART; i++)
            for (size_t k = 0; k < n; k++)
                if (k != i)
                    insert(c->point[i], distance(c->point[i], c->point[k]), (unsigned)k);
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 4000);
    struct cloud c = {.point = bench_alloc(b.size * sizeof *c.point)};
    for (size_t i = 0; i < b.size; i++) {
        c.point[i] = bench_alloc(sizeof *c.point[i]);
        c.point[i]->found = 0;
        for (size_t k = 0; k < DIMENSIONS; k++)
            c.point[i]->at[k] = (float)(bench_hash(i * DIMENSIONS + k) % 1000);
    }
    pthread_mutex_init(&c.lock, NULL);
    bench_run(&b, work, &c);
    uint64_t sum = 0;
    for (size_t i = 0; i < b.size; i++) {
        for (unsigned k = 0; k < c.point[i]->found; k++)
            sum = sum * 31 + c.point[i]->nearest[k].index;
        free(c.point[i]);
    }
    pthread_mutex_destroy(&c.lock);
    free(c.point);
    return bench_end("nearest", sum);
}
