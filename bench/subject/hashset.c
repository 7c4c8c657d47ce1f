/* HashSet: like ArrayList, with buckets. */
#include "subject.h"

enum { BUCKETS = 8 };
struct entry {
    struct entry *next;
    int value;
};
struct hashset {
    pthread_mutex_t lock;
    struct entry *bucket[BUCKETS];
    int size;
};
static struct hashset one = {PTHREAD_MUTEX_INITIALIZER, {NULL}, 0};
static struct hashset two = {PTHREAD_MUTEX_INITIALIZER, {NULL}, 0};

static void add(struct hashset *s, int v)
{
    struct entry **b = &s->bucket[v % BUCKETS], *e;
    for (e = *b; e; e = e->next)
        if (e->value == v)
            return;
    e = malloc(sizeof *e);
    e->next = *b;
    e->value = v;
    *b = e;
    s->size++;
}

static void clear(struct hashset *s)
{
    for (int i = 0; i < BUCKETS; i++)
        s->bucket[i] = NULL;
    s->size = 0;
}

static int count(const struct hashset *s)
{
    int n = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (const struct entry *e = s->bucket[i]; e; e = e->next)
            n++;
    return n;
}

/* Holds the lock of the collection it changes, and walks the other one without a lock. */
static void add_all(struct hashset *to, struct hashset *from)
{
    LOCK(&to->lock);
    TWIN_LOCK(&from->lock);
    int n = from->size, seen = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (const struct entry *e = from->bucket[i]; e; e = e->next, seen++)
            add(to, e->value);
    MUST(seen == n);
    TWIN_UNLOCK(&from->lock);
    UNLOCK(&to->lock);
}

#include "collection.h"
