// A mutex announced with __tsan_mutex_*: its implementation is not checked, and it orders as a
// mutex.
// want: none
#include "order.h"
#include <pthread.h>
#include <sanitizer/tsan_interface.h>

/* A lock whose implementation no detector should check. */
struct lock {
    int word, last_owner;
};
struct lock lock;

static void take(struct lock *l, int me)
{
    __tsan_mutex_pre_lock(l, 0);
    while (__atomic_exchange_n(&l->word, 1, __ATOMIC_RELAXED))
        ;
    l->last_owner = me;
    __tsan_mutex_post_lock(l, 0, 0);
}
static void drop(struct lock *l)
{
    __tsan_mutex_pre_unlock(l, 0);
    __atomic_store_n(&l->word, 0, __ATOMIC_RELAXED);
    __tsan_mutex_post_unlock(l, 0);
}

int x;

static void *first(void *arg)
{
    take(&lock, 1);
    x = 1;
    drop(&lock);
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    take(&lock, 2);
    x = 2;
    drop(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    __tsan_mutex_create(&lock, 0);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    __tsan_mutex_destroy(&lock, 0);
    return 0;
}
