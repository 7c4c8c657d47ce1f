/*
 * sessions.c - a server without a network: sessions with a lock each, workers, a janitor, an
 * administrator.
 *
 * Shape:  every session is a separate object with its own lock; a worker mostly uses its own
 *         sessions, the janitor visits all of them; a registry has one lock. Synchronising
 *         functions take the object as their argument.
 * Races:  the statistics, the log level, the coarse clock, the last path, the high-water mark.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS 4
#define SESSIONS 3 /* of each worker */
#ifndef REQUESTS
#define REQUESTS 5 /* of each session */
#endif
#define HISTORY 16
#ifndef FAILURES
#define FAILURES 1000
#endif
#ifndef ROUNDS
#define ROUNDS 3
#endif
#define PATHS 6

enum status { STATUS_OK = 200, STATUS_MOVED = 301, STATUS_FORBIDDEN = 403, STATUS_MISSING = 404 };

struct request {
    unsigned path, size;
    enum status status;
    unsigned when;
};

struct session {
    pthread_mutex_t lock;
    unsigned id, owner;
    unsigned n, bytes, failures;
    unsigned touched; /* the clock at its last request */
    int expired;
    struct request history[HISTORY];
};

struct entry {
    struct session *session;
    struct entry *next;
};

static struct {
    pthread_mutex_t lock;
    struct entry *first;
    unsigned n;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* unprotected */
static unsigned long served, sent, failed, moved;
static unsigned last_path, largest, busiest;
static unsigned coarse_clock; /* the janitor writes it, all threads read it */
static int log_level, draining;
static unsigned quota = 4000;

static const char *const paths[PATHS] = {"/", "/index", "/news", "/old", "/private", "/nothing"};

/* --- a session: its users hold its lock --- */

static struct session *session_new(unsigned id, unsigned owner)
{
    struct session *s = calloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->id = id;
    s->owner = owner;
    return s;
}

static void session_free(struct session *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static unsigned session_add(struct session *s, unsigned path, unsigned size, enum status status,
                            unsigned when)
{
    pthread_mutex_lock(&s->lock);
    struct request *r = &s->history[s->n % HISTORY];
    r->path = path;
    r->size = size;
    r->status = status;
    r->when = when;
    s->n++;
    s->bytes += size;
    s->failures += status >= 400;
    s->touched = when;
    unsigned bytes = s->bytes;
    pthread_mutex_unlock(&s->lock);
    return bytes;
}

static int session_allows(struct session *s, unsigned limit)
{
    pthread_mutex_lock(&s->lock);
    int yes = !s->expired && s->bytes < limit;
    pthread_mutex_unlock(&s->lock);
    return yes;
}

static int session_expire(struct session *s, unsigned before)
{
    pthread_mutex_lock(&s->lock);
    int now = !s->expired && s->n && s->touched < before;
    if (now)
        s->expired = 1;
    pthread_mutex_unlock(&s->lock);
    return now;
}

static unsigned session_failures(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    unsigned n = s->failures;
    pthread_mutex_unlock(&s->lock);
    return n;
}

static unsigned session_bytes(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    unsigned n = s->bytes;
    pthread_mutex_unlock(&s->lock);
    return n;
}

static void session_reset(struct session *s)
{
    pthread_mutex_lock(&s->lock);
    memset(s->history, 0, sizeof s->history);
    s->expired = 0;
    s->n = 0;
    pthread_mutex_unlock(&s->lock);
}

/* --- the registry --- */

static void registry_add(struct session *s)
{
    struct entry *e = malloc(sizeof *e);
    pthread_mutex_lock(&registry.lock);
    e->session = s;
    e->next = registry.first;
    registry.first = e;
    registry.n++;
    pthread_mutex_unlock(&registry.lock);
}

static struct session *registry_at(unsigned i)
{
    pthread_mutex_lock(&registry.lock);
    struct entry *e = registry.first;
    for (unsigned k = 0; e && k < i; k++)
        e = e->next;
    struct session *s = e ? e->session : NULL;
    pthread_mutex_unlock(&registry.lock);
    return s;
}

static unsigned registry_size(void)
{
    pthread_mutex_lock(&registry.lock);
    unsigned n = registry.n;
    pthread_mutex_unlock(&registry.lock);
    return n;
}

static void registry_clear(void)
{
    while (registry.first) {
        struct entry *e = registry.first;
        registry.first = e->next;
        session_free(e->session);
        free(e);
    }
}

/* --- answering --- */

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

static enum status answer(unsigned path)
{
    switch (path) {
    case 3:
        return STATUS_MOVED;
    case 4:
        return STATUS_FORBIDDEN;
    case 5:
        return STATUS_MISSING;
    default:
        return STATUS_OK;
    }
}

static unsigned body_size(unsigned path, enum status status)
{
    unsigned n = 40;
    for (const char *p = paths[path]; *p; p++)
        n += (unsigned)*p;
    return status == STATUS_OK ? n : 40;
}

static void count_status(enum status status)
{
    if (status >= 400)
        failed++; /* bug: no lock, not atomic */
    else if (status == STATUS_MOVED)
        moved++;
}

static void count_answer(unsigned path, unsigned size)
{
    served++;
    sent += size;
    last_path = path;
    if (size > largest)
        largest = size;
}

static void note_busiest(unsigned id, unsigned bytes)
{
    static unsigned most;
    if (bytes > most) {
        most = bytes;
        busiest = id;
    }
}

static void serve(struct session *s, unsigned *seed)
{
    unsigned path = next_random(seed) % PATHS, now = coarse_clock;
    enum status status = answer(path);
    unsigned size = body_size(path, status);
    count_status(status);
    if (log_level > 1)
        size += 8;
    if (!session_allows(s, quota))
        return;
    unsigned bytes = session_add(s, path, size, status, now);
    count_answer(path, size);
    note_busiest(s->id, bytes);
}

/* --- threads --- */

static void *worker(void *arg)
{
    unsigned me = (unsigned)(size_t)arg, seed = 17 * me + 3;
    struct session *mine[SESSIONS];
    for (unsigned i = 0; i < SESSIONS; i++) {
        mine[i] = session_new(me * SESSIONS + i, me);
        registry_add(mine[i]);
    }
    for (unsigned k = 0; k < REQUESTS && !draining; k++)
        for (unsigned i = 0; i < SESSIONS; i++)
            serve(mine[i], &seed);
    unsigned failures = 0;
    for (unsigned i = 0; i < SESSIONS; i++)
        failures += session_failures(mine[i]);
    return (void *)(size_t)failures;
}

static void *janitor(void *arg)
{
    size_t expired = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        coarse_clock++;
        unsigned n = registry_size();
        for (unsigned i = 0; i < n; i++) {
            struct session *s = registry_at(i);
            if (s && session_expire(s, round)) {
                expired++;
                session_reset(s);
            }
        }
        if (failed > FAILURES)
            draining = 1;
    }
    (void)arg;
    return (void *)expired;
}

static void *administrator(void *arg)
{
    unsigned long seen = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        log_level = (int)round;
        quota += 100;
        seen += served + last_path;
        unsigned n = registry_size(), bytes = 0;
        for (unsigned i = 0; i < n; i += 2) {
            struct session *s = registry_at(i);
            bytes += s ? session_bytes(s) : 0;
        }
        seen += bytes + largest;
    }
    (void)arg;
    return (void *)(size_t)(seen & 0xff);
}

int main(void)
{
    pthread_t workers[WORKERS], cleaner, boss;
    for (size_t i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, (void *)i);
    pthread_create(&cleaner, NULL, janitor, NULL);
    pthread_create(&boss, NULL, administrator, NULL);
    size_t failures = 0;
    for (size_t i = 0; i < WORKERS; i++) {
        void *n;
        pthread_join(workers[i], &n);
        failures += (size_t)n;
    }
    pthread_join(cleaner, NULL);
    pthread_join(boss, NULL);
    printf("%lu served, %zu failed, %u sessions\n", served, failures, registry.n);
    registry_clear();
    return 0;
}
