// The creator's accesses before the creation are ordered before the new thread and its children.
// want: none
#include <assert.h>
#include <pthread.h>

int x;

static void *worker(void *arg)
{
    long n = (long)arg;
    x++;
    if (n) {
        pthread_t t;
        pthread_create(&t, NULL, worker, (void *)(n - 1));
        pthread_join(t, NULL);
        x++;
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    x = 1;
    pthread_create(&t, NULL, worker, (void *)5L);
    pthread_join(t, NULL);
    assert(x == 12);
    return 0;
}
