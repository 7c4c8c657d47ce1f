// Eight threads, eight bytes, but the last thread uses its neighbour's byte.
// want: race at OWN OWN
#include "order.h"
#include <pthread.h>

char shared[8];

static void *writer(void *arg)
{
    char *mine = arg;
    *mine = 1; /* OWN */
    order_arrive();
    return NULL;
}

int main(void)
{
    pthread_t t[8];
    for (int i = 0; i < 8; i++) {
        pthread_create(&t[i], NULL, writer, &shared[i == 7 ? 6 : i]);
        order_wait(i + 1);
    }
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], NULL);
    return 0;
}
