// want: mutex-held-wrong-context
// text: #0 __tsan_check_no_mutexes_held
// text: #1 take
// A thread holds a mutex where the program asserts that it holds none.
#include <pthread.h>

void __tsan_check_no_mutexes_held(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void take(void) { pthread_mutex_lock(&m); }

int main(void)
{
    take();
    __tsan_check_no_mutexes_held();
    pthread_mutex_unlock(&m);
    return 0;
}
