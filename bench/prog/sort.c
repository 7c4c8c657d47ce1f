/*
 * sort.c - sorting ints: every thread quicksorts a run, then runs are merged pair by pair.
 *
 * bench: size=3500000 quick=900000 contention=3000000
 *
 * Shows:   4-byte reads and writes in unpredictable order, recursion (entry and exit of small
 *          functions), memory that changes owner at a barrier.
 * Hides:   vectorised loops; allocation and freeing.
 */
#include "bench.h"

struct sorting {
    int *from, *to; /* each worker swaps its own copies after every round of merges */
    size_t n;
    pthread_barrier_t round;
};

static void insertion_sort(int *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        int x = v[i];
        size_t j = i;
        for (; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

static void swap(int *a, int *b)
{
    int x = *a;
    *a = *b;
    *b = x;
}

static int *median_of_three(int *a, int *b, int *c)
{
    if (*a < *b)
        return *b < *c ? b : *a < *c ? c : a;
    return *a < *c ? a : *b < *c ? c : b;
}

static void quick_sort(int *v, size_t n)
{
    while (n > 24) {
        swap(v, median_of_three(v, v + n / 2, v + n - 1));
        int pivot = v[0];
        size_t i = 0, j = n;
        for (;;) {
            do
                i++;
            while (i < n && v[i] < pivot);
            do
                j--;
            while (v[j] > pivot);
            if (i >= j)
                break;
            swap(&v[i], &v[j]);
        }
        swap(&v[0], &v[j]);
        /* recursion for the smaller part only, so that the depth is logarithmic */
        if (j < n - j - 1) {
            quick_sort(v, j);
            v += j + 1;
            n -= j + 1;
        } else {
            quick_sort(v + j + 1, n - j - 1);
            n = j;
        }
    }
    insertion_sort(v, n);
}

static void merge(const int *a, size_t na, const int *b, size_t nb, int *out)
{
    size_t i = 0, j = 0, k = 0;
    while (i < na && j < nb)
        out[k++] = b[j] < a[i] ? b[j++] : a[i++];
    while (i < na)
        out[k++] = a[i++];
    while (j < nb)
        out[k++] = b[j++];
}

static void *sort_part(struct bench_worker *w)
{
    struct sorting *s = w->arg;
    unsigned count = w->bench->threads;
    size_t lo = bench_cut(s->n, w->index, count), hi = bench_cut(s->n, w->index + 1, count);
    for (size_t i = lo; i < hi; i++)
        s->from[i] = (int)(bench_hash(i) >> 33) - (1 << 30);
    quick_sort(s->from + lo, hi - lo);
    int *from = s->from, *to = s->to;
    for (unsigned width = 1; width < count; width *= 2) {
        pthread_barrier_wait(&s->round);
        if (w->index % (2 * width) == 0) {
            unsigned middle = w->index + width < count ? w->index + width : count;
            unsigned end = w->index + 2 * width < count ? w->index + 2 * width : count;
            size_t a = bench_cut(s->n, w->index, count), b = bench_cut(s->n, middle, count);
            merge(from + a, b - a, from + b, bench_cut(s->n, end, count) - b, to + a);
        }
        int *t = from;
        from = to;
        to = t;
    }
    if (w->index == 0)
        s->from = from; /* read after the join only */
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 9000000);
    struct sorting s = {.n = b.size};
    int *one = s.from = bench_alloc(s.n * sizeof(int));
    int *two = s.to = bench_alloc(s.n * sizeof(int));
    pthread_barrier_init(&s.round, NULL, b.threads);
    bench_run(&b, sort_part, &s);
    uint64_t sum = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (i && s.from[i - 1] > s.from[i])
            bench_fail("sort: not in order");
        sum = sum * 31 + (unsigned)s.from[i];
    }
    pthread_barrier_destroy(&s.round);
    free(one);
    free(two);
    return bench_end("sort", sum);
}
