#include "order.h"
#include <pthread.h>
#define NOINLINE __attribute__((noinline)) static
int shared, own[2];
NOINLINE void leaf(int i) { own[i]++; }
static void *work(void *arg)
{
    int last = arg == NULL;
    order_point(last);
    for (int i = 0; i < 500; i++)
        leaf(last);
    order_wait(2 + last);
    shared++;
    order_point(2 + last);
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, t);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
