// A thread that yields very often while no other thread can run, and then ends: not a hang.
// case: record
// case: record -- global
#include <pthread.h>
#include <sched.h>

static int count;
static void *work(void *arg)
{
    if (arg)
        for (count = 0; count < 10000; count++)
            sched_yield();
    else
        for (int i = 0; i < 60000; i++)
            sched_yield();
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, work, argc > 1 ? argv : NULL);
    pthread_join(t, NULL);
    return 0;
}
