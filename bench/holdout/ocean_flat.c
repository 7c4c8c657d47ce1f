/*
 * ocean_flat.c - currents on contiguous grids. Each step reads two of several arrays and writes a
 * third one.
 *
 * bench: size=150 quick=8 contention=40
 *
 * Shows:   long affine loops over many arrays, a sum for each step under a lock, barriers. Size
 *          is the number of steps on a grid of 514 x 514.
 * Hides:   pointers. There are no races.
 */
#include "bench.h"

enum { SIDE = 514, FIELDS = 4 };

struct ocean {
    double *field[FIELDS];
    long long changed; /* under lock: number of points that changed by more than a thousandth */
    pthread_mutex_t lock;
    pthread_barrier_t step;
};

static void laplace(double *out, const double *in, size_t from, size_t to)
{
    for (size_t y = from; y < to; y++)
        for (size_t x = 1; x < SIDE - 1; x++) {
            size_t i = y * SIDE + x;
            out[i] = in[i - 1] + in[i + 1] + in[i - SIDE] + in[i + SIDE] - 4 * in[i];
        }
}

static void jacobian(double *out, const double *a, const double *b, size_t from, size_t to)
{
    for (size_t y = from; y < to; y++)
        for (size_t x = 1; x < SIDE - 1; x++) {
            size_t i = y * SIDE + x;
            out[i] = 0.25 * ((a[i + 1] - a[i - 1]) * (b[i + SIDE] - b[i - SIDE]) -
                             (a[i + SIDE] - a[i - SIDE]) * (b[i + 1] - b[i - 1]));
        }
}

static long long advance(double *v, const double *by, const double *turn, size_t from, size_t to)
{
    long long changed = 0;
    for (size_t y = from; y < to; y++)
        for (size_t x = 1; x < SIDE - 1; x++) {
            size_t i = y * SIDE + x;
            double change = 0.1 * by[i] + 1e-4 * turn[i];
            v[i] += change;
            changed += change > 1e-3 || change < -1e-3;
        }
    return changed;
}

static void *work(struct bench_worker *w)
{
    struct ocean *o = w->arg;
    size_t from = 1 + bench_cut(SIDE - 2, w->index, w->bench->threads);
    size_t to = 1 + bench_cut(SIDE - 2, w->index + 1, w->bench->threads);
    for (size_t s = 0; s < w->bench->size; s++) {
        laplace(o->field[1], o->field[0], from, to);
        pthread_barrier_wait(&o->step);
        jacobian(o->field[2], o->field[0], o->field[1], from, to);
        laplace(o->field[3], o->field[1], from, to);
        pthread_barrier_wait(&o->step);
        long long changed = advance(o->field[0], o->field[1], o->field[2], from, to);
        pthread_mutex_lock(&o->lock);
        o->changed += changed;
        pthread_mutex_unlock(&o->lock);
        pthread_barrier_wait(&o->step);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 150);
    struct ocean o = {.changed = 0};
    for (int f = 0; f < FIELDS; f++)
        if (!(o.field[f] = calloc(SIDE * SIDE, sizeof(double))))
            bench_fail("out of memory");
    for (size_t i = 0; i < SIDE * SIDE; i++)
        o.field[0][i] = (double)(bench_hash(i) % 100) / 100;
    pthread_mutex_init(&o.lock, NULL);
    pthread_barrier_init(&o.step, NULL, b.threads);
    bench_run(&b, work, &o);
    uint64_t sum = bench_sum(o.field[0], SIDE * SIDE) + (uint64_t)o.changed;
    pthread_mutex_destroy(&o.lock);
    pthread_barrier_destroy(&o.step);
    for (int f = 0; f < FIELDS; f++)
        free(o.field[f]);
    return bench_end("ocean_flat", sum);
}
