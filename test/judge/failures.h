// Both orders of the two writes to `last` make the program fail, each in its own way.
#include <pthread.h>
#include <stdlib.h>

int last;

static void *write_one(void *unused)
{
    (void)unused;
    last = 1;
    return NULL;
}

static void *write_two(void *unused)
{
    (void)unused;
    last = 2;
    return NULL;
}

static void write_both(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, write_one, NULL);
    pthread_create(&t[1], NULL, write_two, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}
