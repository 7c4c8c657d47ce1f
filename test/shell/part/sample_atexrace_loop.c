#include "order.h"
#include <pthread.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline)) static
int shared, own, rounds;
NOINLINE long scan(const int *at, int n, int hold)
{
    long s = 0;
    for (int i = 0; i < n; i++) {
        if (i == hold) {
            order_point(0);
            order_wait(2);
        }
        s += *at;
    }
    return s;
}
NOINLINE void fresh(void) { shared = 1; }
static void *t2(void *arg)
{
    long s = 0;
    for (int i = 0; i < 250; i++)
        s += scan(&own, 2, -1);
    s += scan(&shared, rounds, 3);
    return s < 0 ? arg : NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    rounds = atoi(argv[1]);
    pthread_create(&t, NULL, t2, NULL);
    order_wait(1); /* it is in the fourth iteration */
    fresh();
    order_point(1);
    pthread_join(t, NULL);
    return 0;
}
