/*
 * Web spider (WebLech in the paper): workers take addresses from a queue, fetch the page, check the
 * rules of its host, collect its links and add those that are new. A monitor writes a checkpoint of
 * queue and counters now and then.
 *
 * Anomalies: the test whether an address was seen and its entry in the table are two sections, so a
 * page can be fetched twice; the queue and the number of waiting addresses change in two sections,
 * so a checkpoint can contradict itself; the number of fetched bytes and the flag that stops the
 * monitor are not protected.
 */
#include "../../include/photofinish.h"
#include "subject.h"

enum { PAGES = 10, HOSTS = 3, WORKERS = 2, QUEUE = 64, TABLE = 32, LINK = 24 };

struct page {
    int host;
    const char *path, *links;
};
static const struct page web[PAGES] = {
    {0, "index", "1/index 0/about 0/news"},
    {0, "about", "0/index"},
    {0, "news", "0/news 2/index 1/shop"},
    {1, "index", "1/shop 1/cart"},
    {1, "shop", "1/cart 2/index"},
    {1, "cart", ""},
    {2, "index", "2/paper 2/draft 0/news"},
    {2, "paper", "2/paper"},
    {2, "draft", "1/cart"},
    {2, "secret", ""},
};
struct host {
    const char *forbidden; /* a prefix of paths that robots must not fetch */
    int fetched;
};
static struct host hosts[HOSTS] = {{NULL, 0}, {NULL, 0}, {"secret", 0}};

/* --- addresses that were seen --- */

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static char table[TABLE][LINK];
static int entries;

static unsigned slot_of(const char *address)
{
    unsigned h = 5381;
    for (const char *p = address; *p; p++)
        h = h * 33 + (unsigned char)*p;
    while (*table[h % TABLE] && strcmp(table[h % TABLE], address))
        h++;
    return h % TABLE;
}

static void enter(const char *address)
{
    snprintf(table[slot_of(address)], LINK, "%s", address);
    entries++;
}

/* True if the address is new; it is entered. */
static int is_new(const char *address)
{
#ifdef TWIN
    LOCK(&table_lock);
    int new = !*table[slot_of(address)];
    if (new)
        enter(address);
    UNLOCK(&table_lock);
    return new;
#else
    PF_ATOMIC_BEGIN();
    LOCK(&table_lock);
    int new = !*table[slot_of(address)];
    UNLOCK(&table_lock);
    if (new) {
        LOCK(&table_lock);
        enter(address);
        UNLOCK(&table_lock);
    }
    PF_ATOMIC_END();
    return new;
#endif
}

/* --- the queue --- */

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER,
                       waiting_lock = PTHREAD_MUTEX_INITIALIZER;
static char queue[QUEUE][LINK];
static int head, tail, waiting;

static void count_waiting(int change)
{
#ifndef TWIN
    LOCK(&waiting_lock);
#endif
    waiting += change;
#ifndef TWIN
    UNLOCK(&waiting_lock);
#endif
}

static void put(const char *address)
{
    PF_ATOMIC_BEGIN();
    LOCK(&queue_lock);
    snprintf(queue[tail++ % QUEUE], LINK, "%s", address);
#ifdef TWIN
    count_waiting(1);
#endif
    UNLOCK(&queue_lock);
#ifndef TWIN
    count_waiting(1);
#endif
    PF_ATOMIC_END();
}

static int take(char *address)
{
    int found = 0;
    PF_ATOMIC_BEGIN();
    LOCK(&queue_lock);
    if (head < tail) {
        snprintf(address, LINK, "%s", queue[head++ % QUEUE]);
        found = 1;
#ifdef TWIN
        count_waiting(-1);
#endif
    }
    UNLOCK(&queue_lock);
#ifndef TWIN
    if (found)
        count_waiting(-1);
#endif
    PF_ATOMIC_END();
    return found;
}

/* --- fetching --- */

static pthread_mutex_t host_lock = PTHREAD_MUTEX_INITIALIZER,
                       bytes_lock = PTHREAD_MUTEX_INITIALIZER;
static int bytes;

static const struct page *find(const char *address)
{
    for (int i = 0; i < PAGES; i++)
        if (web[i].host == *address - '0' && !strcmp(web[i].path, address + 2))
            return &web[i];
    return NULL;
}

static const char *fetch(const char *address)
{
    const struct page *p = find(address);
    if (!p)
        return "";
    LOCK(&host_lock);
    struct host *h = &hosts[p->host];
    int allowed = !h->forbidden || strncmp(p->path, h->forbidden, strlen(h->forbidden)) != 0;
    h->fetched += allowed;
    UNLOCK(&host_lock);
    if (!allowed)
        return "";
    TWIN_LOCK(&bytes_lock);
    bytes += (int)strlen(p->links) + 1;
    TWIN_UNLOCK(&bytes_lock);
    return p->links;
}

static void follow(const char *links)
{
    char address[LINK];
    for (int n; sscanf(links, "%23s%n", address, &n) == 1; links += n)
        if (is_new(address))
            put(address);
}

static void *worker(void *p)
{
    char address[LINK];
    while (take(address))
        follow(fetch(address));
    return p;
}

/* --- checkpoints --- */

static pthread_mutex_t stop_lock = PTHREAD_MUTEX_INITIALIZER;
static int stop, checkpoints;

static int stopped(void)
{
    TWIN_LOCK(&stop_lock);
    int s = stop;
    TWIN_UNLOCK(&stop_lock);
    return s;
}

static void checkpoint(void)
{
    PF_ATOMIC_BEGIN();
    LOCK(&queue_lock);
    int length = tail - head;
#ifndef TWIN
    UNLOCK(&queue_lock);
    LOCK(&waiting_lock);
#endif
    int counted = waiting;
#ifdef TWIN
    UNLOCK(&queue_lock);
#else
    UNLOCK(&waiting_lock);
#endif
    PF_ATOMIC_END();
    MUST(length == counted);
    checkpoints++;
}

static void *monitor(void *p)
{
    for (int i = 0; i < 3 && !stopped(); i++)
        checkpoint();
    return p;
}

static void *spider(void *p)
{
    void *(*const body[])(void *) = {worker, worker};
    run_threads(body, NULL, WORKERS);
    TWIN_LOCK(&stop_lock);
    stop = 1;
    TWIN_UNLOCK(&stop_lock);
    return p;
}

int main(void)
{
    static const char *const seeds[] = {"0/index", "1/index", "2/index"};
    for (int i = 0; i < 3; i++) {
        enter(seeds[i]);
        put(seeds[i]);
    }
    void *(*const body[])(void *) = {spider, monitor};
    run_threads(body, NULL, 2);
    int fetched = 0, links = 0;
    for (int i = 0; i < HOSTS; i++)
        fetched += hosts[i].fetched;
    for (int i = 0; i < PAGES; i++)
        links += strcmp(web[i].path, "secret") ? (int)strlen(web[i].links) + 1 : 0;
    MUST(fetched == PAGES - 1); /* each page that a link leads to, once */
    MUST(entries == fetched);
    MUST(bytes == links);
    return 0;
}
