// Figure 17 d, repaired as no_sync_bug: both writes come before the barrier. Twin of sync.
// judge: globalx k-witness-harmless
// judge: globaly k-witness-harmless
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;
volatile int globalx;
volatile int globaly;

static void *work0(void *unused)
{
    (void)unused;
    globalx = 2;
    globaly = 1;
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void *work1(void *unused)
{
    (void)unused;
    globalx = 2;
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t[0], NULL, work0, NULL);
    pthread_create(&t[1], NULL, work1, NULL);
    int y = globaly, x = globalx;
    if (x == 0 && y == 1)
        abort();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
