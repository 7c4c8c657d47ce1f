/*
 * cache.c - a cache server in one process (the shape of memcached): gets and sets under striped
 * locks, values of 1 KB, statistics.
 *
 * Races: the statistics of hits and misses, the clock that one thread advances, the update of an
 *        item's time outside of its lock, the eviction pointer, the flag of the rare flush.
 */
#include "../prog/bench.h"

#define COLD __attribute__((noinline)) static
enum { SLOTS = 2048, STRIPES = 64, VALUE = 1024 };
struct item {
    uint64_t key;
    unsigned used;
    unsigned char value[VALUE];
};
struct item items[SLOTS];
static pthread_mutex_t stripe[STRIPES];
unsigned long hits, misses, hand, flushes;
unsigned now;

COLD uint64_t hash_value(const unsigned char *v)
{
    uint64_t h = 14695981039346656037ull;
    for (int i = 0; i < VALUE; i++)
        h = (h ^ v[i]) * 1099511628211ull;
    return h;
}

COLD void fill_value(unsigned char *v, uint64_t key)
{
    for (int i = 0; i < VALUE; i++)
        v[i] = (unsigned char)(key >> i % 8 * 8);
}

COLD void touch(struct item *i) { i->used = now; } /* outside of the lock */

COLD void hit(void) { hits++; }

COLD void miss(void) { misses++; }

COLD void evict(void) { hand = (hand + 1) % SLOTS; }

COLD void flush(void) { flushes++; }

COLD void tick(void) { now++; }

COLD uint64_t get(uint64_t key)
{
    unsigned at = key % SLOTS;
    uint64_t h = 0;
    pthread_mutex_lock(&stripe[at % STRIPES]);
    if (items[at].key == key)
        h = hash_value(items[at].value);
    pthread_mutex_unlock(&stripe[at % STRIPES]);
    if (h) {
        hit();
        touch(&items[at]);
    } else {
        miss();
    }
    return h;
}

COLD void set(uint64_t key)
{
    unsigned at = key % SLOTS;
    pthread_mutex_lock(&stripe[at % STRIPES]);
    if (items[at].key && items[at].key != key)
        evict();
    items[at].key = key;
    fill_value(items[at].value, key);
    pthread_mutex_unlock(&stripe[at % STRIPES]);
}

static void *work(struct bench_worker *w)
{
    for (unsigned long i = 0; i < w->bench->size; i++) {
        uint64_t key = 1 + bench_hash(i * 8 + w->index) % (SLOTS * 2);
        if (!get(key))
            set(key);
        if (i % 256 == 0)
            tick();
        if (i % 5000 == 4999)
            flush();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 14000);
    for (unsigned i = 0; i < STRIPES; i++)
        pthread_mutex_init(&stripe[i], NULL);
    struct bench_worker w[8];
    for (unsigned i = 0; i < b.threads; i++) {
        w[i] = (struct bench_worker){.bench = &b, .index = i};
        pthread_create(&w[i].thread, NULL, (void *(*)(void *))work, &w[i]);
    }
    for (unsigned i = 0; i < b.threads; i++)
        pthread_join(w[i].thread, NULL);
    puts("cache done");
    return 0;
}
