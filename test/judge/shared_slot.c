// The consumer reads the slot before the first producer writes it only if the second one has run.
// judge: slot output-differs
// judge: filled output-differs
// levels: O2
#include <pthread.h>
#include <stdio.h>

static volatile int slot, filled, taken;

static void *producer(void *value)
{
    slot = (int)(long)value;
    filled = 1;
    return NULL;
}

static void *consumer(void *unused)
{
    (void)unused;
    if (filled)
        taken = slot;
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, producer, (void *)10);
    pthread_create(&t[1], NULL, producer, (void *)100);
    pthread_create(&t[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", taken);
    return 0;
}
