// Many readers, then a write that is ordered after all of them but one.
// want: race shared at LAST WRITE
#include "order.h"
#include <pthread.h>

int shared;
int seen[4];

static void *reader(void *arg)
{
    int *mine = arg;
    int turn = 2 * (int)(mine - seen);
    order_point(turn);
    *mine = shared;
    order_point(turn + 1);
    return NULL;
}

static void *last(void *arg)
{
    order_point(6);
    seen[3] = shared; /* LAST */
    order_point(7);
    return arg;
}

int main(void)
{
    pthread_t t[3], other;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, reader, &seen[i]);
    pthread_create(&other, NULL, last, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    order_point(8);
    shared = 1; /* WRITE */
    pthread_join(other, NULL);
    return 0;
}
