/* Stack: the test for room and the push are in two critical sections. It fails if two threads
 * test before either pushes, and there is room for one. */
// fails: assertion
#include "explore.h"

#define SIZE 3
static pthread_mutex_t lock = MUTEX;
static int stack[SIZE], top;

static bool has_room(void)
{
    LOCK(&lock);
    bool room = top < SIZE;
    UNLOCK(&lock);
    return room;
}

static void *push(void *p)
{
    for (int i = 0; i < 2; i++) {
        if (!has_room())
            continue;
        LOCK(&lock);
        assert(top < SIZE);
        stack[top++] = i;
        UNLOCK(&lock);
    }
    return p;
}

int main(void)
{
    start(push, 0);
    start(push, 0);
    join_all();
    return 0;
}
