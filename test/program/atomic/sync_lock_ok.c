// A lock made of __sync_lock_test_and_set and __sync_lock_release.
// want: none
#include <pthread.h>
#include <sched.h>

int lock, shared;

static void *worker(void *arg)
{
    for (int i = 0; i < 200; i++) {
        while (__sync_lock_test_and_set(&lock, 1))
            sched_yield();
        shared++;
        __sync_lock_release(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return shared != 600;
}
