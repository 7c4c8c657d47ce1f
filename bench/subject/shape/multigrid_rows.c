/*
 * multigrid_rows.c - Poisson's equation by multigrid on arrays of row pointers.
 *
 * bench: size=150 quick=6 contention=40
 *
 * Shows:   rows allocated one by one, on fresh pages; red-black relaxation with stride 2; grids
 *          of many sizes, barriers. Size is the number of cycles on a grid of 513 x 513.
 * Hides:   locks. There are no races.
 */
#include "bench.h"

enum { LEVELS = 7, SIDE = 513 };

struct level {
    size_t side;
    double **value, **right;
};

struct multigrid {
    struct level level[LEVELS];
    pthread_barrier_t step;
};

static double **grid_new(size_t side)
{
    double **row = bench_alloc(side * sizeof *row);
    for (size_t y = 0; y < side; y++)
        if (!(row[y] = calloc(side, sizeof **row)))
            bench_fail("out of memory");
    return row;
}

static void grid_free(double **row, size_t side)
{
    for (size_t y = 0; y < side; y++)
        free(row[y]);
    free(row);
}

struct part {
    size_t from, to;
};

/* The worker's share of the inner rows of a grid. */
static struct part rows_of(const struct bench_worker *w, size_t side)
{
    size_t inner = side - 2;
    return (struct part){1 + bench_cut(inner, w->index, w->bench->threads),
                         1 + bench_cut(inner, w->index + 1, w->bench->threads)};
}

static void relax(const struct bench_worker *w, struct multigrid *m, struct level *l)
{
    struct part p = rows_of(w, l->side);
    for (size_t colour = 0; colour < 2; colour++) {
        for (size_t y = p.from; y < p.to; y++) {
            double **v = l->value, **r = l->right;
            for (size_t x = 1 + (y + colour) % 2; x < l->side - 1; x += 2)
                v[y][x] = 0.25 * (v[y - 1][x] + v[y + 1][x] + v[y][x - 1] + v[y][x + 1] + r[y][x]);
        }
        pthread_barrier_wait(&m->step);
    }
}

static void coarsen(const struct bench_worker *w, struct multigrid *m, struct level *fine,
                    struct level *coarse)
{
    struct part p = rows_of(w, coarse->side);
    for (size_t y = p.from; y < p.to; y++)
        for (size_t x = 1; x < coarse->side - 1; x++) {
            double **v = fine->value;
            size_t fy = 2 * y, fx = 2 * x;
            coarse->right[y][x] = 4 * (fine->right[fy][fx] + v[fy - 1][fx] + v[fy + 1][fx] +
                                       v[fy][fx - 1] + v[fy][fx + 1] - 4 * v[fy][fx]);
            coarse->value[y][x] = 0;
        }
    pthread_barrier_wait(&m->step);
}

static void refine(const struct bench_worker *w, struct multigrid *m, struct level *fine,
                   struct level *coarse)
{
    struct part p = rows_of(w, fine->side);
    double **c = coarse->value;
    for (size_t y = p.from; y < p.to; y++)
        for (size_t x = 1; x < fine->side - 1; x++)
            fine->value[y][x] += 0.25 * (c[y / 2][x / 2] + c[(y + 1) / 2][x / 2] +
                                         c[y / 2][(x + 1) / 2] + c[(y + 1) / 2][(x + 1) / 2]);
    pthread_barrier_wait(&m->step);
}

static void *work(struct bench_worker *w)
{
    struct multigrid *m = w->arg;
    for (size_t cycle = 0; cycle < w->bench->size; cycle++) {
        for (size_t l = 0; l + 1 < LEVELS; l++) {
            relax(w, m, &m->level[l]);
            coarsen(w, m, &m->level[l], &m->level[l + 1]);
        }
        for (size_t l = LEVELS - 1; l > 0; l--) {
            relax(w, m, &m->level[l]);
            refine(w, m, &m->level[l - 1], &m->level[l]);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 150);
    struct multigrid m;
    size_t side = SIDE;
    for (size_t l = 0; l < LEVELS; l++, side = side / 2 + 1)
        m.level[l] = (struct level){side, grid_new(side), grid_new(side)};
    for (size_t i = 0; i < SIDE; i++)
        m.level[0].right[i][(i * 37) % SIDE] = (double)(bench_hash(i) % 100);
    pthread_barrier_init(&m.step, NULL, b.threads);
    bench_run(&b, work, &m);
    uint64_t sum = 0;
    for (size_t y = 0; y < SIDE; y++)
        sum = sum * 31 + bench_sum(m.level[0].value[y], SIDE);
    pthread_barrier_destroy(&m.step);
    for (size_t l = 0; l < LEVELS; l++) {
        grid_free(m.level[l].value, m.level[l].side);
        grid_free(m.level[l].right, m.level[l].side);
    }
    return bench_end("multigrid_rows", sum);
}
