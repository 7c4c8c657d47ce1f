// A variable on main's stack, passed to a thread and used after the join.
// want: none
#include <pthread.h>

static void *worker(void *arg)
{
    int *lent = arg;
    *lent = 1;
    return NULL;
}

static int round_trip(void)
{
    pthread_t t;
    int local = 0;
    pthread_create(&t, NULL, worker, &local);
    pthread_join(t, NULL);
    return local;
}

int main(void) { return round_trip() + round_trip() != 2; }
