// Eight threads, eight bytes of one granule.
// want: none
#include "order.h"
#include <pthread.h>

char shared[8];

static void *writer(void *arg)
{
    char *mine = arg;
    *mine = 1;
    order_arrive();
    order_wait(8);
    *mine += 1;
    return NULL;
}

int main(void)
{
    pthread_t t[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, writer, &shared[i]);
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], NULL);
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += shared[i];
    return sum != 16;
}
