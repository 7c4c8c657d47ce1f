/* Double free: two threads close the same object; the test whether it is open and the change are
 * in two critical sections. It fails if both test before either changes. */
// fails: memory
#include "explore.h"

static pthread_mutex_t lock = MUTEX;
static char *buffer;
static bool is_open = true;

static void *close_it(void *p)
{
    LOCK(&lock);
    bool mine = is_open;
    UNLOCK(&lock);
    if (!mine)
        return p;
    LOCK(&lock);
    is_open = false;
    char *b = buffer;
    UNLOCK(&lock);
    free(b);
    return p;
}

int main(void)
{
    buffer = malloc(16);
    start(close_it, 0);
    start(close_it, 0);
    join_all();
    return 0;
}
