// want: none
/* One thread takes a lock repeatedly; in between, and at the end, the other thread takes it. That
 * thread is then ordered after all writes and reads. */
#include "order.h"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
volatile unsigned char bytes[8] __attribute__((aligned(8)));
volatile int passed;

static int pass(void)
{
    pthread_mutex_lock(&mutex);
    int n = ++passed;
    pthread_mutex_unlock(&mutex);
    return n;
}

static void *worker(void *arg)
{
    order_point(0);
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)i;
        pass();
    }
    order_point(1);
    order_point(4);
    (void)bytes[0];
    for (int i = 1; i < 8; i++) {
        pass();
        (void)bytes[i];
    }
    pass();
    order_point(5);
    return arg;
}

static void *other(void *arg)
{
    order_point(2);
    pass();
    order_point(3);
    order_point(6);
    if (pass() == 8 + 1 + 8 + 1) /* all earlier threads are done */
        bytes[0] = 1;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, other, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
