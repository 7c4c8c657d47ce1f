// Reads do not conflict, however many threads read.
// want: none
#include "order.h"
#include <pthread.h>

int shared = 5;
int seen[8];

static void *reader(void *arg)
{
    *(int *)arg = shared;
    order_arrive();
    order_wait(8);
    *(int *)arg += shared;
    return NULL;
}

int main(void)
{
    pthread_t t[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, reader, &seen[i]);
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], NULL);
    shared = 6;
    return seen[7] != 10;
}
