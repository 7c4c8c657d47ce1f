// Order is transitive: a thread that joins another and is joined itself.
// want: none
#include <pthread.h>

int shared;

static void *inner(void *arg)
{
    shared = 1;
    return arg;
}

static void *outer(void *arg)
{
    pthread_t t;
    pthread_create(&t, NULL, inner, NULL);
    pthread_join(t, NULL);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, outer, NULL);
    pthread_join(t, NULL);
    return shared != 1;
}
