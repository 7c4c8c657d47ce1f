// While main waits for one of two threads that share crowded granules, records that are ordered
// before both threads are dropped. The other thread's accesses after its last release are kept.
// want: race box at OTHER MAIN
#include "order.h"
#include <assert.h>
#include <pthread.h>

struct {
    short a, b;
    char c, d;
    short late;
} box __attribute__((aligned(8)));
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void work(void)
{
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&mutex);
        box.a++;
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        box.c = (char)(box.b + box.d);
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        box.b = (short)(box.a + box.c);
        box.d++;
        pthread_mutex_unlock(&mutex);
    }
}

static void *other(void *arg)
{
    work();
    box.late = 1; /* OTHER */
    order_point(0);
    return arg;
}
static void *awaited(void *arg)
{
    work();
    order_point(1);
    work();
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, awaited, NULL);
    pthread_create(&t, NULL, other, NULL);
    pthread_join(s, NULL);
    assert(box.a == 1500);
    box.late = 2; /* MAIN */
    pthread_join(t, NULL);
    return 0;
}
