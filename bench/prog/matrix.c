/*
 * matrix.c - matrix product of doubles: long rows, read by all threads, written by one each.
 *
 * bench: size=900 quick=400 contention=700
 *
 * Shows:   vectorised loads and stores in affine loops; B is read by every thread, so its shadow
 *          is read-shared; one epoch for nearly the whole run.
 * Hides:   everything about locks and allocation.
 */
#include "bench.h"

struct product {
    size_t n;
    double *a, *b, *c;
};

static double *matrix_new(size_t n) { return bench_alloc(n * n * sizeof(double)); }

/* Small whole numbers: every product and sum is exact, so the order of addition is free. */
static void fill_rows(struct product *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        for (size_t j = 0; j < p->n; j++) {
            p->a[i * p->n + j] = (double)(bench_hash(i * p->n + j) % 17) - 8;
            p->b[i * p->n + j] = (double)(bench_hash(~(i * p->n + j)) % 13) - 6;
            p->c[i * p->n + j] = 0;
        }
}

/* Blocks of k keep the used part of B in the cache. */
enum { BLOCK = 64 };

static void multiply_rows(struct product *p, size_t from, size_t to)
{
    size_t n = p->n;
    for (size_t k0 = 0; k0 < n; k0 += BLOCK) {
        size_t k1 = k0 + BLOCK < n ? k0 + BLOCK : n;
        for (size_t i = from; i < to; i++) {
            double *restrict c = p->c + i * n;
            for (size_t k = k0; k < k1; k++) {
                double x = p->a[i * n + k];
                const double *restrict b = p->b + k * n;
                for (size_t j = 0; j < n; j++)
                    c[j] += x * b[j];
            }
        }
    }
}

static uint64_t sum_rows(const struct product *p, size_t from, size_t to)
{
    uint64_t sum = 0;
    for (size_t i = from; i < to; i++)
        for (size_t j = 0; j < p->n; j++)
            sum += (uint64_t)(int64_t)p->c[i * p->n + j] * (i * 31 + j * 7 + 1);
    return sum;
}

static void *fill(struct bench_worker *w)
{
    struct product *p = w->arg;
    fill_rows(p, bench_cut(p->n, w->index, w->bench->threads),
              bench_cut(p->n, w->index + 1, w->bench->threads));
    return NULL;
}

static void *multiply(struct bench_worker *w)
{
    struct product *p = w->arg;
    size_t from = bench_cut(p->n, w->index, w->bench->threads);
    size_t to = bench_cut(p->n, w->index + 1, w->bench->threads);
    multiply_rows(p, from, to);
    w->sum = sum_rows(p, from, to);
    return NULL;
}

/* One element, computed directly. */
static void check(const struct product *p, size_t i, size_t j)
{
    double want = 0;
    for (size_t k = 0; k < p->n; k++)
        want += p->a[i * p->n + k] * p->b[k * p->n + j];
    if (want != p->c[i * p->n + j])
        bench_fail("matrix: wrong product");
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 1300);
    struct product p = {b.size, matrix_new(b.size), matrix_new(b.size), matrix_new(b.size)};
    bench_run(&b, fill, &p);
    uint64_t sum = bench_run(&b, multiply, &p);
    for (size_t k = 0; k < 20; k++)
        check(&p, bench_hash(k) % p.n, bench_hash(k + 100) % p.n);
    free(p.a);
    free(p.b);
    free(p.c);
    return bench_end("matrix", sum);
}
