/*
 * cluster.c - clusters of points, step by step with barriers (the shape of streamcluster).
 *
 * Races: the flags of open centres, written by the thread that finds one; the running total,
 *        updated by all threads between the barriers; a point's weight that the last phase changes
 *        while other threads still read it.
 */
#include "../prog/bench.h"

#define COLD __attribute__((noinline)) static
enum { POINTS = 1500, DIM = 24, CENTRES = 24 };
static float point[POINTS][DIM];
int owner[POINTS], open_flag[CENTRES];
float weight[POINTS];
double total;
static pthread_barrier_t barrier;

COLD float distance(const float *a, const float *b)
{
    float s = 0;
    for (int i = 0; i < DIM; i++)
        s += (a[i] - b[i]) * (a[i] - b[i]);
    return s;
}

COLD int nearest(int p)
{
    int best = 0;
    float least = 1e30f;
    for (int c = 0; c < CENTRES; c++) {
        float d = distance(point[p], point[c * (POINTS / CENTRES)]);
        if (d < least) {
            least = d;
            best = c;
        }
    }
    return best;
}

COLD void open_centre(int c) { open_flag[c] = 1; }

COLD void add_total(double d) { total += d; }

COLD float weigh(int p) { return weight[p]; }

COLD void reweigh(int p, float by) { weight[p] += by; }

static void *work(struct bench_worker *w)
{
    int share = POINTS / (int)w->bench->threads, from = (int)w->index * share;
    for (unsigned long r = 0; r < w->bench->size; r++) {
        double sum = 0;
        for (int p = from; p < from + share; p++) {
            owner[p] = nearest(p);
            sum += (double)weigh((p + (int)r) % POINTS);
            if (p % 100 == 0)
                open_centre(owner[p]);
        }
        add_total(sum);
        if (r % 8 == 5)
            reweigh((int)(from + (int)r) % POINTS, 1);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 60);
    pthread_barrier_init(&barrier, NULL, b.threads);
    for (unsigned i = 0; i < POINTS; i++)
        for (unsigned k = 0; k < DIM; k++)
            point[i][k] = (float)(bench_hash(i * DIM + k) % 1000);
    struct bench_worker w[8];
    for (unsigned i = 0; i < b.threads; i++) {
        w[i] = (struct bench_worker){.bench = &b, .index = i};
        pthread_create(&w[i].thread, NULL, (void *(*)(void *))work, &w[i]);
    }
    for (unsigned i = 0; i < b.threads; i++)
        pthread_join(w[i].thread, NULL);
    printf("cluster %d\n", owner[77]);
    return 0;
}
