/*
 * Web server (Jigsaw in the paper, larger than webserver.c): workers take requests from a queue,
 * find the resource in a cache or load it, keep a session for each client, and write an access log.
 *
 * Anomalies: whether there is a request and which one are two sections, so two workers can take one
 * request; a resource is looked up and loaded in two sections, so it can be loaded twice; the bytes
 * and lines of the log change in two sections, so a rotation can see them disagree; a session's
 * count is read and written in two sections; the number of served requests is not protected.
 */
#include "../../include/photofinish.h"
#include "subject.h"

enum { REQUESTS = 6, WORKERS = 3, RESOURCES = 3, CLIENTS = 2, CACHE = 8 };

struct request {
    int client, resource;
};
struct resource {
    int number, size, users;
};
struct session {
    pthread_mutex_t lock;
    int requests, bytes;
};

/* --- the queue --- */

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct request queue[REQUESTS];
static int queue_head, queue_tail;

/* Returns 0 if there is no request. */
static int next_request(struct request *r)
{
    PF_ATOMIC_BEGIN();
    LOCK(&queue_lock);
    int waiting = queue_tail - queue_head;
#ifndef TWIN
    UNLOCK(&queue_lock);
    LOCK(&queue_lock);
#endif
    if (waiting) {
        MUST(queue_head < queue_tail);
        *r = queue[queue_head++];
    }
    UNLOCK(&queue_lock);
    PF_ATOMIC_END();
    return waiting;
}

/* --- the cache --- */

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct resource cache[CACHE];
static int cached;

/* With the lock held. */
static int find(int number)
{
    for (int i = 0; i < cached; i++)
        if (cache[i].number == number)
            return i;
    return -1;
}

static int load(int number)
{
    int at = cached++;
    cache[at] = (struct resource){.number = number, .size = 100 + number};
    return at;
}

/* Returns the size of the resource. */
static int serve(int number)
{
    PF_ATOMIC_BEGIN();
    LOCK(&cache_lock);
    int at = find(number);
#ifndef TWIN
    UNLOCK(&cache_lock);
    LOCK(&cache_lock);
#endif
    if (at < 0)
        at = load(number);
    cache[at].users++;
    int size = cache[at].size;
    UNLOCK(&cache_lock);
    PF_ATOMIC_END();
    return size;
}

/* --- sessions --- */

static struct session sessions[CLIENTS];

static void count_request(struct session *s, int bytes)
{
    PF_ATOMIC_BEGIN();
    LOCK(&s->lock);
    int requests = s->requests;
#ifndef TWIN
    UNLOCK(&s->lock);
    LOCK(&s->lock);
#endif
    s->requests = requests + 1;
    s->bytes += bytes;
    UNLOCK(&s->lock);
    PF_ATOMIC_END();
}

/* --- the access log --- */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER, size_lock = PTHREAD_MUTEX_INITIALIZER;
static int log_lines, log_bytes, rotations;
enum { LINE = 40 };

static void log_access(void)
{
    PF_ATOMIC_BEGIN();
    LOCK(&log_lock);
    log_lines++;
#ifndef TWIN
    UNLOCK(&log_lock);
    LOCK(&size_lock);
#endif
    log_bytes += LINE;
#ifdef TWIN
    UNLOCK(&log_lock);
#else
    UNLOCK(&size_lock);
#endif
    PF_ATOMIC_END();
}

static void *rotate(void *p)
{
    PF_ATOMIC_BEGIN();
    LOCK(&log_lock);
    int lines = log_lines;
#ifndef TWIN
    UNLOCK(&log_lock);
    LOCK(&size_lock);
#endif
    int bytes = log_bytes;
#ifdef TWIN
    UNLOCK(&log_lock);
#else
    UNLOCK(&size_lock);
#endif
    PF_ATOMIC_END();
    MUST(bytes == lines * LINE);
    rotations += bytes > 2 * LINE;
    return p;
}

/* --- workers --- */

static pthread_mutex_t served_lock = PTHREAD_MUTEX_INITIALIZER;
static int served;

static void *worker(void *p)
{
    struct request r;
    while (next_request(&r)) {
        count_request(&sessions[r.client], serve(r.resource));
        log_access();
        TWIN_LOCK(&served_lock);
        served++;
        TWIN_UNLOCK(&served_lock);
    }
    return p;
}

int main(void)
{
    for (int i = 0; i < CLIENTS; i++)
        pthread_mutex_init(&sessions[i].lock, NULL);
    for (int i = 0; i < REQUESTS; i++)
        queue[queue_tail++] = (struct request){i % CLIENTS, i % RESOURCES};
    void *(*const body[])(void *) = {worker, worker, worker, rotate};
    run_threads(body, NULL, WORKERS + 1);
    int users = 0, requests = 0;
    for (int i = 0; i < cached; i++)
        users += cache[i].users;
    for (int i = 0; i < CLIENTS; i++)
        requests += sessions[i].requests;
    MUST(cached == RESOURCES && users == REQUESTS);
    MUST(requests == REQUESTS && log_lines == REQUESTS);
    MUST(served == REQUESTS);
    return 0;
}
