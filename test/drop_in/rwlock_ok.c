// want: none
// Readers and writers, in pairs; a thread reads twice.
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;

static void *use(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_tryrdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_spin_init(&spin, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_rwlock_destroy(&lock);
    pthread_spin_destroy(&spin);
    return 0;
}
