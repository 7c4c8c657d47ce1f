/*
 * rwtable.c - a routing table behind a read-write lock: many searches, few changes.
 *
 * bench: size=2600000 quick=400000 contention=1200000
 *
 * Shows:   read locks, memory that several threads read in the same phase and one writes between
 *          (read sets that a write replaces), binary search in an array of structs.
 * Hides:   contention of writers: one operation in 512 writes.
 */
#include "bench.h"

enum { ROUTES = 8192 };

struct route {
    uint32_t first, last; /* addresses, inclusive */
    uint16_t port, metric;
    uint32_t hits;
};

struct table {
    pthread_rwlock_t lock;
    struct route route[ROUTES];
    uint64_t version;
};

static const struct route *table_find(const struct table *t, uint32_t address)
{
    size_t lo = 0, hi = ROUTES;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (t->route[mid].last < address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < ROUTES && t->route[lo].first <= address ? &t->route[lo] : NULL;
}

/* First, last and port never change, so the answer does not depend on the schedule. */
static uint64_t look_up(struct table *t, uint32_t address)
{
    pthread_rwlock_rdlock(&t->lock);
    const struct route *r = table_find(t, address);
    uint64_t answer = r ? r->port + 1u : 0;
    if (r && r->metric > 1000)
        answer = 1 << 30;
    pthread_rwlock_unlock(&t->lock);
    return answer;
}

static void update(struct table *t, uint64_t h)
{
    pthread_rwlock_wrlock(&t->lock);
    for (unsigned i = 0; i < 8; i++) {
        struct route *r = &t->route[(h + i * 37) % ROUTES];
        r->metric = (uint16_t)((r->metric + h % 7) % 1000);
        r->hits++;
    }
    t->version++;
    pthread_rwlock_unlock(&t->lock);
}

static void *work(struct bench_worker *w)
{
    struct table *t = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    for (size_t i = from; i < to; i++) {
        uint64_t h = bench_hash(i);
        if (h % 512 == 0)
            update(t, h >> 9);
        else
            w->sum += look_up(t, (uint32_t)(h >> 20)) * (h >> 50);
    }
    return NULL;
}

static void table_fill(struct table *t)
{
    uint32_t step = 0xffffffffu / ROUTES;
    for (uint32_t i = 0; i < ROUTES; i++) {
        uint64_t h = bench_hash(i);
        t->route[i].first = i * step + (uint32_t)(h % (step / 4));
        t->route[i].last = i * step + step - 1;
        t->route[i].port = (uint16_t)(h >> 32);
        t->route[i].metric = (uint16_t)((h >> 48) % 1000);
        t->route[i].hits = 0;
    }
    t->version = 0;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 8000000);
    static struct table table;
    table_fill(&table);
    pthread_rwlock_init(&table.lock, NULL);
    uint64_t sum = bench_run(&b, work, &table);
    for (size_t i = 0; i < ROUTES; i++)
        sum += bench_hash(i) * table.route[i].hits + table.route[i].metric;
    sum += table.version << 32;
    pthread_rwlock_destroy(&table.lock);
    return bench_end("rwtable", sum);
}
