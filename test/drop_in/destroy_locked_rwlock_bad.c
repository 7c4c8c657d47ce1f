// want: mutex-destroy-locked
// A read-write lock is destroyed while a thread writes.
#include <pthread.h>

pthread_rwlock_t lock;

int main(void)
{
    pthread_rwlock_init(&lock, NULL);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_destroy(&lock);
    return 0;
}
