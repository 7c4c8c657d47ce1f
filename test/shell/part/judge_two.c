/* Two races: one on `kept`, which is printed, and one on `redundant`, which does no harm. */
#include <pthread.h>
#include <stdio.h>

int kept, redundant;

static void *work(void *value)
{
    kept = (int)(long)value;
    redundant = 1;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", kept);
    return 0;
}
