/* Use after free: the pointer is tested under the lock and used after it. It fails if the other
 * thread frees the block in between. */
// fails: memory
#include "explore.h"

struct session {
    int users;
};
static pthread_mutex_t lock = MUTEX;
static struct session *current;

static void *use(void *p)
{
    LOCK(&lock);
    struct session *s = current;
    UNLOCK(&lock);
    if (s)
        s->users++;
    return p;
}

static void *shut_down(void *p)
{
    LOCK(&lock);
    struct session *s = current;
    current = NULL;
    UNLOCK(&lock);
    free(s);
    return p;
}

int main(void)
{
    current = calloc(1, sizeof *current);
    start(use, 0);
    start(shut_down, 0);
    join_all();
    return 0;
}
