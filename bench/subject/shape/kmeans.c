/*
 * kmeans.c - clusters points with few coordinates; each point is a heap block of its own.
 *
 * bench: size=800000 quick=30000 contention=200000
 *
 * Shows:   loops of 3 elements whose length is a variable; points and centres reached through
 *          arrays of pointers; centres that all threads read and one thread writes between
 *          barriers. Size is the number of points.
 * Hides:   locks. There are no races.
 */
#include "bench.h"

enum { CLUSTERS = 16, COORDINATES = 3, ROUNDS = 8 };

static int coordinates = COORDINATES; /* constant while the threads run */

struct kmeans {
    int **point;
    int *cluster; /* of each point */
    int **centre;
    int64_t (
        *total)[CLUSTERS][COORDINATES + 1]; /* one for each thread; the last number is the count */
    pthread_barrier_t step;
};

static unsigned distance(const int *a, const int *b)
{
    unsigned sum = 0;
    for (int d = 0; d < coordinates; d++)
        sum += (unsigned)((a[d] - b[d]) * (a[d] - b[d]));
    return sum;
}

static void add_point(int64_t *total, const int *point)
{
    for (int d = 0; d < coordinates; d++)
        total[d] += point[d];
    total[COORDINATES]++;
}

static int nearest(struct kmeans *k, const int *point)
{
    int best = 0;
    unsigned least = distance(point, k->centre[0]);
    for (int c = 1; c < CLUSTERS; c++) {
        unsigned d = distance(point, k->centre[c]);
        if (d < least) {
            least = d;
            best = c;
        }
    }
    return best;
}

static void new_centres(struct kmeans *k, unsigned threads)
{
    for (int c = 0; c < CLUSTERS; c++) {
        int64_t sum[COORDINATES + 1] = {0};
        for (unsigned t = 0; t < threads; t++)
            for (int d = 0; d <= COORDINATES; d++)
                sum[d] += k->total[t][c][d];
        for (int d = 0; d < coordinates && sum[COORDINATES]; d++)
            k->centre[c][d] = (int)(sum[d] / sum[COORDINATES]);
    }
}

static void *work(struct bench_worker *w)
{
    struct kmeans *k = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    for (int round = 0; round < ROUNDS; round++) {
        memset(k->total[w->index], 0, sizeof k->total[0]);
        for (size_t i = from; i < to; i++) {
            int c = nearest(k, k->point[i]);
            k->cluster[i] = c;
            add_point(k->total[w->index][c], k->point[i]);
        }
        pthread_barrier_wait(&k->step);
        if (w->index == 0)
            new_centres(k, w->bench->threads);
        pthread_barrier_wait(&k->step);
    }
    return NULL;
}

static int **points_new(size_t n, uint64_t seed)
{
    int **p = bench_alloc(n * sizeof *p);
    for (size_t i = 0; i < n; i++) {
        p[i] = bench_alloc(COORDINATES * sizeof **p);
        for (size_t d = 0; d < COORDINATES; d++)
            p[i][d] = (int)(bench_hash(seed + i * COORDINATES + d) % 10000);
    }
    return p;
}

static void points_free(int **p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(p[i]);
    free(p);
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 800000);
    struct kmeans k = {points_new(b.size, 1),
                       bench_alloc(b.size * sizeof(int)),
                       points_new(CLUSTERS, 1ull << 40),
                       bench_alloc(b.threads * sizeof *k.total),
                       {{0}}};
    pthread_barrier_init(&k.step, NULL, b.threads);
    bench_run(&b, work, &k);
    uint64_t sum = 0;
    for (size_t i = 0; i < b.size; i++)
        sum = sum * 31 + (uint64_t)k.cluster[i];
    pthread_barrier_destroy(&k.step);
    points_free(k.point, b.size);
    points_free(k.centre, CLUSTERS);
    free(k.cluster);
    free(k.total);
    return bench_end("kmeans", sum);
}
