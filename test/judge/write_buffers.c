// Figure 11: three threads write globalx; one of them reads it under a lock that orders only some
// of the writes. Under sequential consistency the last write is printed.
// judge: globalx output-differs
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
int globalx = 9, globaly;

static void *thread1(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&l);
    pthread_mutex_unlock(&l);
    globalx = 3;
    return NULL;
}

static void *thread2(void *unused)
{
    (void)unused;
    globalx = 0;
    pthread_mutex_lock(&l);
    printf("%d %d\n", globalx, globaly);
    pthread_mutex_unlock(&l);
    return NULL;
}

static void *thread3(void *unused)
{
    (void)unused;
    globalx = 2;
    globaly = 1;
    return NULL;
}

int main(void)
{
    static void *(*const body[])(void *) = {thread1, thread2, thread3};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, body[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
