// disjoint_bits repaired with a lock. A detector that is blind to locks reports it all the same;
// the report is false.
// judge: flags single-ordering
// reason: flags lock lock
// options: --blind
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile unsigned char flags = 3;

static void *set_first(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    flags = flags | 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *set_second(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    flags = flags | 2;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, set_first, NULL);
    pthread_create(&t[1], NULL, set_second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", flags);
    return 0;
}
