/*
 * gradient.c - conjugate gradients on a sparse matrix in compressed rows.
 *
 * bench: size=200000 quick=10000 contention=60000
 *
 * Shows:   scattered reads of doubles through an index array, vectors that all threads read and
 *          each thread writes in part, barriers. Size is the number of rows of 9 entries; there
 *          are 20 iterations.
 * Hides:   locks. There are no races. The partial sums of the threads are added in a fixed
 *          order.
 */
#include "bench.h"

enum { ENTRIES = 9, ROUNDS = 20, MOST = 512 };

struct gradient {
    size_t *column;
    double *entry, *x, *rest, *way, *product;
    double part[MOST]; /* of each thread */
    pthread_barrier_t step;
};

/* The sum of the values of all threads; every thread gets the same result. */
static double sum_all(struct gradient *g, const struct bench_worker *w, double mine)
{
    double sum = 0;
    g->part[w->index] = mine;
    pthread_barrier_wait(&g->step);
    for (unsigned t = 0; t < w->bench->threads; t++)
        sum += g->part[t];
    pthread_barrier_wait(&g->step);
    return sum;
}

static double dot(const double *a, const double *b, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += a[i] * b[i];
    return sum;
}

static void multiply(struct gradient *g, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        double sum = 0;
        for (size_t k = i * ENTRIES; k < (i + 1) * ENTRIES; k++)
            sum += g->entry[k] * g->way[g->column[k]];
        g->product[i] = sum;
    }
}

static void *work(struct bench_worker *w)
{
    struct gradient *g = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    double square = sum_all(g, w, dot(g->rest, g->rest, from, to));
    for (int round = 0; round < ROUNDS; round++) {
        multiply(g, from, to);
        double alpha = square / sum_all(g, w, dot(g->way, g->product, from, to));
        for (size_t i = from; i < to; i++) {
            g->x[i] += alpha * g->way[i];
            g->rest[i] -= alpha * g->product[i];
        }
        double next = sum_all(g, w, dot(g->rest, g->rest, from, to));
        for (size_t i = from; i < to; i++)
            g->way[i] = g->rest[i] + next / square * g->way[i];
        square = next;
        pthread_barrier_wait(&g->step);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 200000);
    size_t n = b.size;
    struct gradient *g = calloc(1, sizeof *g);
    if (!g)
        bench_fail("out of memory");
    g->column = bench_alloc(n * ENTRIES * sizeof(size_t));
    g->entry = bench_alloc(n * ENTRIES * sizeof(double));
    g->x = bench_alloc(n * sizeof(double));
    g->rest = bench_alloc(n * sizeof(double));
    g->way = bench_alloc(n * sizeof(double));
    g->product = bench_alloc(n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < ENTRIES; k++) {
            g->column[i * ENTRIES + k] = k ? bench_hash(i * ENTRIES + k) % n : i;
            g->entry[i * ENTRIES + k] = k ? 0.25 : 10;
        }
        g->x[i] = 0;
        g->rest[i] = g->way[i] = (double)(bench_hash(i) % 100);
    }
    pthread_barrier_init(&g->step, NULL, b.threads);
    bench_run(&b, work, g);
    uint64_t sum = bench_sum(g->x, n);
    pthread_barrier_destroy(&g->step);
    free(g->column);
    free(g->entry);
    free(g->x);
    free(g->rest);
    free(g->way);
    free(g->product);
    free(g);
    return bench_end("gradient", sum);
}
