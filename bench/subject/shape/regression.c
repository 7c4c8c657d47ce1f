/*
 * regression.c - linear regression: each thread loops once over points of two bytes and keeps five
 * sums in its struct.
 *
 * bench: size=40000000 quick=2000000 contention=10000000
 *
 * Shows:   one call for each thread, with one long loop; five sums that stay in memory because
 *          they may alias the points. Size is the number of points.
 * Hides:   locks and calls. There are no races.
 */
#include "bench.h"

struct point {
    unsigned char x, y;
};

struct sums {
    long long x, y, xx, yy, xy;
    char pad[64];
};

struct regression {
    struct point *point;
    struct sums *sums; /* one for each thread */
};

static void *work(struct bench_worker *w)
{
    struct regression *r = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    struct sums *s = &r->sums[w->index];
    for (size_t i = from; i < to; i++) {
        s->x += r->point[i].x;
        s->xx += r->point[i].x * r->point[i].x;
        s->y += r->point[i].y;
        s->yy += r->point[i].y * r->point[i].y;
        s->xy += r->point[i].x * r->point[i].y;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 40000000);
    struct regression r = {bench_alloc(b.size * sizeof *r.point),
                           calloc(b.threads, sizeof *r.sums)};
    if (!r.sums)
        bench_fail("out of memory");
    uint64_t state = 1, sum = 0;
    for (size_t i = 0; i < b.size; i++) {
        uint64_t h = bench_next(&state);
        r.point[i] = (struct point){(unsigned char)h, (unsigned char)(h >> 8)};
    }
    bench_run(&b, work, &r);
    for (unsigned t = 0; t < b.threads; t++)
        sum += (uint64_t)(r.sums[t].x + 3 * r.sums[t].y + 5 * r.sums[t].xx + 7 * r.sums[t].yy +
                          11 * r.sums[t].xy);
    free(r.point);
    free(r.sums);
    return bench_end("regression", sum);
}
