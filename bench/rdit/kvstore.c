/*
 * kvstore.c - a key-value store: striped locks, a log, a cache in front, clients and a compactor.
 *
 * Shape:  many short critical sections on many locks; nodes that change owner; a version that
 *         readers read.
 * Races:  hits and misses of the cache, the displayed size, the last key, the request to compact.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRIPES 4
#define BUCKETS 32
#define CLIENTS 3
#ifndef REQUESTS
#define REQUESTS 40
#endif
#define CACHE 8
#ifndef LOG
#define LOG 512
#endif

struct node {
    unsigned key, version;
    long value;
    struct node *next;
};

static struct {
    pthread_mutex_t lock[STRIPES];
    struct node *bucket[BUCKETS];
    unsigned count[STRIPES];
} store;

static struct {
    pthread_rwlock_t lock;
    unsigned key[CACHE];
    long value[CACHE];
    unsigned char used[CACHE];
} cache = {.lock = PTHREAD_RWLOCK_INITIALIZER};

struct record {
    char op;
    unsigned key;
    long value;
};

static struct {
    pthread_mutex_t lock;
    struct record at[LOG];
    unsigned n, compacted;
} wal = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct { /* unprotected */
    unsigned long hits, misses, puts, removals;
    unsigned last_key, shown_size;
    int wants_compaction, rounds;
} info;

/* --- the log --- */

static void log_put(char op, unsigned key, long value)
{
    pthread_mutex_lock(&wal.lock);
    if (wal.n < LOG)
        wal.at[wal.n++] = (struct record){op, key, value};
    pthread_mutex_unlock(&wal.lock);
}

static unsigned log_length(void)
{
    pthread_mutex_lock(&wal.lock);
    unsigned n = wal.n;
    pthread_mutex_unlock(&wal.lock);
    return n;
}

/* Keeps the last record of each key. */
static unsigned log_compact(void)
{
    unsigned keep = 0;
    pthread_mutex_lock(&wal.lock);
    for (unsigned i = 0; i < wal.n; i++) {
        int later = 0;
        for (unsigned k = i + 1; k < wal.n && !later; k++)
            later = wal.at[k].key == wal.at[i].key;
        if (!later)
            wal.at[keep++] = wal.at[i];
    }
    wal.compacted += wal.n - keep;
    wal.n = keep;
    pthread_mutex_unlock(&wal.lock);
    return keep;
}

/* --- the cache --- */

static int cache_find(unsigned key, long *value)
{
    int found = 0;
    pthread_rwlock_rdlock(&cache.lock);
    unsigned i = key % CACHE;
    if (cache.used[i] && cache.key[i] == key) {
        *value = cache.value[i];
        found = 1;
    }
    pthread_rwlock_unlock(&cache.lock);
    return found;
}

static void cache_put(unsigned key, long value)
{
    pthread_rwlock_wrlock(&cache.lock);
    unsigned i = key % CACHE;
    cache.key[i] = key;
    cache.value[i] = value;
    cache.used[i] = 1;
    pthread_rwlock_unlock(&cache.lock);
}

static void cache_drop(unsigned key)
{
    pthread_rwlock_wrlock(&cache.lock);
    unsigned i = key % CACHE;
    if (cache.used[i] && cache.key[i] == key)
        cache.used[i] = 0;
    pthread_rwlock_unlock(&cache.lock);
}

/* --- the store --- */

static unsigned hash(unsigned key) { return key * 2654435761u >> 27; }

static pthread_mutex_t *lock_of(unsigned key) { return &store.lock[hash(key) % STRIPES]; }

