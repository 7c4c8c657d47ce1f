/*
 * water.c - forces between all pairs of molecules of three atoms, summed under a lock for each
 * molecule.
 *
 * bench: size=2000 quick=300 contention=1000
 *
 * Shows:   loops over 3 atoms and 3 directions, whose lengths are parameters of the functions;
 *          two lock operations for each pair within the cut-off radius. Size is the number of
 *          molecules; there are four steps.
 * Hides:   long loops. There are no races. Forces are integers, so that the order of the sums
 *          has no effect.
 */
#include "bench.h"

enum { ATOMS = 3, DIRECTIONS = 3, STEPS = 4, SPAN = 30000, RADIUS = 7000 };

struct molecule {
    int64_t place[ATOMS][DIRECTIONS], force[ATOMS][DIRECTIONS];
    pthread_mutex_t lock;
};

struct water {
    struct molecule *molecule;
    int atoms, directions;
    pthread_barrier_t step;
};

static void difference(int64_t *out, const int64_t *a, const int64_t *b, int n)
{
    for (int d = 0; d < n; d++)
        out[d] = a[d] - b[d];
}

static int64_t square(const int64_t *a, int n)
{
    int64_t sum = 0;
    for (int d = 0; d < n; d++)
        sum += a[d] * a[d];
    return sum;
}

static void add_force(int64_t *force, const int64_t *by, int64_t factor, int n)
{
    for (int d = 0; d < n; d++)
        force[d] += factor * by[d];
}

static void pair(struct water *s, struct molecule *a, struct molecule *b)
{
    int64_t between[DIRECTIONS], force[ATOMS][DIRECTIONS] = {{0}};
    difference(between, a->place[0], b->place[0], s->directions);
    if (square(between, s->directions) > (int64_t)RADIUS * RADIUS)
        return;
    for (int i = 0; i < s->atoms; i++)
        for (int j = 0; j < s->atoms; j++) {
            difference(between, a->place[i], b->place[j], s->directions);
            add_force(force[i], between, 1000000 / (1 + square(between, s->directions) / 4096),
                      s->directions);
        }
    pthread_mutex_lock(&a->lock);
    for (int i = 0; i < s->atoms; i++)
        add_force(a->force[i], force[i], 1, s->directions);
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_lock(&b->lock);
    for (int i = 0; i < s->atoms; i++)
        add_force(b->force[i], force[i], -1, s->directions);
    pthread_mutex_unlock(&b->lock);
}

static void move(struct water *s, struct molecule *m)
{
    for (int i = 0; i < s->atoms; i++)
        for (int d = 0; d < s->directions; d++) {
            m->place[i][d] += m->force[i][d] / 100000000;
            m->force[i][d] = 0;
        }
}

static void *work(struct bench_worker *w)
{
    struct water *s = w->arg;
    size_t n = w->bench->size, t = w->bench->threads;
    for (int step = 0; step < STEPS; step++) {
        for (size_t i = w->index; i < n; i += t)
            for (size_t j = i + 1; j < n; j++)
                pair(s, &s->molecule[i], &s->molecule[j]);
        pthread_barrier_wait(&s->step);
        for (size_t i = w->index; i < n; i += t)
            move(s, &s->molecule[i]);
        pthread_barrier_wait(&s->step);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 2000);
    struct water s = {calloc(b.size, sizeof *s.molecule), ATOMS, DIRECTIONS, {{0}}};
    if (!s.molecule)
        bench_fail("out of memory");
    for (size_t i = 0; i < b.size; i++) {
        pthread_mutex_init(&s.molecule[i].lock, NULL);
        for (size_t a = 0; a < ATOMS; a++)
            for (size_t d = 0; d < DIRECTIONS; d++)
                s.molecule[i].place[a][d] =
                    (int64_t)(bench_hash(i * DIRECTIONS + d) % SPAN + a * 100 * (d + 1));
    }
    pthread_barrier_init(&s.step, NULL, b.threads);
    bench_run(&b, work, &s);
    uint64_t sum = 0;
    for (size_t i = 0; i < b.size; i++) {
        for (size_t a = 0; a < ATOMS; a++)
            for (size_t d = 0; d < DIRECTIONS; d++)
                sum = sum * 31 + (uint64_t)s.molecule[i].place[a][d];
        pthread_mutex_destroy(&s.molecule[i].lock);
    }
    pthread_barrier_destroy(&s.step);
    free(s.molecule);
    return bench_end("water", sum);
}
