/*
 * anneal.c - simulated annealing of a placement (the shape of canneal): random pairs of elements,
 * each under the lock of its stripe, a shared temperature.
 *
 * Races: the temperature, read by all and lowered by one thread; the best cost; the count of
 *        moves; a cell that a rare kind of move accesses without its lock.
 */
#include "../prog/bench.h"

#define COLD __attribute__((noinline)) static
enum { CELLS = 4096, STRIPES = 64, NETS = 128 };
struct cell {
    int x, y, net[NETS];
};
struct cell cells[CELLS];
static pthread_mutex_t stripe[STRIPES];
double temperature = 100;
long best = 1l << 40, moves;

COLD long cost_at(const struct cell *c, int x, int y)
{
    long sum = 0;
    for (int i = 0; i < NETS; i++)
        sum += labs(x - c->net[i]) + labs(y - (c->net[i] >> 3));
    return sum;
}

COLD double heat(void) { return temperature; }

COLD int accept(long delta, uint64_t r) { return delta < 0 || (double)(r % 1000) < heat(); }

COLD void swap(struct cell *a, struct cell *b)
{
    int x = a->x, y = a->y;
    a->x = b->x;
    a->y = b->y;
    b->x = x;
    b->y = y;
}

COLD void note_best(long cost)
{
    if (cost < best)
        best = cost;
}

COLD void nudge(unsigned i) { cells[i].x ^= 1; } /* no lock */

COLD void step(uint64_t r)
{
    unsigned i = r % CELLS, k = (r >> 20) % CELLS;
    unsigned low = i % STRIPES, high = k % STRIPES;
    if (low == high)
        return;
    if (low > high) {
        unsigned s = low;
        low = high;
        high = s;
    }
    pthread_mutex_lock(&stripe[low]);
    pthread_mutex_lock(&stripe[high]);
    long before =
        cost_at(&cells[i], cells[i].x, cells[i].y) + cost_at(&cells[k], cells[k].x, cells[k].y);
    long after =
        cost_at(&cells[i], cells[k].x, cells[k].y) + cost_at(&cells[k], cells[i].x, cells[i].y);
    if (accept(after - before, r >> 40))
        swap(&cells[i], &cells[k]);
    pthread_mutex_unlock(&stripe[high]);
    pthread_mutex_unlock(&stripe[low]);
    note_best(after);
}

COLD void cool(void) { temperature *= 0.99; }

static void *work(struct bench_worker *w)
{
    for (unsigned long i = 0; i < w->bench->size; i++) {
        uint64_t r = bench_hash(i * 8 + w->index);
        step(r);
        if (i % 1000 == 999)
            moves += 1000;
        if (i % 1000 == 999)
            nudge((unsigned)(i / 1000 % 16));
        if (!w->index && i % 500 == 0)
            cool();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 30000);
    for (unsigned i = 0; i < STRIPES; i++)
        pthread_mutex_init(&stripe[i], NULL);
    for (unsigned i = 0; i < CELLS; i++) {
        cells[i].x = (int)i % 64;
        cells[i].y = (int)i / 64;
        for (int k = 0; k < NETS; k++)
            cells[i].net[k] = (int)(bench_hash(i * NETS + (unsigned)k) % CELLS);
    }
    struct bench_worker w[8];
    for (unsigned i = 0; i < b.threads; i++) {
        w[i] = (struct bench_worker){.bench = &b, .index = i};
        pthread_create(&w[i].thread, NULL, (void *(*)(void *))work, &w[i]);
    }
    for (unsigned i = 0; i < b.threads; i++)
        pthread_join(w[i].thread, NULL);
    puts("anneal done");
    return 0;
}