static struct node **find(unsigned key)
{
    struct node **at = &store.bucket[hash(key) % BUCKETS];
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

static int store_get(unsigned key, long *value)
{
    pthread_mutex_lock(lock_of(key));
    struct node *n = *find(key);
    if (n)
        *value = n->value;
    pthread_mutex_unlock(lock_of(key));
    return n != NULL;
}

static void store_put(unsigned key, long value)
{
    pthread_mutex_lock(lock_of(key));
    struct node **at = find(key);
    if (!*at) {
        *at = calloc(1, sizeof **at);
        if (!*at)
            abort();
        (*at)->key = key;
        store.count[hash(key) % STRIPES]++;
    }
    (*at)->value = value;
    (*at)->version++;
    pthread_mutex_unlock(lock_of(key));
}

static int store_remove(unsigned key)
{
    pthread_mutex_lock(lock_of(key));
    struct node **at = find(key), *gone = *at;
    if (gone) {
        *at = gone->next;
        store.count[hash(key) % STRIPES]--;
        free(gone);
    }
    pthread_mutex_unlock(lock_of(key));
    return gone != NULL;
}

static unsigned store_size(void)
{
    unsigned n = 0;
    for (int i = 0; i < STRIPES; i++) {
        pthread_mutex_lock(&store.lock[i]);
        n += store.count[i];
        pthread_mutex_unlock(&store.lock[i]);
    }
    return n;
}

/* --- requests --- */

static long get(unsigned key)
{
    long value = -1;
    info.last_key = key;
    if (cache_find(key, &value)) {
        info.hits++;
        return value;
    }
    info.misses++;
    if (store_get(key, &value))
        cache_put(key, value);
    return value;
}

static void put(unsigned key, long value)
{
    info.last_key = key;
    log_put('+', key, value);
    store_put(key, value);
    cache_drop(key);
    info.puts++;
    if (info.puts % 32 == 0)
        info.wants_compaction = 1;
}

static void drop(unsigned key)
{
    log_put('-', key, 0);
    if (store_remove(key)) {
        cache_drop(key);
        info.removals++;
    }
}

static void *client(void *arg)
{
    unsigned seed = (unsigned)(unsigned long)arg * 977 + 5;
    long sum = 0;
    for (int i = 0; i < REQUESTS; i++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned key = seed >> 20 & 31;
        switch (seed >> 28 & 3) {
        case 0:
            drop(key);
            break;
        case 1:
            sum += get(key);
            break;
        default:
            put(key, (long)(seed >> 8 & 255));
        }
    }
    return (void *)sum;
}

static void *compactor(void *arg)
{
    for (int i = 0; i < 6; i++) {
        if (info.wants_compaction || log_length() > 24) {
            info.wants_compaction = 0;
            log_compact();
        }
        info.rounds++;
    }
    return arg;
}

/* The records of one key, newest last. */
static unsigned log_count(unsigned key)
{
    unsigned n = 0;
    pthread_mutex_lock(&wal.lock);
    for (unsigned i = 0; i < wal.n; i++)
        n += wal.at[i].key == key;
    pthread_mutex_unlock(&wal.lock);
    return n;
}

static void *monitor(void *arg)
{
    char line[96];
    for (int i = 0; i < 4; i++) {
        info.shown_size = store_size();
        snprintf(line, sizeof line, "%u keys, %lu hits, %lu misses, last %u, %d", info.shown_size,
                 info.hits, info.misses, info.last_key, info.rounds);
        if (!strlen(line))
            abort();
        if (log_count(info.last_key) > LOG)
            abort();
    }
    return arg;
}

int main(void)
{
    pthread_t clients[CLIENTS], compact, watch;
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_init(&store.lock[i], NULL);
    for (long i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, client, (void *)(i + 1));
    pthread_create(&compact, NULL, compactor, NULL);
    pthread_create(&watch, NULL, monitor, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    pthread_join(compact, NULL);
    pthread_join(watch, NULL);
    printf("%u keys, %u compacted\n", store_size(), wal.compacted);
    for (int i = 0; i < BUCKETS; i++)
        for (struct node *n = store.bucket[i], *next; n; n = next) {
            next = n->next;
            free(n);
        }
    return 0;
}
