#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int message, ready;

static void *writer(void *unused)
{
    (void)unused;
    message = 42;
    ready = 1;
    return NULL;
}

static void *reader(void *unused)
{
    (void)unused;
    if (ready)
        assert(message == 42);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
