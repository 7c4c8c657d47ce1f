/*
 * fft.c - fast Fourier transforms of the rows of a matrix, then a transposition, then transforms
 * of the columns.
 *
 * bench: size=100 quick=4 contention=20
 *
 * Shows:   pairs of doubles at distances that are powers of two, a transposition that reads
 *          columns that other threads wrote, barriers. Size is the number of transforms of a
 *          matrix of 256 x 256 complex numbers.
 * Hides:   locks and pointers. There are no races.
 */
#include "bench.h"
#include <math.h>

enum { N = 256, LOG = 8 };

struct complex_pair {
    double re, im;
};

struct fft {
    struct complex_pair *from, *to, root[N];
    pthread_barrier_t step;
};

static unsigned reversed(unsigned i)
{
    unsigned r = 0;
    for (unsigned bit = 0; bit < LOG; bit++)
        r |= ((i >> bit) & 1) << (LOG - 1 - bit);
    return r;
}

static void transform(struct complex_pair *x, const struct complex_pair *root)
{
    for (unsigned i = 0; i < N; i++) {
        unsigned j = reversed(i);
        if (i < j) {
            struct complex_pair t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
    for (unsigned half = 1; half < N; half *= 2)
        for (unsigned start = 0; start < N; start += 2 * half)
            for (unsigned k = 0; k < half; k++) {
                struct complex_pair r = root[k * (N / 2 / half)], *a = &x[start + k], *b = a + half;
                struct complex_pair t = {r.re * b->re - r.im * b->im, r.re * b->im + r.im * b->re};
                b->re = a->re - t.re;
                b->im = a->im - t.im;
                a->re += t.re;
                a->im += t.im;
            }
}

static void *work(struct bench_worker *w)
{
    struct fft *f = w->arg;
    size_t from = bench_cut(N, w->index, w->bench->threads),
           to = bench_cut(N, w->index + 1, w->bench->threads);
    struct complex_pair *a = f->from, *b = f->to;
    for (size_t round = 0; round < 2 * w->bench->size; round++) {
        for (size_t row = from; row < to; row++)
            transform(a + row * N, f->root);
        pthread_barrier_wait(&f->step);
        for (size_t row = from; row < to; row++)
            for (size_t column = 0; column < N; column++) {
                b[row * N + column].re = a[column * N + row].re / 16;
                b[row * N + column].im = a[column * N + row].im / 16;
            }
        pthread_barrier_wait(&f->step);
        struct complex_pair *t = a;
        a = b;
        b = t;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 100);
    struct fft f;
    f.from = bench_alloc(N * N * sizeof *f.from);
    f.to = bench_alloc(N * N * sizeof *f.to);
    for (size_t i = 0; i < N * N; i++)
        f.from[i] = (struct complex_pair){(double)(bench_hash(i) % 1024), 0};
    for (size_t i = 0; i < N; i++)
        f.root[i] =
            (struct complex_pair){cos(2 * M_PI * (double)i / N), -sin(2 * M_PI * (double)i / N)};
    pthread_barrier_init(&f.step, NULL, b.threads);
    bench_run(&b, work, &f);
    uint64_t sum = bench_sum((double *)f.from, 2 * N * N);
    pthread_barrier_destroy(&f.step);
    free(f.from);
    free(f.to);
    return bench_end("fft", sum);
}
