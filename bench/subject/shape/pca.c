/*
 * pca.c - means and covariances of the rows of a matrix; threads take the next row under a
 * lock.
 *
 * bench: size=1000 quick=120 contention=400
 *
 * Shows:   pairs of rows read by all threads, rows as separate blocks, one lock operation
 *          for each row. Size is the number of rows of 400 integers.
 * Hides:   writes to shared memory. There are no races.
 */
#include "bench.h"

enum { COLUMNS = 400 };

struct matrix {
    int **row, **covariance;
    int *mean;
    size_t next; /* under lock */
    pthread_mutex_t lock;
    pthread_barrier_t step;
};

static size_t next_row(struct matrix *m)
{
    pthread_mutex_lock(&m->lock);
    size_t row = m->next++;
    pthread_mutex_unlock(&m->lock);
    return row;
}

static void *work(struct bench_worker *w)
{
    struct matrix *m = w->arg;
    size_t rows = w->bench->size;
    for (size_t i = w->index; i < rows; i += w->bench->threads) {
        int sum = 0;
        for (int k = 0; k < COLUMNS; k++)
            sum += m->row[i][k];
        m->mean[i] = sum / COLUMNS;
    }
    pthread_barrier_wait(&m->step);
    for (size_t i; (i = next_row(m)) < rows;)
        for (size_t j = i; j < rows; j++) {
            int sum = 0;
            for (int k = 0; k < COLUMNS; k++)
                sum += (m->row[i][k] - m->mean[i]) * (m->row[j][k] - m->mean[j]);
            m->covariance[i][j] = m->covariance[j][i] = sum / (COLUMNS - 1);
        }
    return NULL;
}

static int **rows_new(size_t n, size_t columns)
{
    int **row = bench_alloc(n * sizeof *row);
    for (size_t i = 0; i < n; i++) {
        row[i] = bench_alloc(columns * sizeof **row);
        for (size_t k = 0; k < columns; k++)
            row[i][k] = (int)(bench_hash(i * columns + k) % 100);
    }
    return row;
}

static void rows_free(int **row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(row[i]);
    free(row);
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 1000);
    struct matrix m = {.row = rows_new(b.size, COLUMNS), .covariance = rows_new(b.size, b.size)};
    m.mean = bench_alloc(b.size * sizeof *m.mean);
    pthread_mutex_init(&m.lock, NULL);
    pthread_barrier_init(&m.step, NULL, b.threads);
    bench_run(&b, work, &m);
    uint64_t sum = 0;
    for (size_t i = 0; i < b.size; i++)
        for (size_t j = 0; j < b.size; j++)
            sum = sum * 31 + (uint64_t)(int64_t)m.covariance[i][j];
    pthread_mutex_destroy(&m.lock);
    pthread_barrier_destroy(&m.step);
    rows_free(m.row, b.size);
    rows_free(m.covariance, b.size);
    free(m.mean);
    return bench_end("pca", sum);
}
