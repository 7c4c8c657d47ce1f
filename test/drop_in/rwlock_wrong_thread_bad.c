// want: mutex-bad-unlock
// A thread unlocks a read-write lock that another thread holds for writing.
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *unlock(void *arg)
{
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_rwlock_wrlock(&lock);
    pthread_create(&t, NULL, unlock, NULL);
    pthread_join(t, NULL);
    return 0;
}
