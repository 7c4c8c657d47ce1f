/* The main thread writes y after it has created the threads. In the first run nobody reads y. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int first;
static atomic_int y;

static void *reads(void *arg)
{
    pthread_mutex_lock(&m);
    int was = first;
    pthread_mutex_unlock(&m);
    if (was)
        printf("%d\n", atomic_load(&y));
    return arg;
}

static void *sets(void *arg)
{
    pthread_mutex_lock(&m);
    first = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reads, NULL);
    pthread_create(&b, NULL, sets, NULL);
    atomic_store(&y, 1);
    pthread_join(a, NULL);
    return pthread_join(b, NULL);
}
