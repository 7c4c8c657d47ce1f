// want: mutex-bad-unlock
// A spin lock that nobody holds is unlocked.
#include <pthread.h>

pthread_spinlock_t lock;

int main(void)
{
    pthread_spin_init(&lock, 0);
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    pthread_spin_unlock(&lock);
    return 0;
}
