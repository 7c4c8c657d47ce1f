/* Work-stealing queue: the owner takes from the bottom without the lock that thieves use at the
 * top. It fails if both take the last item: the thief reads the bottom before the owner lowers
 * it. */
// fails: assertion
#include "explore.h"

#define ITEMS 4
static pthread_mutex_t lock = MUTEX;
static atomic_int top, bottom;
static int items[ITEMS];
static atomic_int taken[ITEMS];

static void take(int item) { assert(atomic_fetch_add(&taken[item], 1) == 0); }

static void *owner(void *p)
{
    for (int i = 0; i < ITEMS; i++) {
        items[i] = i;
        atomic_store(&bottom, i + 1);
    }
    for (int i = 0; i < ITEMS; i++) {
        int b = atomic_load(&bottom) - 1;
        atomic_store(&bottom, b);
        if (atomic_load(&top) <= b) {
            take(items[b]); /* it should compare again when this is the last item */
        } else {
            atomic_store(&bottom, b + 1);
            break;
        }
    }
    return p;
}

static void *thief(void *p)
{
    for (int i = 0; i < 2; i++) {
        LOCK(&lock);
        int t = atomic_load(&top);
        if (t < atomic_load(&bottom)) {
            int item = items[t];
            atomic_store(&top, t + 1);
            take(item);
        }
        UNLOCK(&lock);
    }
    return p;
}

int main(void)
{
    start(owner, 0);
    start(thief, 0);
    join_all();
    return 0;
}
