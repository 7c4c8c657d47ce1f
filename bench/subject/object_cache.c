/* Cache4j: an object cache; hits are counted outside the lock, and a missing object is inserted in
 * another critical section than the look-up. */
#include "subject.h"

enum { SLOTS = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int key, value;
} slot[SLOTS];
static int used, hits, misses;

static int find(int key)
{
    for (int i = 0; i < used; i++)
        if (slot[i].key == key)
            return i;
    return -1;
}

static int get(int key)
{
#ifdef TWIN
    LOCK(&lock);
    int i = find(key);
    if (i >= 0) {
        hits++;
    } else {
        misses++;
        i = used;
        slot[used].key = key;
        slot[used++].value = key * key;
    }
    int value = slot[i].value;
    UNLOCK(&lock);
    return value;
#else
    LOCK(&lock);
    int i = find(key), value = i >= 0 ? slot[i].value : 0;
    UNLOCK(&lock);
    if (i >= 0) {
        hits++;
        return value;
    }
    misses++;
    LOCK(&lock);
    slot[used].key = key;
    slot[used++].value = key * key;
    UNLOCK(&lock);
    return key * key;
#endif
}

static void *client(void *p)
{
    int first = *(int *)p;
    for (int i = 0; i < 3; i++)
        MUST(get(first + i % 2) == (first + i % 2) * (first + i % 2));
    return NULL;
}

int main(void)
{
    int first[] = {3, 4, 3};
    void *(*const body[])(void *) = {client, client, client};
    void *const arg[] = {&first[0], &first[1], &first[2]};
    run_threads(body, arg, 3);
    MUST(hits + misses == 9);
    for (int i = 0; i < used; i++)
        for (int k = 0; k < i; k++)
            MUST(slot[i].key != slot[k].key);
    return 0;
}
