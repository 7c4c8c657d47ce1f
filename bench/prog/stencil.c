/*
 * stencil.c - heat on a grid of doubles, a barrier after every step.
 *
 * bench: size=360 quick=100 contention=200
 *
 * Shows:   the first access to every grid cell in a new epoch, at every step, in affine loops;
 *          rows at the borders are read by a neighbour. Size is the number of steps on a fixed
 *          grid.
 * Hides:   locks, pointers, small accesses.
 */
#include "bench.h"

enum { SIDE = 1024, ROWS = 768 };

struct grid {
    double *now, *next;
    pthread_barrier_t step;
};

static double start_value(size_t row, size_t column)
{
    if (row == 0 || column == 0 || row == ROWS - 1 || column == SIDE - 1)
        return (double)(bench_hash(row * SIDE + column) % 1000);
    return 0;
}

/* The new row from the old row and its neighbours. */
static void relax_row(double *restrict out, const double *restrict up, const double *restrict mid,
                      const double *restrict down)
{
    for (size_t x = 1; x < SIDE - 1; x++)
        out[x] = 0.5 * mid[x] + 0.125 * (up[x] + down[x] + mid[x - 1] + mid[x + 1]);
}

/* Border rows and columns are in both grids and never change. */
static void fill_rows(struct grid *g, size_t from, size_t to)
{
    for (size_t y = from; y < to; y++)
        for (size_t x = 0; x < SIDE; x++)
            g->now[y * SIDE + x] = g->next[y * SIDE + x] = start_value(y, x);
}

static uint64_t sum_rows(const double *v, size_t from, size_t to)
{
    uint64_t sum = 0;
    for (size_t y = from; y < to; y++)
        for (size_t x = 0; x < SIDE; x++) {
            uint64_t bits;
            memcpy(&bits, &v[y * SIDE + x], sizeof bits);
            sum += bits * (y * 131 + x * 7 + 1);
        }
    return sum;
}

static void *work(struct bench_worker *w)
{
    struct grid *g = w->arg;
    size_t from = bench_cut(ROWS, w->index, w->bench->threads);
    size_t to = bench_cut(ROWS, w->index + 1, w->bench->threads);
    double *now = g->now, *next = g->next;
    fill_rows(g, from, to);
    pthread_barrier_wait(&g->step);
    for (size_t s = 0; s < w->bench->size; s++) {
        for (size_t y = from > 1 ? from : 1; y < to && y < ROWS - 1; y++)
            relax_row(next + y * SIDE, now + (y - 1) * SIDE, now + y * SIDE, now + (y + 1) * SIDE);
        pthread_barrier_wait(&g->step);
        double *t = now;
        now = next;
        next = t;
    }
    w->sum = sum_rows(now, from, to);
    return NULL;
}

/* Heat comes from the border only: no inner cell can be outside of the border's range. */
static void check(const double *v)
{
    for (size_t i = 0; i < (size_t)ROWS * SIDE; i++)
        if (!(v[i] >= 0 && v[i] < 1000))
            bench_fail("stencil: a value out of range");
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 900);
    struct grid g;
    g.now = bench_alloc(ROWS * SIDE * sizeof(double));
    g.next = bench_alloc(ROWS * SIDE * sizeof(double));
    pthread_barrier_init(&g.step, NULL, b.threads);
    uint64_t sum = bench_run(&b, work, &g);
    check(b.size % 2 ? g.next : g.now);
    pthread_barrier_destroy(&g.step);
    free(g.now);
    free(g.next);
    return bench_end("stencil", sum);
}
