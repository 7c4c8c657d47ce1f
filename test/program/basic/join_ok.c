// A thread's accesses happen before its join; accesses before its creation happen before it.
// want: none
#include <pthread.h>

int shared;

static void *worker(void *arg)
{
    shared++;
    return arg;
}

int main(void)
{
    shared = 1;
    for (int i = 0; i < 5; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        pthread_join(t, NULL);
        shared++;
    }
    return shared != 11;
}
