// Twin of disjoint_bits: the bits are clear at first, so that one of the changes may be lost.
// judge: flags output-differs
#include <pthread.h>
#include <stdio.h>

volatile unsigned char flags;

static void *set_first(void *unused)
{
    (void)unused;
    flags = flags | 1;
    return NULL;
}

static void *set_second(void *unused)
{
    (void)unused;
    flags = flags | 2;
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
