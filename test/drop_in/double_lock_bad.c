// want: mutex-double-lock
// tsan: waits for ever
// options: halt_on_error=1
// A thread locks a mutex that it holds: reported before the thread waits for itself.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}
