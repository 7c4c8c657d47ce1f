// The first stack is complete although that thread did much since.
// want: race shared at OLD NEW
// stack: OLD set worker
// stack: NEW main
// oracle: too many events for it
#include "order.h"
#include <pthread.h>

int shared;
int noise[4096];

static __attribute__((noinline)) void set(int v)
{
    shared = v; /* OLD */
    __asm__ volatile("");
}

static __attribute__((noinline)) void stir(int k)
{
    for (int i = 0; i < 4096; i++)
        noise[i] += k;
}

static void *worker(void *arg)
{
    set(1);
    for (int k = 0; k < 500; k++)
        stir(k);
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    order_point(1);
    shared = 2; /* NEW */
    pthread_join(t, NULL);
    return 0;
}
