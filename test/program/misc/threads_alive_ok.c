// A thousand live threads at the same time.
// want: none
// oracle: too many events for it
#include "order.h"
#include <pthread.h>

enum { COUNT = 990 };
static pthread_t thread[COUNT];
static int result[COUNT];

static void *worker(void *arg)
{
    *(int *)arg += 1;
    order_arrive();
    order_wait(COUNT);
    *(int *)arg += 1;
    return NULL;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 64 * 1024);
    for (int i = 0; i < COUNT; i++)
        if (pthread_create(&thread[i], &attr, worker, &result[i]))
            return 1;
    int sum = 0;
    for (int i = 0; i < COUNT; i++) {
        pthread_join(thread[i], NULL);
        sum += result[i];
    }
    return sum != 2 * COUNT;
}
