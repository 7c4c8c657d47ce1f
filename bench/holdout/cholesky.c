/*
 * cholesky.c - Cholesky factorisation of a banded matrix by columns; ready columns are in a
 * queue under a lock.
 *
 * bench: size=24000 quick=1000 contention=8000
 *
 * Shows:   a task queue with a condition variable, a lock for each column, updates of a column
 *          by columns that other threads computed, a new epoch at each lock operation. Size is
 *          the number of columns; each has 48 entries below the diagonal.
 * Hides:   long loops. There are no races. Numbers are integers modulo 2^64 (no division), so
 *          that the order of updates has no effect.
 */
#include "bench.h"

enum { BAND = 48 };

struct column {
    pthread_mutex_t lock;
    uint64_t value[BAND + 1]; /* of rows j .. j + BAND */
    unsigned missing;         /* updates to wait for */
};

struct cholesky {
    struct column *column;
    size_t *ready, first, last, done, columns; /* under lock */
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static int take(struct cholesky *c, size_t *j)
{
    pthread_mutex_lock(&c->lock);
    while (c->first == c->last && c->done < c->columns)
        pthread_cond_wait(&c->changed, &c->lock);
    int found = c->first < c->last;
    if (found)
        *j = c->ready[c->first++];
    pthread_mutex_unlock(&c->lock);
    return found;
}

static void put(struct cholesky *c, size_t j)
{
    pthread_mutex_lock(&c->lock);
    c->ready[c->last++] = j;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static void scale(struct column *col)
{
    for (int i = 1; i <= BAND; i++)
        col->value[i] = col->value[i] * (2 * col->value[0] + 1) + 1;
}

/* Column k is `offset` columns to the right of column j. */
static int update(struct column *k, const struct column *j, size_t offset)
{
    pthread_mutex_lock(&k->lock);
    for (size_t i = offset; i <= BAND; i++)
        k->value[i - offset] -= j->value[i] * j->value[offset];
    int ready = --k->missing == 0;
    pthread_mutex_unlock(&k->lock);
    return ready;
}

static void *work(struct bench_worker *w)
{
    struct cholesky *c = w->arg;
    for (size_t j; take(c, &j);) {
        scale(&c->column[j]);
        for (size_t offset = 1; offset <= BAND && j + offset < c->columns; offset++)
            if (update(&c->column[j + offset], &c->column[j], offset))
                put(c, j + offset);
        pthread_mutex_lock(&c->lock);
        if (++c->done == c->columns)
            pthread_cond_broadcast(&c->changed);
        pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 24000);
    struct cholesky c = {.column = bench_alloc(b.size * sizeof *c.column),
                         .ready = bench_alloc(b.size * sizeof(size_t)),
                         .columns = b.size};
    for (size_t j = 0; j < b.size; j++) {
        struct column *col = &c.column[j];
        pthread_mutex_init(&col->lock, NULL);
        for (size_t i = 0; i <= BAND; i++)
            col->value[i] = bench_hash(j * (BAND + 1) + i);
        col->missing = (unsigned)(j < BAND ? j : BAND);
    }
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.changed, NULL);
    put(&c, 0);
    bench_run(&b, work, &c);
    uint64_t sum = 0;
    for (size_t j = 0; j < b.size; j++) {
        for (size_t i = 0; i <= BAND; i++)
            sum = sum * 31 + c.column[j].value[i];
        pthread_mutex_destroy(&c.column[j].lock);
    }
    pthread_mutex_destroy(&c.lock);
    pthread_cond_destroy(&c.changed);
    free(c.column);
    free(c.ready);
    return bench_end("cholesky", sum);
}
