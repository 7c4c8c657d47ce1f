// What if the lock of one thread were not taken (the experiment with memcached of the paper)? The
// list then loses its last element between the test and the use.
// judge: last spec-violated
// options: --without-lock removed_lock.c:27
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int *volatile last;

static void *evict(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (last)
        free(last);
    last = NULL;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *use(void *unused)
{
    int sum = 0;
    (void)unused;
    pthread_mutex_lock(&lock);
    if (last)
        sum = *last;
    pthread_mutex_unlock(&lock);
    return (void *)(long)(sum > 100);
}

int main(void)
{
    pthread_t t[2];
    last = malloc(sizeof *last);
    if (!last)
        return 1;
    *last = 7;
    pthread_create(&t[0], NULL, use, NULL);
    pthread_create(&t[1], NULL, evict, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("done");
    return 0;
}
