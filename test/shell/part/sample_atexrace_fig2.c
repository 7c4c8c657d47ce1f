#include "order.h"
#include <pthread.h>
#include <stdlib.h>
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
#define HOT 200 /* calls after which LiteRace looks away, until the 1101st */
#define NOINLINE __attribute__((noinline)) static
NOINLINE void f1(int i)
{
    pthread_mutex_lock(&m);
    x += i;
    y += i;
    pthread_mutex_unlock(&m);
}
NOINLINE void f2(int i)
{
    pthread_mutex_lock(&n);
    y += i;
    pthread_mutex_unlock(&n);
}
NOINLINE void f3(int j, int last)
{
    pthread_mutex_lock(&m);
    x += j;
    y += j;
    pthread_mutex_unlock(&m);
    if (last) { /* still in here when the other thread calls f2 */
        order_point(3);
        order_wait(5);
    }
}
NOINLINE void f4(int j, int first)
{
    pthread_mutex_lock(&n);
    y += j;
    pthread_mutex_unlock(&n);
    if (first) { /* still in here when the other thread calls f1 */
        order_point(3);
        order_wait(5);
    }
}
static int late; /* which one is late: figure 4 (c), f1 runs together with f4; (d), f3 with f2 */
static void *t2(void *arg)
{
    order_wait(1);
    for (int j = 0; j < HOT; j++)
        f3(j, 0);
    order_point(1);
    order_wait(3);
    if (late == 'd') {
        f3(1, 1);
        f3(2, 0);
    } else {
        for (int j = 0; j < 3; j++)
            f4(j, !j);
    }
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    late = argv[1][0];
    pthread_create(&t, NULL, t2, NULL);
    for (int i = 0; i < HOT; i++)
        f1(i);
    order_point(0);
    order_wait(2);
    for (int i = 0; i < HOT; i++)
        f1(i);
    order_point(2);
    order_wait(4);
    if (late == 'd')
        f2(1);
    else
        f1(1);
    order_point(4);
    pthread_join(t, NULL);
    return 0;
}
