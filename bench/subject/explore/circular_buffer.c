/* Circular buffer: the place to insert is taken in one critical section and filled in another.
 * It fails if the consumer removes between the two: the place was announced, but not filled. */
// fails: assertion
#include "explore.h"

#define SIZE 4
#define ITEMS 3
static pthread_mutex_t lock = MUTEX;
static int buffer[SIZE], head, tail;

static void *produce(void *p)
{
    for (int i = 1; i <= ITEMS; i++) {
        LOCK(&lock);
        int at = head++ % SIZE;
        UNLOCK(&lock);
        LOCK(&lock);
        buffer[at] = i;
        UNLOCK(&lock);
    }
    return p;
}

static void *consume(void *p)
{
    for (int i = 1; i <= ITEMS; i++) {
        LOCK(&lock);
        if (tail < head) {
            int item = buffer[tail % SIZE];
            buffer[tail++ % SIZE] = 0;
            assert(item != 0);
        }
        UNLOCK(&lock);
    }
    return p;
}

int main(void)
{
    start(produce, 0);
    start(consume, 0);
    join_all();
    return 0;
}
