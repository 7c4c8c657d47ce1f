// main returns while other threads still run: one is blocked for ever, one ends after a while.
// want: none
// suspicious: thread-leak
#include "order.h"
#include <pthread.h>
#include <unistd.h>

static int blocked[2];
int x;

static void *wait_for_ever(void *arg)
{
    char c;
    order_arrive();
    (void)!read(blocked[0], &c, 1);
    return arg;
}
static void *end(void *arg)
{
    order_arrive();
    usleep(1000);
    x = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    if (pipe(blocked))
        return 1;
    pthread_create(&t, NULL, wait_for_ever, NULL);
    pthread_create(&t, NULL, end, NULL);
    order_wait(2);
    return 0;
}
