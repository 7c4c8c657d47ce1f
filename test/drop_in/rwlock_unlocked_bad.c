// want: mutex-bad-unlock
// tsan: takes every unlock without a writer for that of a reader
// A read-write lock that nobody holds is unlocked.
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}
