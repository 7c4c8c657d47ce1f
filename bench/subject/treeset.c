/* TreeSet: like ArrayList, with a search tree. */
#include "subject.h"

struct tree {
    struct tree *left, *right;
    int value;
};
struct treeset {
    pthread_mutex_t lock;
    struct tree *root;
    int size;
};
static struct treeset one = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};
static struct treeset two = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

static void add(struct treeset *s, int v)
{
    struct tree **at = &s->root;
    while (*at && (*at)->value != v)
        at = v < (*at)->value ? &(*at)->left : &(*at)->right;
    if (*at)
        return;
    *at = calloc(1, sizeof **at);
    (*at)->value = v;
    s->size++;
}

static void clear(struct treeset *s)
{
    s->root = NULL;
    s->size = 0;
}

static int walk(const struct tree *t, struct treeset *to)
{
    if (!t)
        return 0;
    int n = walk(t->left, to) + 1 + walk(t->right, to);
    if (to)
        add(to, t->value);
    return n;
}

static int count(const struct treeset *s) { return walk(s->root, NULL); }

/* Holds the lock of the collection it changes, and walks the other one without a lock. */
static void add_all(struct treeset *to, struct treeset *from)
{
    LOCK(&to->lock);
    TWIN_LOCK(&from->lock);
    int n = from->size;
    MUST(walk(from->root, to) == n);
    TWIN_UNLOCK(&from->lock);
    UNLOCK(&to->lock);
}

#include "collection.h"
