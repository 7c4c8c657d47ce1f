#include "order.h"
#include <pthread.h>
int mine, yours;
__attribute__((noinline)) void set(int *p) { *p = 1; }
__attribute__((noinline)) void by_one(int *p) { set(p); }
__attribute__((noinline)) void by_other(int *p) { set(p); }
void *other(void *arg)
{
    for (int i = 0; i < 3; i++)
        set(&mine);
    set(&yours);
    order_arrive();
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    order_wait(1);
    for (int i = 0; i < 3; i++)
        by_one(&mine);
    by_other(&yours);
    pthread_join(t, 0);
    return 3;
}
