/* Two threads access `shared` in turns, CALLS times, in f() and g(). They hold no common lock: the
 * mutex q, between two turns, orders the accesses. In 150 late turns this order is missing. */
#include "order.h"
#include <pthread.h>
#define CALLS 2500
#define LATE 2200 /* in no burst of a pair that has aged, and in none of LiteRace's */
#define NOINLINE __attribute__((noinline)) static
int shared;
pthread_mutex_t q = PTHREAD_MUTEX_INITIALIZER;
static inline __attribute__((always_inline)) void hand_over(int i)
{
    if (i >= LATE && i < LATE + 150)
        return;
    pthread_mutex_lock(&q);
    pthread_mutex_unlock(&q);
}
NOINLINE void f(int i)
{
    order_wait(2 * i);
    hand_over(i);
    shared++;
    hand_over(i);
    order_point(2 * i);
}
NOINLINE void g(int i)
{
    order_wait(2 * i + 1);
    hand_over(i);
    shared += 2;
    hand_over(i);
    order_point(2 * i + 1);
}
static void *second(void *arg)
{
    for (int i = 0; i < CALLS; i++)
        g(i);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, second, NULL);
    for (int i = 0; i < CALLS; i++)
        f(i);
    pthread_join(t, NULL);
    return 0;
}
