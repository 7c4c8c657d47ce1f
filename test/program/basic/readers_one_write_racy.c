// Three readers, unordered with the write: three races.
// want: race shared at R1 WRITE
// want: race shared at R2 WRITE
// want: race shared at R3 WRITE
// tsan: one report, then it gives the granule up
#include "order.h"
#include <pthread.h>

int shared;
int seen[3];

static void *reader1(void *arg)
{
    order_point(0);
    seen[0] = shared; /* R1 */
    order_point(1);
    return arg;
}

static void *reader2(void *arg)
{
    order_point(2);
    seen[1] = shared; /* R2 */
    order_point(3);
    return arg;
}

static void *reader3(void *arg)
{
    order_point(4);
    seen[2] = shared; /* R3 */
    order_point(5);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, reader1, NULL);
    pthread_create(&t[1], NULL, reader2, NULL);
    pthread_create(&t[2], NULL, reader3, NULL);
    order_wait(6);
    shared = 1; /* WRITE */
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
