/*
 * lu_rows.c - unblocked LU factorisation with partial pivoting on an array of row pointers.
 *
 * bench: size=900 quick=200 contention=500
 *
 * Shows:   rows swapped through their pointers; one pivot row read by all threads; one
 *          barrier for each column. Size is the number of rows.
 * Hides:   locks. There are no races.
 */
#include "bench.h"
#include <math.h>

struct rows {
    double **row;
    pthread_barrier_t step;
};

static void pivot(double **row, size_t n, size_t k)
{
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
        if (fabs(row[i][k]) > fabs(row[best][k]))
            best = i;
    double *t = row[k];
    row[k] = row[best];
    row[best] = t;
}

static void *work(struct bench_worker *w)
{
    struct rows *m = w->arg;
    size_t n = w->bench->size;
    for (size_t k = 0; k + 1 < n; k++) {
        if (w->index == 0)
            pivot(m->row, n, k);
        pthread_barrier_wait(&m->step);
        for (size_t i = k + 1; i < n; i++) {
            if (i % w->bench->threads != w->index)
                continue;
            double factor = m->row[i][k] / m->row[k][k];
            m->row[i][k] = factor;
            for (size_t j = k + 1; j < n; j++)
                m->row[i][j] -= factor * m->row[k][j];
        }
        pthread_barrier_wait(&m->step);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 900);
    struct rows m;
    m.row = bench_alloc(b.size * sizeof *m.row);
    for (size_t i = 0; i < b.size; i++) {
        m.row[i] = bench_alloc(b.size * sizeof(double));
        for (size_t j = 0; j < b.size; j++)
            m.row[i][j] = (double)(bench_hash(i * b.size + j) % 1000) / 100;
    }
    pthread_barrier_init(&m.step, NULL, b.threads);
    bench_run(&b, work, &m);
    uint64_t sum = 0;
    for (size_t i = 0; i < b.size; i++) {
        sum = sum * 31 + bench_sum(m.row[i], b.size);
        free(m.row[i]);
    }
    pthread_barrier_destroy(&m.step);
    free(m.row);
    return bench_end("lu_rows", sum);
}
