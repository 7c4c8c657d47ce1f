/* A race, and a million other events. */
#include <pthread.h>
#include <stdio.h>

#define ROUNDS 1100000

static volatile int table[64];
static int raced;

static void *other(void *arg)
{
    (void)arg;
    raced = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    raced = 2;
    for (int i = 0; i < ROUNDS; i++)
        table[i % 64] = i;
    pthread_join(t, NULL);
    printf("%d\n", raced != 0);
    return 0;
}
