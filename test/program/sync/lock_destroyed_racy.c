// A read-write lock is destroyed while another thread may still lock it.
// want: race l at ASK:lock DESTROY:write
#include "order.h"
#include <pthread.h>

pthread_rwlock_t l;

static void *user(void *arg)
{
    pthread_rwlock_rdlock(&l); /* ASK */
    pthread_rwlock_unlock(&l);
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_rwlock_init(&l, NULL);
    pthread_create(&t, NULL, user, NULL);
    order_point(1);
    pthread_rwlock_destroy(&l); /* DESTROY */
    pthread_join(t, NULL);
    return 0;
}
