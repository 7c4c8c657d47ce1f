#include "order.h"
#include <pthread.h>
int flag;
static void *t2(void *arg)
{
    int seen = flag;
    order_point(0);
    return seen ? arg : NULL;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, t2, NULL);
    order_wait(1);
    flag = 1;
    pthread_join(t, NULL);
    return 0;
}
