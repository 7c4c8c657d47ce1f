// want: lock-at-thread-end
// text: in keep
// notext: take_first
// tsan: has no such report
// options: report_locks_at_end=1
// options: sample=literace
// A thread ends and still holds a mutex that another thread was the first to take. While sampling,
// the report must show the acquisition by the thread that ends.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void take_first(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}

static void *keep(void *arg)
{
    pthread_mutex_lock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    take_first();
    pthread_create(&t, NULL, keep, NULL);
    pthread_join(t, NULL);
    return 0;
}
