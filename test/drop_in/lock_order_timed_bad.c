// want: deadlock suspicious
// One thread takes a lock with a time limit, then a second lock. Another thread takes both in the
// other order, without a limit.
#include "lock_order.h"
#include <time.h>

pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *timed_first(void *arg)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 100;
    pthread_rwlock_timedwrlock(&table, &until);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_rwlock_unlock(&table);
    return arg;
}
static void *mutex_first(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_rwlock_wrlock(&table);
    pthread_rwlock_unlock(&table);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    run_one(timed_first);
    run_one(mutex_first);
    return 0;
}
