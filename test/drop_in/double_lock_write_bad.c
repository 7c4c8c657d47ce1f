// want: mutex-double-lock
// tsan: waits for ever
// options: halt_on_error=1
// A reader wants to write: it waits for itself.
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock);
    return 0;
}
