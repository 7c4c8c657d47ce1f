/*
 * radix.c - radix sort: histograms of digits for each thread, prefix sums, permutation,
 * barriers.
 *
 * bench: size=8000000 quick=300000 contention=2000000
 *
 * Shows:   scattered writes of 4 bytes to an array that changes owner element by element; small
 *          histograms that all threads read. Size is the number of keys.
 * Hides:   locks and pointers. There are no races.
 */
#include "bench.h"

enum { DIGITS = 256, MOST = 512 };

struct radix {
    uint32_t *from, *to;
    size_t (*count)[DIGITS]; /* one row for each thread */
    pthread_barrier_t step;
};

static void *work(struct bench_worker *w)
{
    struct radix *r = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    uint32_t *a = r->from, *b = r->to;
    size_t place[DIGITS];
    for (unsigned shift = 0; shift < 32; shift += 8) {
        size_t *mine = r->count[w->index], before = 0;
        memset(mine, 0, sizeof r->count[0]);
        for (size_t i = from; i < to; i++)
            mine[(a[i] >> shift) % DIGITS]++;
        pthread_barrier_wait(&r->step);
        for (unsigned d = 0; d < DIGITS; d++)
            for (unsigned t = 0; t < w->bench->threads; t++) {
                if (t == w->index)
                    place[d] = before;
                before += r->count[t][d];
            }
        for (size_t i = from; i < to; i++)
            b[place[(a[i] >> shift) % DIGITS]++] = a[i];
        pthread_barrier_wait(&r->step);
        uint32_t *t = a;
        a = b;
        b = t;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 8000000);
    struct radix r = {bench_alloc(b.size * 4),
                      bench_alloc(b.size * 4),
                      bench_alloc(MOST * sizeof *r.count),
                      {{0}}};
    for (size_t i = 0; i < b.size; i++)
        r.from[i] = (uint32_t)bench_hash(i);
    pthread_barrier_init(&r.step, NULL, b.threads);
    bench_run(&b, work, &r);
    uint64_t sum = r.from[0];
    for (size_t i = 1; i < b.size; i++) {
        if (r.from[i - 1] > r.from[i])
            bench_fail("radix: not sorted");
        sum = sum * 31 + r.from[i];
    }
    pthread_barrier_destroy(&r.step);
    free(r.from);
    free(r.to);
    free(r.count);
    return bench_end("radix", sum);
}
