#include "order.h"
#include <pthread.h>
struct node {
    struct node *next;
    int n;
} list[3] = {{&list[1], 0}, {&list[2], 0}, {0, 0}};
__attribute__((noinline)) static void walk(struct node *at)
{
    for (; at; at = at->next)
        at->n++;
}
static void *t2(void *arg)
{
    order_point(0);
    walk(list);
    order_point(1);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, t2, NULL);
    order_wait(2);
    walk(list);
    pthread_join(t, NULL);
    return 0;
}
