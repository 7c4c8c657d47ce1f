// want: deadlock suspicious
// text: M2 (
// Three threads and three locks: a mutex, a read-write lock and a spin lock.
#include "lock_order.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t b = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t c;

static void *one(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_rwlock_wrlock(&b);
    pthread_rwlock_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *two(void *arg)
{
    pthread_rwlock_rdlock(&b);
    pthread_spin_lock(&c);
    pthread_spin_unlock(&c);
    pthread_rwlock_unlock(&b);
    return arg;
}

static void *three(void *arg)
{
    pthread_spin_lock(&c);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_spin_unlock(&c);
    return arg;
}

int main(void)
{
    pthread_spin_init(&c, 0);
    run_one(one);
    run_one(two);
    run_one(three);
    return 0;
}
