// Two hundred threads have read the variable, in every order; only one of them is not ordered
// before the write.
// want: race shared at ODD WRITE
#include "order.h"
#include <pthread.h>

enum { COUNT = 200 };
int shared;
int seen[COUNT];

static void *reader(void *arg)
{
    int *mine = arg;
    *mine = shared;
    order_arrive();
    order_wait(COUNT);
    return NULL;
}

static void *odd(void *arg)
{
    order_wait(COUNT);
    *(int *)arg = shared; /* ODD */
    order_point(COUNT);
    return NULL;
}

int main(void)
{
    pthread_t t[COUNT], other;
    int mine;
    for (int i = 0; i < COUNT; i++) {
        pthread_create(&t[i], NULL, reader, &seen[i]);
        order_wait(i + 1);
    }
    pthread_create(&other, NULL, odd, &mine);
    for (int i = 0; i < COUNT; i++)
        pthread_join(t[i], NULL);
    order_point(COUNT + 1);
    shared = 1; /* WRITE */
    pthread_join(other, NULL);
    return 0;
}
