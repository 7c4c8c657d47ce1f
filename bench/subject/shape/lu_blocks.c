/*
 * lu_blocks.c - LU factorisation of a matrix of contiguous blocks, with three barriers for
 * each step.
 *
 * bench: size=1280 quick=256 contention=640
 *
 * Shows:   short affine loops (16 elements) inside three levels of loops; blocks that one
 *          thread writes and all threads read after a barrier. Size is the number of rows, a
 *          multiple of 16.
 * Hides:   locks and pointers. There are no races.
 */
#include "bench.h"

enum { B = 16 };

struct lu {
    double *block; /* block (i, j) is contiguous */
    size_t blocks;
    pthread_barrier_t step;
};

static double *at(struct lu *m, size_t i, size_t j)
{
    return m->block + (i * m->blocks + j) * B * B;
}

static void daxpy(double *a, const double *b, size_t n, double alpha)
{
    for (size_t i = 0; i < n; i++)
        a[i] -= alpha * b[i];
}

static void factor(double *a)
{
    for (size_t k = 0; k < B; k++)
        for (size_t i = k + 1; i < B; i++) {
            a[i * B + k] /= a[k * B + k];
            daxpy(&a[i * B + k + 1], &a[k * B + k + 1], B - k - 1, a[i * B + k]);
        }
}

static void solve_row(double *a, const double *diagonal)
{
    for (size_t k = 0; k < B; k++)
        for (size_t i = k + 1; i < B; i++)
            daxpy(&a[i * B], &a[k * B], B, diagonal[i * B + k]);
}

static void solve_column(double *a, const double *diagonal)
{
    for (size_t i = 0; i < B; i++)
        for (size_t k = 0; k < B; k++) {
            a[i * B + k] /= diagonal[k * B + k];
            daxpy(&a[i * B + k + 1], &diagonal[k * B + k + 1], B - k - 1, a[i * B + k]);
        }
}

static void update(double *a, const double *left, const double *up)
{
    for (size_t i = 0; i < B; i++)
        for (size_t k = 0; k < B; k++)
            daxpy(&a[i * B], &up[k * B], B, left[i * B + k]);
}

static void *work(struct bench_worker *w)
{
    struct lu *m = w->arg;
    size_t n = m->blocks, t = w->bench->threads;
    for (size_t k = 0; k < n; k++) {
        if (k % t == w->index)
            factor(at(m, k, k));
        pthread_barrier_wait(&m->step);
        for (size_t i = k + 1; i < n; i++)
            if (i % t == w->index) {
                solve_row(at(m, k, i), at(m, k, k));
                solve_column(at(m, i, k), at(m, k, k));
            }
        pthread_barrier_wait(&m->step);
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = k + 1; j < n; j++)
                if ((i + j) % t == w->index)
                    update(at(m, i, j), at(m, i, k), at(m, k, j));
        pthread_barrier_wait(&m->step);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 1280);
    struct lu m = {.blocks = b.size / B};
    size_t n = m.blocks * B;
    if (!n)
        bench_fail("lu_blocks: fewer than 16 rows");
    m.block = bench_alloc(n * n * sizeof(double));
    for (size_t i = 0; i < n * n; i++)
        m.block[i] = (double)(bench_hash(i) % 1000) / 1000;
    for (size_t i = 0; i < n; i++)
        at(&m, i / B, i / B)[(i % B) * (B + 1)] += (double)n;
    pthread_barrier_init(&m.step, NULL, b.threads);
    bench_run(&b, work, &m);
    uint64_t sum = bench_sum(m.block, n * n);
    pthread_barrier_destroy(&m.step);
    free(m.block);
    return bench_end("lu_blocks", sum);
}
