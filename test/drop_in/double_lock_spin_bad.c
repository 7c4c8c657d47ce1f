// want: mutex-double-lock
// tsan: spins for ever
// options: halt_on_error=1
// A thread spins on a lock that it holds.
#include <pthread.h>

pthread_spinlock_t lock;

int main(void)
{
    pthread_spin_init(&lock, 0);
    pthread_spin_lock(&lock);
    pthread_spin_lock(&lock);
    return 0;
}
