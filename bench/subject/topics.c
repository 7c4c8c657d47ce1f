/*
 * Message broker with topics (OpenJMS in the paper, larger than broker.c): publishers store
 * messages and hand them to the subscribers of a topic; subscribers acknowledge them; a message
 * that all have acknowledged is removed.
 *
 * Anomalies: the number of a message is read and stored in two sections, so two messages can get
 * one number; a topic is looked up and created in two sections, so there can be two of one name;
 * the bytes of the store and its messages change in two sections, so a report can see them
 * disagree; the number of deliveries and the flag that closes the broker are not protected.
 */
#include "../../include/photofinish.h"
#include "subject.h"

enum { TOPICS = 4, SUBSCRIBERS = 3, MESSAGES = 16, INBOX = 16, NAME = 12 };

struct message {
    int number, topic, bytes, missing; /* missing: acknowledgements */
};
struct subscriber {
    pthread_mutex_t lock;
    int inbox[INBOX], head, tail, received;
};
struct topic {
    char name[NAME];
    int members;
};

/* --- topics --- */

static pthread_mutex_t topics_lock = PTHREAD_MUTEX_INITIALIZER;
static struct topic topics[TOPICS];
static int ntopics;

/* With the lock held. */
static int find_topic(const char *name)
{
    for (int i = 0; i < ntopics; i++)
        if (!strcmp(topics[i].name, name))
            return i;
    return -1;
}

static int topic_of(const char *name)
{
    PF_ATOMIC_BEGIN();
    LOCK(&topics_lock);
    int i = find_topic(name);
#ifndef TWIN
    UNLOCK(&topics_lock);
    LOCK(&topics_lock);
#endif
    if (i < 0) {
        MUST(find_topic(name) < 0);
        i = ntopics++;
        snprintf(topics[i].name, NAME, "%s", name);
        topics[i].members = SUBSCRIBERS - 1;
    }
    UNLOCK(&topics_lock);
    PF_ATOMIC_END();
    return i;
}

/* --- the store --- */

static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER,
                       size_lock = PTHREAD_MUTEX_INITIALIZER,
                       number_lock = PTHREAD_MUTEX_INITIALIZER;
static struct message store[MESSAGES];
static int stored, removed, store_bytes, last_number;

static int next_number(void)
{
    PF_ATOMIC_BEGIN();
    LOCK(&number_lock);
    int n = last_number + 1;
#ifndef TWIN
    UNLOCK(&number_lock);
    LOCK(&number_lock);
#endif
    last_number = n;
    UNLOCK(&number_lock);
    PF_ATOMIC_END();
    return n;
}

/* Returns where the message is. */
static int keep(struct message m)
{
    PF_ATOMIC_BEGIN();
    LOCK(&store_lock);
    int at = stored++;
    store[at] = m;
#ifndef TWIN
    UNLOCK(&store_lock);
    LOCK(&size_lock);
#endif
    store_bytes += m.bytes;
#ifdef TWIN
    UNLOCK(&store_lock);
#else
    UNLOCK(&size_lock);
#endif
    PF_ATOMIC_END();
    return at;
}

static void acknowledge(int at)
{
    PF_ATOMIC_BEGIN();
    LOCK(&store_lock);
    int gone = !--store[at].missing ? store[at].bytes : 0;
    removed += gone != 0;
#ifndef TWIN
    UNLOCK(&store_lock);
    LOCK(&size_lock);
#endif
    store_bytes -= gone;
#ifdef TWIN
    UNLOCK(&store_lock);
#else
    UNLOCK(&size_lock);
#endif
    PF_ATOMIC_END();
}

static void report(void)
{
    PF_ATOMIC_BEGIN();
    LOCK(&store_lock);
    int bytes = 0;
    for (int i = 0; i < stored; i++)
        bytes += store[i].missing ? store[i].bytes : 0;
#ifndef TWIN
    UNLOCK(&store_lock);
    LOCK(&size_lock);
#endif
    int counted = store_bytes;
#ifdef TWIN
    UNLOCK(&store_lock);
#else
    UNLOCK(&size_lock);
#endif
    PF_ATOMIC_END();
    MUST(bytes == counted);
}

/* --- deliveries --- */

static struct subscriber subscribers[SUBSCRIBERS];
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static int deliveries;

static void deliver(struct subscriber *s, int at)
{
    LOCK(&s->lock);
    s->inbox[s->tail++ % INBOX] = at;
    UNLOCK(&s->lock);
    TWIN_LOCK(&count_lock);
    deliveries++;
    TWIN_UNLOCK(&count_lock);
}

static void publish(const char *name, int bytes)
{
    int topic = topic_of(name), at;
    struct message m = {next_number(), topic, bytes, SUBSCRIBERS - 1};
    at = keep(m);
    for (int i = 0; i < SUBSCRIBERS - 1; i++)
        deliver(&subscribers[i], at);
}

/* Takes what has arrived. */
static void receive(struct subscriber *s)
{
    for (;;) {
        LOCK(&s->lock);
        int at = s->head < s->tail ? s->inbox[s->head++ % INBOX] : -1;
        s->received += at >= 0;
        UNLOCK(&s->lock);
        if (at < 0)
            return;
        acknowledge(at);
    }
}

/* --- threads --- */

static pthread_mutex_t close_lock = PTHREAD_MUTEX_INITIALIZER;
static int closing;

static int is_closing(void)
{
    TWIN_LOCK(&close_lock);
    int c = closing;
    TWIN_UNLOCK(&close_lock);
    return c;
}

static void *publisher(void *p)
{
    const char *own = p;
    publish(own, 10);
    publish("news", 20);
    publish(own, 30);
    return NULL;
}

static void *consumer(void *p)
{
    struct subscriber *s = p;
    for (int i = 0; i < 2 && !is_closing(); i++)
        receive(s);
    return NULL;
}

static void *manager(void *p)
{
    report();
    TWIN_LOCK(&close_lock);
    closing = 1;
    TWIN_UNLOCK(&close_lock);
    return p;
}

int main(void)
{
    for (int i = 0; i < SUBSCRIBERS; i++)
        pthread_mutex_init(&subscribers[i].lock, NULL);
    void *(*const body[])(void *) = {publisher, publisher, consumer, consumer, manager};
    void *const arg[] = {"stock", "mail", &subscribers[0], &subscribers[1], NULL};
    run_threads(body, arg, 5);
    for (int i = 0; i < SUBSCRIBERS; i++)
        receive(&subscribers[i]);
    for (int i = 0; i < stored; i++)
        for (int k = 0; k < i; k++)
            MUST(store[i].number != store[k].number);
    MUST(stored == 6 && removed == 6 && store_bytes == 0);
    MUST(deliveries == 12);
    MUST(ntopics == 3);
    return 0;
}
