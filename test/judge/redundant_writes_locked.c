// redundant_writes repaired with a lock. A detector that is blind to locks reports it all the same;
// the report is false.
// judge: x single-ordering
// reason: x lock lock
// options: --blind
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *writer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    x = 7;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, writer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", x);
    return 0;
}
