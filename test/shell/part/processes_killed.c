#include "order.h"
#include <pthread.h>
#include <signal.h>
int shared;
static void *write_it(void *p) { shared = 1; order_arrive(); return p; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, write_it, NULL);
    order_wait(1);
    pthread_create(&b, NULL, write_it, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    raise(SIGKILL);
    return 0;
}
