// want: none
// No mutex is held at the assertion: neither before nor after the critical section.
#include <pthread.h>

void __tsan_check_no_mutexes_held(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    __tsan_check_no_mutexes_held();
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    __tsan_check_no_mutexes_held();
    return 0;
}
