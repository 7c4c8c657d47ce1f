/* Queue: emptiness is tested before the lock is taken. It fails if two threads see the last
 * element: the second one removes from an empty queue and follows a null pointer. */
// fails: crash
#include "explore.h"

struct element {
    struct element *next;
    int value;
};
static pthread_mutex_t lock = MUTEX;
static struct element only = {NULL, 7};
static struct element *_Atomic first = &only;
static int sum;

static void *take(void *p)
{
    if (!atomic_load(&first))
        return p;
    LOCK(&lock);
    struct element *e = atomic_load(&first);
    atomic_store(&first, e->next);
    sum += e->value;
    UNLOCK(&lock);
    return p;
}

int main(void)
{
    start(take, 0);
    start(take, 0);
    join_all();
    return 0;
}
