// A handler is not ordered with the sender's accesses after the signal.
// tsan: it delays the handler to a later call
// want: race shared at SENDER HANDLER
#include "order.h"
#include <pthread.h>
#include <signal.h>

int shared;

static void handler(int number)
{
    order_point(2);
    shared = number; /* HANDLER */
    order_point(3);
}
static void *receive(void *arg)
{
    order_point(0);
    order_wait(4);
    return arg;
}
int main(void)
{
    pthread_t t;
    signal(SIGUSR1, handler);
    pthread_create(&t, NULL, receive, NULL);
    order_wait(1);
    pthread_kill(t, SIGUSR1);
    shared = 1; /* SENDER */
    order_point(1);
    pthread_join(t, NULL);
    return 0;
}
