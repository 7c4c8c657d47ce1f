/*
 * column_product.c - textbook matrix product, in which the inner loop goes down a column.
 *
 * bench: size=560 quick=160 contention=320
 *
 * Shows:   reads of 4 bytes at a constant stride of a row, with the sum kept in memory. Size is
 *          the number of rows.
 * Hides:   locks and pointers. There are no races.
 */
#include "bench.h"

struct product {
    int *a, *b, *c;
};

static void *work(struct bench_worker *w)
{
    struct product *p = w->arg;
    size_t n = w->bench->size;
    size_t from = bench_cut(n, w->index, w->bench->threads),
           to = bench_cut(n, w->index + 1, w->bench->threads);
    for (size_t i = from; i < to; i++)
        for (size_t j = 0; j < n; j++) {
            p->c[i * n + j] = 0;
            for (size_t k = 0; k < n; k++)
                p->c[i * n + j] += p->a[i * n + k] * p->b[k * n + j];
        }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 560);
    size_t n = b.size;
    struct product p = {bench_alloc(n * n * 4), bench_alloc(n * n * 4), bench_alloc(n * n * 4)};
    for (size_t i = 0; i < n * n; i++) {
        p.a[i] = (int)(bench_hash(i) % 100);
        p.b[i] = (int)(bench_hash(i + n * n) % 100);
    }
    bench_run(&b, work, &p);
    uint64_t sum = 0;
    for (size_t i = 0; i < n * n; i++)
        sum = sum * 31 + (uint64_t)p.c[i];
    free(p.a);
    free(p.b);
    free(p.c);
    return bench_end("column_product", sum);
}
