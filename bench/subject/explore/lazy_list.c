/* Lazy list: an insertion locks the predecessor, but does not check that it is still in the
 * list. It fails if the predecessor is removed between the search and the lock: the new node is
 * lost. */
// fails: assertion
#include "explore.h"

struct node {
    int key;
    struct node *next;
    pthread_mutex_t lock;
};
static struct node end = {9, NULL, MUTEX}, two = {2, &end, MUTEX}, head = {0, &two, MUTEX};
static struct node three = {3, NULL, MUTEX};

static struct node *load(struct node **at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }

static struct node *before(int key)
{
    struct node *p = &head;
    while (load(&p->next)->key < key)
        p = load(&p->next);
    return p;
}

static void *insert(void *p)
{
    struct node *b = before(three.key);
    LOCK(&b->lock);
    three.next = load(&b->next);
    __atomic_store_n(&b->next, &three, __ATOMIC_SEQ_CST);
    UNLOCK(&b->lock);
    return p;
}

static void *drop(void *p)
{
    LOCK(&head.lock);
    LOCK(&two.lock);
    __atomic_store_n(&head.next, load(&two.next), __ATOMIC_SEQ_CST);
    UNLOCK(&two.lock);
    UNLOCK(&head.lock);
    return p;
}

int main(void)
{
    start(insert, 0);
    start(drop, 0);
    join_all();
    assert(head.next == &three);
    return 0;
}
