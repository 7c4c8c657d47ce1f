// Access records that are ordered before every thread need not be kept; the more cells need space,
// the more often the runtime checks this. Here one thread is not ordered after the write, so its
// record stays.
// want: race x at WRITE READ
#include "order.h"
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
char buffer[2048];
int x, sum;

/* Bytes of the same words, in ever new epochs. */
static void crowd(void)
{
    for (int round = 0; round < 24; round++) {
        pthread_mutex_lock(&locks[round % 2]);
        for (int i = 0; i < 2048; i += 8)
            if (round % 3)
                buffer[i + round % 8] = 1;
            else
                sum += buffer[i + round * 5 % 8];
        pthread_mutex_unlock(&locks[round % 2]);
    }
}

static void *told(void *arg)
{
    order_point(1);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    crowd();
    order_point(2);
    return arg;
}

static void *untold(void *arg)
{
    order_point(3);
    return x ? arg : NULL; /* READ */
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, told, NULL);
    pthread_create(&b, NULL, untold, NULL);
    pthread_mutex_lock(&m);
    x = 1; /* WRITE */
    pthread_mutex_unlock(&m);
    order_point(0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
