// More threads over the run than slots, and no thread is ordered after their ends: later threads
// are still watched, and the result says "incomplete".
// levels: O1
// case: run
// exit: 66
// err: Location is global 'x'
// err: races between the two are missed
#include "order.h"
#include <pthread.h>
enum { COUNT = 1500 };
long own[COUNT];
long x;
static void *worker(void *arg)
{
    long me = (long)arg;
    own[me] = me;
    order_point(2 * (int)me);
    if (me >= COUNT - 2)
        x = me;
    order_point(2 * (int)me + 1);
    if (me >= COUNT - 2)
        order_wait(2 * COUNT); /* neither gets the other's slot */
    return 0;
}
int main(void)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 65536);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    for (long i = 0; i < COUNT; i++) {
        pthread_t t;
        if (pthread_create(&t, &attr, worker, (void *)i))
            return 1;
        if (i % 100 == 0)
            order_wait(2 * (int)i + 2);
    }
    order_wait(2 * COUNT);
    return 0;
}
