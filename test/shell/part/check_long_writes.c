/* Twelve million writes of one thread. */
#include <pthread.h>

static volatile int table[64];

static void *write_all(void *arg)
{
    for (int i = 0; i < 12000000; i++)
        table[i % 64] = i;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, write_all, NULL);
    return pthread_join(t, NULL);
}
