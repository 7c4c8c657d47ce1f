// Before its access, one thread runs loops that read the same memory again and again: they count,
// and do not wait for the other thread.
// judge: mode output-differs
// reason: mode the order alone changes the output
// options: --schedules 0 --control 1 --recordings 0
// levels: O0
#include <pthread.h>
#include <stdio.h>

volatile int mode;
static volatile int weight = 3;

static void *set(void *unused)
{
    (void)unused;
    mode = 1;
    return NULL;
}

static void *use(void *unused)
{
    (void)unused;
    unsigned sum = 0;
    for (register int k = 0; k < 20; k++)
        for (register int i = 0; i < 500; i++)
            (void)weight;
    sum = mode ? 2 : 1;
    printf("%u\n", sum);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, set, NULL);
    pthread_create(&t[1], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
