// want: use-after-scope
// text: stack-use-after-scope
// text: 'local'
// flags: -fpf-use-after-scope
// tsan: has no such kind
// A thread uses a variable of another thread after the end of its scope. The address is published
// in order, so it is not a race.
#include "order.h"
#include <pthread.h>

static int *published;

static void *user(void *arg)
{
    order_point(1);
    *__atomic_load_n(&published, __ATOMIC_ACQUIRE) += 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, user, NULL);
    {
        int local = 1;
        __atomic_store_n(&published, &local, __ATOMIC_RELEASE);
    }
    order_point(0);
    pthread_join(t, NULL);
    return 0;
}
