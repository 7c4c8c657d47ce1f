#include "order.h"
#include <pthread.h>
int x, y, own;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
#define NOINLINE __attribute__((noinline)) static
NOINLINE void f5(int i)
{
    if (i < 0)
        return;
    if (i < 100) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    } else {
        pthread_mutex_lock(&n);
        x += y;
        pthread_mutex_unlock(&n);
    }
}
NOINLINE void f6(int j)
{
    if (j < 0)
        return;
    if (j < 100) {
        pthread_mutex_lock(&m);
        y++;
        pthread_mutex_unlock(&m);
    } else {
        pthread_mutex_lock(&n);
        y += x;
        pthread_mutex_unlock(&n);
    }
}
NOINLINE void idle(void) { own++; }
static void *t2(void *arg)
{
    for (int i = 0; i < 50; i++)
        f6(-1); /* no longer cold, while the other thread runs idle() */
    order_point(0);
    order_wait(2);
    f6(100); /* the race on x */
    order_point(2);
    order_wait(4);
    f6(10); /* the race on y, in other blocks of the same functions */
    order_point(4);
    return arg;
}
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 200; i++)
        f5(10);
    for (int i = 0; i < 50; i++)
        idle();
    pthread_create(&t, NULL, t2, NULL);
    order_wait(1);
    f5(-1);
    order_point(1);
    order_wait(3);
    f5(10);
    order_point(3);
    order_wait(5);
    f5(100);
    pthread_join(t, NULL);
    return 0;
}
