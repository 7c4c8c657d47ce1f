// Every arrival happens before every departure of the round: each thread reads its neighbours'
// data.
// want: none
#include <assert.h>
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 200 };
pthread_barrier_t b;
int cell[2][THREADS], serial;

static void *worker(void *arg)
{
    long me = (long)arg;
    for (int r = 0; r < ROUNDS; r++) {
        int *old = cell[r & 1], *new = cell[!(r & 1)];
        new[me] = old[(me + 1) % THREADS] + old[(me + THREADS - 1) % THREADS] + 1;
        if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
            serial++;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    pthread_barrier_init(&b, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&b);
    assert(serial == ROUNDS);
    return 0;
}
