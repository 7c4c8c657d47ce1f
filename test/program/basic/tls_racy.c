// A thread-local variable whose address is given to another thread.
// want: race at OWNER GUEST
// tsan: it reports the set-up of thread-local storage
#include "order.h"
#include <pthread.h>

static __thread int mine;
int *lent;

static void *owner(void *arg)
{
    __atomic_store_n(&lent, &mine, __ATOMIC_RELAXED);
    order_point(0);
    order_point(2);
    mine = 1; /* OWNER */
    return arg;
}

static void *guest(void *arg)
{
    int **where = arg;
    **where = 2; /* GUEST */
    order_point(1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, owner, NULL);
    order_wait(1);
    int *copy = __atomic_load_n(&lent, __ATOMIC_RELAXED);
    pthread_create(&b, NULL, guest, &copy);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
