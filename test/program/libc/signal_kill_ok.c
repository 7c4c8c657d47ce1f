// A handler is ordered after the sender of the signal and after the installation of the handler.
// tsan: it delays the handler to a later call
// want: none
#include "order.h"
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

int sent, prepared, hits;

static void handler(int number) { hits += sent + prepared + (number != SIGUSR1); }

static void *install(void *arg)
{
    prepared = 1;
    struct sigaction a = {.sa_handler = handler};
    sigaction(SIGUSR1, &a, NULL);
    order_point(0);
    return arg;
}
static void *receive(void *arg)
{
    order_point(1);
    order_point(3);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, install, NULL);
    pthread_create(&b, NULL, receive, NULL);
    order_wait(2);
    sent = 1;
    pthread_kill(b, SIGUSR1);
    order_point(2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return hits != 2;
}
