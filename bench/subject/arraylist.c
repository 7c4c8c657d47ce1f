/* ArrayList: addAll of a synchronised list holds the lock of that list, not of its argument. */
#include "subject.h"

struct arraylist {
    pthread_mutex_t lock;
    int size, room;
    int *at;
};
static struct arraylist one = {PTHREAD_MUTEX_INITIALIZER, 0, 0, NULL};
static struct arraylist two = {PTHREAD_MUTEX_INITIALIZER, 0, 0, NULL};

static void add(struct arraylist *l, int v)
{
    if (l->size == l->room) {
        l->room = 2 * l->room + 4;
        l->at = realloc(l->at, (size_t)l->room * sizeof *l->at);
    }
    l->at[l->size++] = v;
}

static void clear(struct arraylist *l)
{
    for (int i = 0; i < l->size; i++)
        l->at[i] = -1;
    l->size = 0;
}

static int count(const struct arraylist *l)
{
    int n = 0;
    for (int i = 0; i < l->size; i++)
        n += l->at[i] >= 0;
    return n;
}

/* Holds the lock of the collection it changes, and walks the other one without a lock. */
static void add_all(struct arraylist *to, struct arraylist *from)
{
    LOCK(&to->lock);
    TWIN_LOCK(&from->lock);
    int n = from->size;
    for (int i = 0; i < n; i++)
        add(to, from->at[i]);
    TWIN_UNLOCK(&from->lock);
    UNLOCK(&to->lock);
}

#include "collection.h"
