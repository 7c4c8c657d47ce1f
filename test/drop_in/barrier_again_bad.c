// want: sync-misuse
// tsan: has no such report
// options: report_sync_misuse=1:halt_on_error=1
// text: a barrier is initialised while a thread waits on it
// A barrier gets another count while a thread waits on it.
#include "waiting.h"

pthread_barrier_t barrier;

static void *user(void *arg)
{
    about_to_wait();
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, user, NULL);
    until_it_waits();
    pthread_barrier_init(&barrier, NULL, 3);
    return 0;
}
