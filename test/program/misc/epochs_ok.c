// More epochs than a slot can count, in two threads that alternate under one lock.
// want: none
// oracle: too many events for it
#include <pthread.h>

enum { ROUNDS = 700000 };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long guarded[4];

static void *worker(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        guarded[i & 3]++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return guarded[0] + guarded[1] + guarded[2] + guarded[3] != 2 * ROUNDS;
}
