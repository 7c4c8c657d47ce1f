// Two hundred readers, twice; the writer joins them in between.
// want: none
#include "order.h"
#include <pthread.h>

enum { COUNT = 200 };
int shared[16];
int seen[COUNT];

static void *reader(void *arg)
{
    int *mine = arg;
    order_arrive();
    for (int i = 0; i < 16; i++)
        *mine += shared[i];
    return NULL;
}

int main(void)
{
    pthread_t t[COUNT];
    for (int round = 1; round <= 2; round++) {
        for (int i = 0; i < 16; i++)
            shared[i] = round;
        for (int i = 0; i < COUNT; i++)
            pthread_create(&t[i], NULL, reader, &seen[i]);
        for (int i = 0; i < COUNT; i++)
            pthread_join(t[i], NULL);
    }
    return seen[COUNT - 1] != 48;
}
