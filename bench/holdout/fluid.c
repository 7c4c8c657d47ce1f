/*
 * fluid.c - particles in the cells of a grid: density and forces of neighbours, a lock for each
 * cell.
 *
 * bench: size=24000 quick=3000 contention=10000
 *
 * Shows:   loops over 2 axes and over the few particles of a cell, whose lengths are variables;
 *          one lock operation for each particle and each neighbouring cell. Size is the number
 *          of particles; there are five steps.
 * Hides:   long loops. There are no races. Forces are integers, so that the order of the sums
 *          has no effect.
 */
#include "bench.h"

enum { AXES = 2, GRID = 48, CELL = 1000, MOST = 64, STEPS = 5 };

static int axes = AXES; /* constant while the threads run */

struct particle {
    int32_t place[AXES], force[AXES];
    int32_t density;
};

struct cell {
    pthread_mutex_t lock;
    int used;
    struct particle *at[MOST];
};

struct fluid {
    struct particle *particle;
    struct cell cell[GRID][GRID];
    pthread_barrier_t step;
};

static int64_t square_of(const struct particle *a, const struct particle *b)
{
    int64_t sum = 0;
    for (int i = 0; i < axes; i++) {
        int64_t d = a->place[i] - b->place[i];
        sum += d * d;
    }
    return sum;
}

static void push(struct particle *a, const struct particle *b, int64_t square)
{
    for (int i = 0; i < axes; i++)
        a->force[i] += (int32_t)((a->place[i] - b->place[i]) * 1000 / (1000 + square / 100));
    a->density++;
}

static struct cell *cell_of(struct fluid *f, const struct particle *p)
{
    return &f->cell[p->place[0] / CELL][p->place[1] / CELL];
}

static void neighbours(struct fluid *f, struct particle *p)
{
    int cx = p->place[0] / CELL, cy = p->place[1] / CELL;
    for (int x = cx > 0 ? cx - 1 : 0; x <= cx + 1 && x < GRID; x++)
        for (int y = cy > 0 ? cy - 1 : 0; y <= cy + 1 && y < GRID; y++) {
            struct cell *c = &f->cell[x][y];
            pthread_mutex_lock(&c->lock);
            for (int i = 0; i < c->used; i++) {
                struct particle *q = c->at[i];
                int64_t square = q == p ? INT64_MAX : square_of(p, q);
                if (square < (int64_t)CELL * CELL)
                    push(q, p, square);
            }
            pthread_mutex_unlock(&c->lock);
        }
}

static void move(struct particle *p)
{
    for (int i = 0; i < axes; i++) {
        int32_t to = p->place[i] + p->force[i] / (1 + p->density);
        p->place[i] = to < 0 ? 0 : to >= GRID * CELL ? GRID * CELL - 1 : to;
        p->force[i] = 0;
    }
    p->density = 0;
}

static void *work(struct bench_worker *w)
{
    struct fluid *f = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    for (int step = 0; step < STEPS; step++) {
        if (w->index == 0) { /* so that a full cell drops the same particles in each run */
            for (size_t c = 0; c < GRID * GRID; c++)
                f->cell[c / GRID][c % GRID].used = 0;
            for (size_t i = 0; i < w->bench->size; i++) {
                struct cell *c = cell_of(f, &f->particle[i]);
                if (c->used < MOST)
                    c->at[c->used++] = &f->particle[i];
            }
        }
        pthread_barrier_wait(&f->step);
        for (size_t i = from; i < to; i++)
            neighbours(f, &f->particle[i]);
        pthread_barrier_wait(&f->step);
        for (size_t i = from; i < to; i++)
            move(&f->particle[i]);
        pthread_barrier_wait(&f->step);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 24000);
    struct fluid *f = calloc(1, sizeof *f);
    if (!f || !(f->particle = calloc(b.size, sizeof *f->particle)))
        bench_fail("out of memory");
    for (size_t c = 0; c < GRID * GRID; c++)
        pthread_mutex_init(&f->cell[c / GRID][c % GRID].lock, NULL);
    for (size_t i = 0; i < b.size; i++)
        for (size_t a = 0; a < AXES; a++)
            f->particle[i].place[a] = (int32_t)(bench_hash(i * AXES + a) % (GRID * CELL));
    pthread_barrier_init(&f->step, NULL, b.threads);
    bench_run(&b, work, f);
    uint64_t sum = 0;
    for (size_t i = 0; i < b.size; i++)
        for (int a = 0; a < AXES; a++)
            sum = sum * 31 + (uint64_t)f->particle[i].place[a];
    for (size_t c = 0; c < GRID * GRID; c++)
        pthread_mutex_destroy(&f->cell[c / GRID][c % GRID].lock);
    pthread_barrier_destroy(&f->step);
    free(f->particle);
    free(f);
    return bench_end("fluid", sum);
}
