// What a thread did happened before its join; what was done before happened before its creation.
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
