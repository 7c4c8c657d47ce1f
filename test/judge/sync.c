// Figure 17 c: a barrier orders the writes of the two threads, but not the reads of main.
// judge: globalx output-differs
// judge: globaly output-differs
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
volatile int globalx;
volatile int globaly;

static void *work0(void *unused)
{
    (void)unused;
    globalx = 2;
    pthread_barrier_wait(&barrier);
    globaly = 1;
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
    printf("%d,%d\n", globalx, globaly);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
