/* LinkedList: like ArrayList, with nodes. */
#include "subject.h"

struct link {
    struct link *next;
    int value;
};
struct linkedlist {
    pthread_mutex_t lock;
    struct link *first, *last;
    int size;
};
static struct linkedlist one = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL, 0};
static struct linkedlist two = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL, 0};

static void add(struct linkedlist *l, int v)
{
    struct link *k = malloc(sizeof *k);
    k->next = NULL;
    k->value = v;
    if (l->last)
        l->last->next = k;
    else
        l->first = k;
    l->last = k;
    l->size++;
}

static void clear(struct linkedlist *l) /* not freed: another thread may still read the nodes */
{
    l->first = l->last = NULL;
    l->size = 0;
}

static int count(const struct linkedlist *l)
{
    int n = 0;
    for (const struct link *k = l->first; k; k = k->next)
        n++;
    return n;
}

/* Holds the lock of the collection it changes, and walks the other one without a lock. */
static void add_all(struct linkedlist *to, struct linkedlist *from)
{
    LOCK(&to->lock);
    TWIN_LOCK(&from->lock);
    const struct link *k = from->first;
    for (int i = from->size; i > 0; i--, k = k->next) {
        MUST(k);
        add(to, k->value);
    }
    TWIN_UNLOCK(&from->lock);
    UNLOCK(&to->lock);
}

#include "collection.h"
