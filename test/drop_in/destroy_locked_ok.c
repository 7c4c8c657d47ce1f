// want: none
// Locks are destroyed when nobody holds them; a robust one after its owner died.
#include <errno.h>
#include <pthread.h>

pthread_mutex_t m, robust;
pthread_rwlock_t lock;

static void *die(void *arg)
{
    pthread_mutex_lock(&robust);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attr);
    pthread_create(&t, NULL, die, NULL);
    pthread_join(t, NULL);
    int dead = pthread_mutex_lock(&robust);
    pthread_mutex_consistent(&robust);
    pthread_mutex_unlock(&robust);
    pthread_mutex_destroy(&robust);
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    pthread_rwlock_init(&lock, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_destroy(&lock);
    return dead != EOWNERDEAD;
}
