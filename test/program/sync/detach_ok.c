// Threads detached by each of the three methods; a semaphore signals their end.
// want: none
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t done;
int x;

static void *worker(void *arg)
{
    if (arg)
        pthread_detach(pthread_self());
    x++;
    sem_post(&done);
    return NULL;
}

int main(void)
{
    sem_init(&done, 0, 0);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 300; i++) {
        pthread_t t;
        pthread_create(&t, i % 3 == 0 ? &attr : NULL, worker, i % 3 == 1 ? &x : NULL);
        if (i % 3 == 2)
            pthread_detach(t);
        sem_wait(&done);
        x++;
    }
    assert(x == 600);
    return 0;
}
